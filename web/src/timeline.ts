// Every call by itself, in order and as deep as it lay: a tree of which only the rows in sight exist.
//
// Arrow keys as in any tree: up and down go on, right opens or goes in, left closes or goes out, Enter shows the call.

import { refuses, toneOf, type Run } from "./data";
import { h } from "./dom";
import { cut, duration, plural, price } from "./format";

const ROW = 30;
const SPARE = 8;

type Row = { kind: "frame" | "turn" | "call"; index: number; depth: number; children: boolean };

export class Timeline {
  readonly element: HTMLElement;
  private readonly scroller: HTMLElement;
  private readonly body: HTMLElement;
  private rows: Row[] = [];
  private readonly closed = new Set<string>();
  private at = 0;
  private drawnFrom = -1;
  private drawnTo = -1;
  private picked: number | undefined;
  private filter: ((call: number) => boolean) | undefined;

  constructor(private readonly run: Run, private readonly pick: (call: number, focus: boolean) => void) {
    this.body = h("div", { class: "rows" });
    this.scroller = h("div", { class: "scroller", role: "tree", tabindex: 0, "aria-label": "Calls in order",
      scroll: () => this.paint(), keydown: (event: KeyboardEvent) => this.key(event) }, this.body);
    this.element = h("div", { class: "timeline" }, h("div", { class: "heads", "aria-hidden": "true" },
      h("span", { class: "what" }, "Call"), h("span", { class: "verdict" }, "Verdict"), h("span", { class: "spent" }, "Share"),
      h("span", { class: "when" }, "Time")), this.scroller);
    this.list();
  }

  /** Rows anew, after something was opened, closed or filtered. */
  private list(): void {
    const { frames, turns, calls } = this.run.data;
    const rows: Row[] = [];
    type Job = Row;
    const stack: Job[] = [];
    const frameRow = (index: number, depth: number): Row => ({ kind: "frame", index, depth, children: frames[index]!.calls.length > 0 || frames[index]!.turns.length > 0 });
    const roots = frames.flatMap((f, i) => (f.by === undefined ? [frameRow(i, 0)] : []));
    stack.push(...roots.reverse());
    const hit = this.filter;
    while (stack.length > 0) {
      const row = stack.pop()!;
      if (hit === undefined || row.kind === "frame" || (row.kind === "call" && hit(row.index))) rows.push(row);
      else if (row.kind === "turn" && turns[row.index]!.calls.some(hit)) rows.push(row);
      if (this.closed.has(`${row.kind}${row.index}`) && hit === undefined) continue;
      const below: Row[] = [];
      if (row.kind === "frame") {
        const frame = frames[row.index]!;
        for (const c of frame.calls) if (calls[c]!.turn === undefined) below.push(this.callRow(c, row.depth + 1));
        for (const t of frame.turns) {
          const turn = turns[t]!;
          // A turn that made no calls and was not held against anything has a line only where it is all there is.
          below.push({ kind: "turn", index: t, depth: row.depth + 1, children: turn.calls.length > 0 });
        }
      } else if (row.kind === "turn") {
        for (const c of turns[row.index]!.calls) below.push(this.callRow(c, row.depth + 1));
      } else {
        for (const f of calls[row.index]!.opened ?? []) below.push(frameRow(f, row.depth + 1));
      }
      for (let i = below.length - 1; i >= 0; i--) stack.push(below[i]!);
    }
    this.rows = rows;
    this.at = Math.min(this.at, Math.max(0, rows.length - 1));
    this.body.style.height = `${rows.length * ROW}px`;
    this.drawnFrom = this.drawnTo = -1;
    this.paint();
  }

  private callRow(index: number, depth: number): Row {
    return { kind: "call", index, depth, children: (this.run.data.calls[index]!.opened ?? []).length > 0 };
  }

  search(hit: ((call: number) => boolean) | undefined): void {
    this.filter = hit;
    this.list();
  }

  select(call: number | undefined): void {
    this.picked = call;
    const find = () => this.rows.findIndex((row) => row.kind === "call" && row.index === call);
    if (call !== undefined) {
      let place = find();
      if (place < 0) {
        this.closed.clear();
        this.list();
        place = find();
      }
      if (place >= 0) {
        this.at = place;
        this.bring();
      }
    }
    this.drawnFrom = -1;
    this.paint();
  }

  focus(): void {
    this.scroller.focus();
  }

  shown(): void {
    this.drawnFrom = -1;
    this.bring();
    this.paint();
  }

  private bring(): void {
    const height = this.scroller.clientHeight;
    if (height === 0) return;
    const top = this.at * ROW;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top - ROW;
    else if (top + ROW > this.scroller.scrollTop + height) this.scroller.scrollTop = top - height + 2 * ROW;
  }

  private paint(): void {
    const height = this.scroller.clientHeight || 600;
    const from = Math.max(0, Math.floor(this.scroller.scrollTop / ROW) - SPARE);
    const to = Math.min(this.rows.length, Math.ceil((this.scroller.scrollTop + height) / ROW) + SPARE);
    if (from === this.drawnFrom && to === this.drawnTo) return;
    this.drawnFrom = from;
    this.drawnTo = to;
    this.body.replaceChildren(...this.rows.slice(from, to).map((row, i) => this.row(row, from + i)));
    this.scroller.setAttribute("aria-activedescendant", `row${this.at}`);
  }

