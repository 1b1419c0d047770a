// The picture: agents and tools as boxes, what leads from one to the other as lines, what goes back in red.
//
// Boxes and red lines are buttons: Tab reaches them, arrows go from box to box, Enter opens, + and - unfold and fold.
// The pointer drags and zooms; nothing moves by itself.

import { isHard, reasonsOf, toneOfForces, type Run, type Spend } from "./data";
import { h, icon, s } from "./dom";
import { count, cut, plural, price } from "./format";
import { place, type Box, type Line, type Placed, type Point } from "./layout";
import { Folding, type Shown, type ShownEdge } from "./visible";

export type Picked = { kind: "node"; node: number } | { kind: "edge"; edges: number[] };

const HEIGHT = 50;
/** Below this width a screen is a phone's, where smaller letters are read from nearer by. */
const NARROW = 600;
const LEAST_NARROW = 0.72;
const LEAST = 0.72;
const NAME_FONT = "600 13px system-ui, sans-serif";
const SMALL_FONT = "11px system-ui, sans-serif";

let canvas: CanvasRenderingContext2D | null = null;
function width(text: string, font: string): number {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (canvas === null) return text.length * 7;
  canvas.font = font;
  return canvas.measureText(text).width;
}

function add(a: Spend, b: Spend): Spend {
  const out: Spend = { tokens: a.tokens + b.tokens };
  if (a.nano_usd !== undefined || b.nano_usd !== undefined) out.nano_usd = (a.nano_usd ?? 0) + (b.nano_usd ?? 0);
  if (a.estimated || b.estimated) out.estimated = true;
  return out;
}

/** A path through the points with corners rounded. */
function rounded(points: Point[], radius = 8): string {
  if (points.length === 0) return "";
  let d = `M${points[0]!.x} ${points[0]!.y}`;
  for (let i = 1; i < points.length - 1; i++) {
    const before = points[i - 1]!;
    const at = points[i]!;
    const after = points[i + 1]!;
    const into = Math.hypot(at.x - before.x, at.y - before.y);
    const out = Math.hypot(after.x - at.x, after.y - at.y);
    const r = Math.min(radius, into / 2, out / 2);
    if (r < 0.5) {
      d += `L${at.x} ${at.y}`;
      continue;
    }
    const a = { x: at.x + ((before.x - at.x) / into) * r, y: at.y + ((before.y - at.y) / into) * r };
    const b = { x: at.x + ((after.x - at.x) / out) * r, y: at.y + ((after.y - at.y) / out) * r };
    d += `L${a.x} ${a.y}Q${at.x} ${at.y} ${b.x} ${b.y}`;
  }
  const last = points[points.length - 1]!;
  return `${d}L${last.x} ${last.y}`;
}

interface BoxText { name: string; under: string }

export class GraphView {
  readonly element: HTMLElement;
  private readonly svg: SVGSVGElement;
  private readonly scene: SVGGElement;
  private readonly folding: Folding;
  private view = { x: 0, y: 0, scale: 1 };
  private placed: Placed | undefined;
  private boxes: Shown[] = [];
  private lines: ShownEdge[] = [];
  private picked: Picked | undefined;
  private drawing = 0;
  private touched = false;  // the person has moved the picture: it is not fitted any more
  private readonly mostTokens: number;