  private row(row: Row, place: number): HTMLElement {
    const { frames, turns, calls } = this.run.data;
    const open = !this.closed.has(`${row.kind}${row.index}`);
    const element = h("div", {
      class: `row ${row.kind}`, role: "treeitem", id: `row${place}`, "aria-level": row.depth + 1,
      "aria-expanded": row.children ? String(open) : undefined, "aria-selected": String(place === this.at),
      click: () => this.activate(place, false),
    });
    element.style.top = `${place * ROW}px`;
    const what = h("span", { class: "what" });
    what.style.paddingLeft = `${8 + Math.min(row.depth, 24) * 14}px`;
    what.append(h("i", { class: row.children ? `twist ${open ? "open" : ""}` : "twist none", click: (event: MouseEvent) => {
      event.stopPropagation();
      this.toggle(place);
    } }));
    element.append(what);
    if (row.kind === "frame") {
      const frame = frames[row.index]!;
      what.append(h("b", {}, frame.name), h("em", {}, `${plural(frame.calls.length, "call")}, ${plural(frame.turns.length, "turn")}`));
      element.append(h("span", { class: "verdict" }, frame.status && frame.status !== "closed" ? h("em", {}, frame.status) : ""), h("span", { class: "spent" }, price(frame.inclusive)),
        this.bar(frame.opened_us, frame.closed_us, "frame"));
    } else if (row.kind === "turn") {
      const turn = turns[row.index]!;
      const said = turn.text ? cut(turn.text.replace(/\s+/g, " "), 160) : turn.stop_reason ?? "";
      what.append(h("em", { class: "turn-id" }, `turn ${turn.id}`), h("em", { class: "said" }, said));
      const code = turn.verdict?.code;
      element.append(h("span", { class: "verdict" }, code ? h("i", { class: "chip note" }, code) : ""), h("span", { class: "spent" }, this.turnPrice(row.index)),
        this.bar(turn.begun_us, turn.ended_us, "turn"));
    } else {
      const call = calls[row.index]!;
      what.append(h("u", {}, String(call.id)), h("b", {}, call.tool), h("code", {}, cut((call.arguments?.text ?? "").replace(/\s+/g, " "), 240)));
      element.append(h("span", { class: "verdict" }, this.chip(row.index)), h("span", { class: "spent" }, price(call.inclusive)),
        this.bar(call.started_us ?? call.proposed_us, call.ended_us, toneOf(call)));
      if (row.index === this.picked) element.classList.add("on");
    }
    return element;
  }

  private turnPrice(index: number): string {
    const turn = this.run.data.turns[index]!;
    const t = turn.tokens;
    if (!t) return "";
    const all = (t.fresh_input ?? 0) + (t.cache_read ?? 0) + (t.cache_write_5m ?? 0) + (t.cache_write_1h ?? 0) + (t.output ?? 0);
    return price({ tokens: all, estimated: turn.basis === "estimated", ...(turn.nano_usd !== undefined && { nano_usd: turn.nano_usd }) });
  }

  private chip(index: number): HTMLElement | string {
    const call = this.run.data.calls[index]!;
    if (call.verdict?.code) return h("i", { class: `chip ${refuses(call.verdict) ? "bad" : "note"}` }, call.verdict.code);
    const back = this.run.backOf.get(index);
    if (back) return h("i", { class: "chip seen" }, back.kind === "repeat" ? `same as ${this.run.data.calls[back.to_call!]!.id}` : back.kind);
    if (call.status === "error" || call.status === "timeout" || call.status === "open") return h("i", { class: "chip note" }, call.status);
    return "";
  }

  private bar(from: number | undefined, to: number | undefined, tone: string): HTMLElement {
    const cell = h("span", { class: "when" });
    const all = this.run.end - this.run.start;
    if (from === undefined || !(all > 0)) return cell;
    const left = Math.min(1, Math.max(0, (from - this.run.start) / all));
    const long = to === undefined ? 0 : Math.max(0, (to - from) / all);
    const mark = h("i", { class: `span ${tone}` });
    mark.style.left = `${left * 100}%`;
    mark.style.width = `max(3px, ${Math.min(long, 1 - left) * 100}%)`;
    if (to !== undefined) cell.title = duration(to - from);
    cell.append(mark);
    return cell;
  }

  private toggle(place: number): void {
    const row = this.rows[place]!;
    const key = `${row.kind}${row.index}`;
    if (!this.closed.delete(key)) this.closed.add(key);
    this.at = place;
    this.list();
  }

  private activate(place: number, focus: boolean): void {
    this.at = place;
    const row = this.rows[place]!;
    this.drawnFrom = -1;
    if (row.kind === "call") this.pick(row.index, focus);
    else if (row.children) this.toggle(place);
    else this.paint();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || this.rows.length === 0) return;
    const row = this.rows[this.at]!;
    const open = row.children && !this.closed.has(`${row.kind}${row.index}`);
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 1);
    const go: Record<string, number> = { ArrowDown: this.at + 1, ArrowUp: this.at - 1, PageDown: this.at + page, PageUp: this.at - page, Home: 0, End: this.rows.length - 1 };
    if (event.key in go) {
      this.step(go[event.key]!);
    } else if (event.key === "ArrowRight") {
      if (row.children && !open) this.toggle(this.at);
      else if (row.children) this.step(this.at + 1);
    } else if (event.key === "ArrowLeft") {
      if (open) this.toggle(this.at);
      else {
        let up = this.at - 1;
        while (up > 0 && this.rows[up]!.depth >= row.depth) up--;
        this.step(up);
      }
    } else if (event.key === "Enter" || event.key === " ") {
      this.activate(this.at, true);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private step(to: number): void {
    this.at = Math.min(this.rows.length - 1, Math.max(0, to));
    this.bring();
    this.drawnFrom = -1;
    this.paint();
    const row = this.rows[this.at]!;
    if (row.kind === "call") this.pick(row.index, false);
  }
}