  constructor(private readonly run: Run, private readonly pick: (picked: Picked | undefined, focus: boolean) => void) {
    const graph = run.data.graph;
    this.folding = new Folding(graph.nodes, graph.edges);
    this.mostTokens = Math.max(1, ...graph.nodes.map((n) => n.inclusive.tokens));
    this.scene = s("g", { class: "scene" });
    this.svg = s("svg", { class: "graph", role: "group", "aria-label": "Call graph: arrow keys go from box to box, Enter opens" },
      s("defs", {}, ...["line", "back", "soft", "seen"].map((kind) =>
        s("marker", { id: `arrow-${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8,
          orient: "auto-start-reverse", markerUnits: "userSpaceOnUse" }, s("path", { d: "M0.5 0.8 7.2 4 0.5 7.2z", class: `arrow ${kind}` })))),
      this.scene);
    const button = (name: string, label: string, act: () => void) =>
      h("button", { class: "tool", type: "button", title: label, "aria-label": label, click: act }, icon(name));
    this.element = h("div", { class: "canvas" }, this.svg,
      h("div", { class: "zoom" }, button("plus", "Zoom in", () => this.zoom(1.25)), button("minus", "Zoom out", () => this.zoom(0.8)),
        button("fit", "Show all", () => this.fit())),
      this.legend());
    this.listen();
  }

  private legend(): HTMLElement {
    const graph = this.run.data.graph;
    const entry = (kind: string, words: string) => h("span", {}, h("i", { class: `key ${kind}` }), words);
    return h("div", { class: "legend", "aria-hidden": "true" }, entry("agent", "agent"), entry("tool-key", "tool"),
      graph.edges.some((e) => e.force && isHard(e.force)) && entry("back", "goes back, refused"),
      graph.edges.some((e) => e.force === "warned") && entry("soft", "goes back, with a note"),
      graph.edges.some((e) => e.force === "seen") && entry("seen", "goes back, no rule spoke"));
  }

  /** Lays out and draws what is unfolded. `keep`: the box that stays where it is on the screen. */
  async draw(keep?: string): Promise<void> {
    const turn = ++this.drawing;
    const { boxes, lines } = this.folding.shown();
    const before = keep ? this.placed?.boxes.get(keep) : undefined;
    const placed = await this.placing(
      boxes.map((b) => ({ id: b.id, width: this.boxWidth(b), height: HEIGHT })),
      lines.map((l) => {
        const label = this.label(l);
        return {
          id: l.id, from: l.from, to: l.to, weight: l.kind === "tree" ? 10 : 1,
          ...(label && { label: { width: Math.max(...label.map((t) => width(t, SMALL_FONT))) + 16, height: label.length * 14 + 6 } }),
        };
      }));
    if (turn !== this.drawing) return;  // folded or unfolded meanwhile
    this.boxes = boxes;
    this.lines = lines;
    this.placed = placed;
    const focused = document.activeElement instanceof SVGElement ? document.activeElement.getAttribute("data-id") : null;
    this.scene.replaceChildren(...lines.map((l) => this.line(l)), ...boxes.map((b) => this.box(b)),
      ...lines.map((l) => this.lineLabel(l)).filter((g): g is SVGGElement => g !== undefined));
    this.mark();
    const after = keep ? placed.boxes.get(keep) : undefined;
    if (before && after) {
      this.view.x += (before.x - after.x) * this.view.scale;
      this.view.y += (before.y - after.y) * this.view.scale;
      this.move();
    } else if (!this.touched) {
      this.fit();
    }
    if (focused) this.find(focused)?.focus();
    this.element.dataset.drawn = "yes";
  }

  /** From left to right; on a narrow screen from top to bottom where more of it is readable so. */
  private async placing(boxes: Box[], lines: Line[]): Promise<Placed> {
    const right = await place(boxes, lines);
    const { width: w, height: ht } = this.svg.getBoundingClientRect();
    const scale = (p: Placed) => Math.min(w / p.width, ht / p.height);
    if (w >= NARROW || scale(right) >= LEAST_NARROW) return right;
    const down = await place(boxes, lines, true);
    return scale(down) > scale(right) ? down : right;
  }

  private text(box: Shown): BoxText {
    if (box.more) {
      const calls = box.more.reduce((sum, i) => sum + this.run.data.graph.nodes[i]!.count, 0);
      return { name: `${box.more.length} more tools`, under: plural(calls, "call") };
    }
    const node = this.run.data.graph.nodes[box.node]!;
    const parts: string[] = [];
    if (node.count > 1) parts.push(`×${count(node.count)}`);
    const spent = price(node.kind === "agent" ? node.inclusive : node.own);
    if (spent) parts.push(spent);
    if (parts.length === 0) parts.push(node.kind === "agent" ? "1 activation" : "1 call");
    return { name: cut(node.label, 30), under: parts.join(" · ") };
  }

  private badge(box: Shown): { text: string; tone: string } | undefined {
    if (box.more) return undefined;
    const node = this.run.data.graph.nodes[box.node]!;
    if (node.refused) return { text: `${count(node.refused)} refused`, tone: "bad" };
    if (node.errors) return { text: `${count(node.errors)} failed`, tone: "note" };
    return undefined;
  }

  private foldable(box: Shown): boolean {
    return !box.more && this.run.data.graph.nodes[box.node]!.kind === "agent" && this.folding.hasChildren(box.node);
  }

  private boxWidth(box: Shown): number {
    const { name, under } = this.text(box);
    const fold = this.foldable(box) ? 26 : 0;
    return Math.ceil(Math.max(96, width(name, NAME_FONT) + 28 + fold, width(under, SMALL_FONT) + 28));
  }

  private label(line: ShownEdge): string[] | undefined {
    if (line.kind === "tree" || line.kind === "next") return undefined;
    const reasons = new Map<string, number>();
    let spend: Spend = { tokens: 0 };
    for (const edge of line.edges) {
      spend = add(spend, edge.spend);
      for (const [reason, n] of Object.entries(edge.reasons ?? {})) reasons.set(reason, (reasons.get(reason) ?? 0) + n);
    }
    const all = [...reasons].sort((a, b) => b[1] - a[1]);
    const first = all.slice(0, 2).map(([reason, n]) => `${reason} ×${n}`);
    if (all.length > 2) first.push(`${all.length - 2} more reasons`);
    const cost = price(spend);
    return cost ? [...first, cost] : first;
  }

  private tone(line: ShownEdge): string {
    if (line.kind === "tree" || line.kind === "next") return line.kind;
    return toneOfForces(line.edges.map((e) => e.force));
  }

  private thickness(line: ShownEdge): number {
    const times = line.edges.reduce((sum, e) => sum + e.count, 0);
    if (line.kind === "tree" || line.kind === "next") return 1.2;
    return (this.tone(line) === "seen" ? 1.2 : 1.6) + Math.min(3, Math.log2(times + 1) * 0.6);
  }

  private line(line: ShownEdge): SVGGElement {
    const at = this.placed!.lines.get(line.id);
    const tone = this.tone(line);
    const goesBack = line.kind === "back" || line.kind === "self";
    const arrow = goesBack ? tone : "line";
    const d = rounded(at?.points ?? []);
    const path = s("path", { d, class: `edge ${tone}`, "marker-end": `url(#arrow-${arrow})`, "stroke-width": this.thickness(line) });
    const group = s("g", { class: `line ${tone}`, "data-line": line.id }, path);
    if (goesBack) {
      const hit = s("path", { d, class: "hit", click: () => this.choose(line) });
      group.append(hit);
    }
    return group;
  }

  private lineLabel(line: ShownEdge): SVGGElement | undefined {
    const words = this.label(line);
    const at = this.placed!.lines.get(line.id);
    if (!words || !at) return undefined;
    const size = { width: Math.max(...words.map((t) => width(t, SMALL_FONT))) + 16, height: words.length * 14 + 6 };
    const where = at.label ?? at.points[0] ?? { x: 0, y: 0 };
    const name = (id: string) => this.name(this.boxes.find((b) => b.id === id)!);
    const tone = this.tone(line);
    const said = tone === "back" ? "refused or would have been" : tone === "soft" ? "let through with a note" : "no rule spoke";
    const group = s("g", {
      class: `label ${tone}`, transform: `translate(${where.x} ${where.y})`, role: "button", tabindex: 0, "data-id": line.id,
      "aria-label": `goes back from ${name(line.from)} to ${name(line.to)}: ${words.join(", ")}; ${said}`,
      click: () => this.choose(line),
    }, s("rect", { width: size.width, height: size.height, rx: 6 }));
    words.forEach((text, i) => group.append(s("text", { x: size.width / 2, y: 13 + i * 14, class: i === 0 ? "first" : "" }, text)));
    return group;
  }

  private name(box: Shown): string {
    return box.more ? `${box.more.length} more tools` : this.run.data.graph.nodes[box.node]!.label;
  }

  private box(box: Shown): SVGGElement {
    const at = this.placed!.boxes.get(box.id)!;
    const w = this.boxWidth(box);
    const node = this.run.data.graph.nodes[box.node]!;
    const { name, under } = this.text(box);
    const badge = this.badge(box);
    const kind = box.more ? "more" : node.kind;
    const spoken = [kind === "more" ? "" : kind, name, under, badge?.text, node.by && kind === "agent" ? `started by ${node.by}` : ""]
      .filter(Boolean).join(", ");
    const group = s("g", {
      class: `box ${kind}`, transform: `translate(${at.x} ${at.y})`, role: "button", tabindex: -1, "data-id": box.id, "aria-label": spoken,
      click: () => this.activate(box),
    }, s("title", {}, box.more ? spoken : node.label + (node.by ? ` (started by ${node.by})` : "")),
    s("rect", { class: "body", width: w, height: HEIGHT, rx: kind === "agent" ? 12 : 8 }),
    s("text", { x: 14, y: 22, class: "name" }, name), s("text", { x: 14, y: 38, class: "under" }, under));
    if (!box.more) {
      const share = node.inclusive.tokens / this.mostTokens;
      if (share > 0.01) group.append(s("rect", { class: "share", x: 14, y: HEIGHT - 5, width: Math.max(2, (w - 28) * share), height: 2, rx: 1 }));
    }
    if (this.foldable(box)) {
      const open = this.folding.open.has(box.node);
      group.append(s("g", { class: "fold", transform: `translate(${w - 26} 8)`, click: (event: MouseEvent) => {
        event.stopPropagation();
        this.fold(box);
      } }, s("title", {}, open ? "Fold" : "Unfold"), s("rect", { width: 18, height: 18, rx: 5 }),
      s("path", { d: open ? "M5 9h8" : "M9 5v8M5 9h8" })));
    }
    if (badge) {
      const bw = width(badge.text, SMALL_FONT) + 12;
      group.append(s("g", { class: `badge ${badge.tone}`, transform: `translate(${w - bw - 8} -9)` },
        s("rect", { width: bw, height: 18, rx: 9 }), s("text", { x: bw / 2, y: 13 }, badge.text)));
    }
    return group;
  }

  private fold(box: Shown): void {
    this.folding.toggle(box.node);
    void this.draw(box.id);
  }

  private activate(box: Shown): void {
    if (box.more) {
      this.folding.all.add(box.node);
      void this.draw(`n${box.node}`);
      return;
    }
    this.pick({ kind: "node", node: box.node }, false);
  }

  private choose(line: ShownEdge): void {
    this.pick({ kind: "edge", edges: line.edges.map((e) => this.run.data.graph.edges.indexOf(e)) }, false);
  }

  /** Shows what is picked; unfolds what hides it. */
  async select(picked: Picked | undefined, reveal: boolean): Promise<void> {
    this.picked = picked;
    if (reveal && picked) {
      const nodes = picked.kind === "node" ? [picked.node]
        : picked.edges.flatMap((e) => [this.run.data.graph.edges[e]!.from, this.run.data.graph.edges[e]!.to]);
      if (nodes.some((n) => !this.boxes.some((b) => b.id === `n${n}`))) {
        for (const n of nodes) this.folding.reveal(n);
        await this.draw();
      }
    }
    this.mark();
    if (reveal && picked?.kind === "node") this.bring(`n${picked.node}`);
  }

  private isPicked(line: ShownEdge): boolean {
    const picked = this.picked;
    return picked?.kind === "edge" && line.edges.some((e) => picked.edges.includes(this.run.data.graph.edges.indexOf(e)));
  }

  private mark(): void {
    const picked = this.picked;
    const near = new Set<string>();
    for (const line of this.lines) {
      const on = this.isPicked(line) || (picked?.kind === "node" && (line.from === `n${picked.node}` || line.to === `n${picked.node}`));
      if (on) near.add(line.from).add(line.to);
      for (const element of this.scene.querySelectorAll(`[data-line="${CSS.escape(line.id)}"], [data-id="${CSS.escape(line.id)}"]`))
        element.classList.toggle("on", on);
    }
    this.svg.classList.toggle("focus", picked !== undefined);
    let first = true;
    for (const element of this.scene.querySelectorAll<SVGGElement>(".box")) {
      const id = element.getAttribute("data-id")!;
      const on = picked?.kind === "node" && id === `n${picked.node}`;
      element.classList.toggle("on", on);
      element.classList.toggle("near", on || near.has(id));
      element.setAttribute("aria-pressed", String(on));
      const stop = picked?.kind === "node" && this.boxes.some((b) => b.id === `n${picked.node}`) ? on : first;
      element.setAttribute("tabindex", stop ? "0" : "-1");
      first = false;
    }
  }

  private find(id: string): SVGGElement | null {
    return this.scene.querySelector<SVGGElement>(`.box[data-id="${CSS.escape(id)}"], .label[data-id="${CSS.escape(id)}"]`);
  }

  focus(): void {
    const target = this.picked?.kind === "node" ? this.find(`n${this.picked.node}`) : null;
    (target ?? this.scene.querySelector<SVGGElement>(".box"))?.focus();
  }

  /** The lines that go back, as what the key b walks through. */
  nextBack(): void {
    const labels = [...this.scene.querySelectorAll<SVGGElement>(".label")];
    if (labels.length === 0) return;
    const at = labels.indexOf(document.activeElement as unknown as SVGGElement);
    const next = labels[(at + 1) % labels.length]!;
    next.focus();
    const line = this.lines.find((l) => l.id === next.getAttribute("data-id"));
    if (line) this.choose(line);
  }

  private bring(id: string): void {
    const at = this.placed?.boxes.get(id);
    if (!at) return;
    const { width: w, height: ht } = this.svg.getBoundingClientRect();
    const x = at.x * this.view.scale + this.view.x;
    const y = at.y * this.view.scale + this.view.y;
    const margin = 24;
    if (x < margin || x > w - 160) this.view.x = w / 3 - at.x * this.view.scale;
    if (y < margin || y > ht - 80) this.view.y = ht / 2 - at.y * this.view.scale;
    this.move();
  }

  fit(): void {
    if (!this.placed) return;
    const { width: w, height: ht } = this.svg.getBoundingClientRect();
    if (w === 0 || ht === 0) return;
    const scale = Math.min(1.15, w / this.placed.width, ht / this.placed.height);
    // Small letters are of no use: a large graph begins at its left edge, the root in sight.
    this.view.scale = Math.max(scale, w < NARROW ? LEAST_NARROW : LEAST);
    const root = this.placed.boxes.get(this.boxes[0]?.id ?? "");
    const spareX = w - this.placed.width * this.view.scale;
    const spareY = ht - this.placed.height * this.view.scale;
    this.view.x = spareX >= 0 ? spareX / 2 : 0;
    const center = root ? ht / 2 - root.y * this.view.scale : 0;
    this.view.y = spareY >= 0 ? spareY / 2 : Math.min(0, Math.max(spareY, center));
    this.touched = false;
    this.showBack(w, ht);
    this.move();
  }

  /** What is picked, or else what went wrong, is in sight from the beginning, also where the whole is not. */
  private showBack(w: number, ht: number): void {
    const line = this.lines.find((l) => this.isPicked(l)) ?? this.lines.find((l) => this.tone(l) === "back");
    const at = line && this.placed?.lines.get(line.id)?.label;
    const words = line && this.label(line);
    if (!at || !words) return;
    const margin = 16;
    const scale = this.view.scale;
    const into = (from: number, size: number, view: number, all: number) => {
      const start = from * scale + view;
      if (start < margin) return view + margin - start;
      const over = start + size * scale - (all - margin);
      return over > 0 ? view - over : view;
    };
    this.view.x = into(at.x, Math.max(...words.map((t) => width(t, SMALL_FONT))) + 16, this.view.x, w);
    this.view.y = into(at.y, words.length * 14 + 6, this.view.y, ht);
  }

  resized(): void {
    if (this.touched) return;
    this.fit();
    if (this.picked?.kind === "node") this.bring(`n${this.picked.node}`);
  }

  private zoom(by: number, at?: Point): void {
    const { width: w, height: ht } = this.svg.getBoundingClientRect();
    const center = at ?? { x: w / 2, y: ht / 2 };
    const scale = Math.min(3, Math.max(0.1, this.view.scale * by));
    const factor = scale / this.view.scale;
    this.view.x = center.x - (center.x - this.view.x) * factor;
    this.view.y = center.y - (center.y - this.view.y) * factor;
    this.view.scale = scale;
    this.touched = true;
    this.move();
  }

  private move(): void {
    this.scene.setAttribute("transform", `translate(${this.view.x} ${this.view.y}) scale(${this.view.scale})`);
  }

  private listen(): void {
    const pointers = new Map<number, Point>();
    let moved = 0;
    let spread = 0;
    this.svg.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved = 0;
      spread = 0;
    });
    this.svg.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const dx = event.clientX - before.x;
      const dy = event.clientY - before.y;
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved += Math.abs(dx) + Math.abs(dy);
      if (moved < 4) return;
      if (!this.svg.hasPointerCapture(event.pointerId)) this.svg.setPointerCapture(event.pointerId);
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()] as [Point, Point];
        const now = Math.hypot(a.x - b.x, a.y - b.y);
        const box = this.svg.getBoundingClientRect();
        if (spread > 0) this.zoom(now / spread, { x: (a.x + b.x) / 2 - box.x, y: (a.y + b.y) / 2 - box.y });
        spread = now;
        return;
      }
      this.view.x += dx;
      this.view.y += dy;
      this.touched = true;
      this.move();
    });
    const up = (event: PointerEvent) => {
      pointers.delete(event.pointerId);
      spread = 0;
    };
    this.svg.addEventListener("pointerup", up);
    this.svg.addEventListener("pointercancel", up);
    // After a drag the click is not meant for what lies below.
    this.svg.addEventListener("click", (event) => {
      if (moved >= 4) event.stopPropagation();
      else if (event.target === this.svg) this.pick(undefined, false);
    }, true);
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.svg.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey || Math.abs(event.deltaY) >= Math.abs(event.deltaX)) {
        this.zoom(Math.exp(-event.deltaY * 0.0015), { x: event.clientX - box.x, y: event.clientY - box.y });
      } else {
        this.view.x -= event.deltaX;
        this.touched = true;
        this.move();
      }
    }, { passive: false });
    this.svg.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const id = (event.target as Element).getAttribute("data-id");
    if (!id || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = this.boxes.find((b) => b.id === id);
    const line = this.lines.find((l) => l.id === id);
    const step: Record<string, [number, number]> = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    if (step[event.key]) {
      const from = box ? id : line!.from;
      const to = this.neighbour(from, ...step[event.key]!);
      if (to) {
        this.bring(to);
        this.find(to)?.focus();
        const target = this.boxes.find((b) => b.id === to)!;
        if (!target.more) this.pick({ kind: "node", node: target.node }, false);
        this.find(to)?.focus();
      }
    } else if (event.key === "Enter" || event.key === " ") {
      if (box?.more) this.activate(box);
      else if (box) this.pick({ kind: "node", node: box.node }, true);
      else if (line) this.pick({ kind: "edge", edges: line.edges.map((e) => this.run.data.graph.edges.indexOf(e)) }, true);
    } else if (box && this.foldable(box) && (event.key === "+" || event.key === "-" || event.key === "=")) {
      const open = this.folding.open.has(box.node);
      if (open !== (event.key !== "-")) this.fold(box);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** The nearest box in a direction: straight ahead counts more than aside. */
  private neighbour(from: string, dx: number, dy: number): string | undefined {
    const a = this.placed?.boxes.get(from);
    if (!a) return undefined;
    let best: string | undefined;
    let least = Infinity;
    for (const [id, b] of this.placed!.boxes) {
      const ahead = (b.x - a.x) * dx + (b.y - a.y) * dy;
      const aside = Math.abs((b.x - a.x) * dy) + Math.abs((b.y - a.y) * dx);
      if (id === from || ahead < 8) continue;
      const far = ahead + aside * 2.5;
      if (far < least) [best, least] = [id, far];
    }
    return best;
  }
}

/** What a back edge of the graph says in one line, for lists. */
export function edgeWords(run: Run, index: number): { title: string; under: string; tone: string } {
  const edge = run.data.graph.edges[index]!;
  const from = run.data.graph.nodes[edge.from]!.label;
  const to = run.data.graph.nodes[edge.to]!.label;
  const under = [reasonsOf(edge), price(edge.spend)].filter(Boolean).join(" · ");
  return { title: edge.kind === "self" ? `${from} ⟲` : `${from} → ${to}`, under, tone: { back: "bad", soft: "soft", seen: "seen" }[toneOfForces([edge.force])] };
}
