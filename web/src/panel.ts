// What is known of the thing that is picked: the run, an agent or tool, a line that goes back, a call.

import { isHard, reasonsOf, refuses, toneOfForces, verdictWords, type Budget, type Call, type Cost, type Run, type Text, type Verdict } from "./data";
import { diff } from "./diff";
import { h, icon } from "./dom";
import { bytes, clock, count, cut, duration, exact, money, plural, price } from "./format";
import { edgeWords } from "./graphview";

export type Subject = { kind: "run" } | { kind: "node"; node: number } | { kind: "edge"; edges: number[] } | { kind: "call"; call: number };

export interface Actions {
  show(subject: Subject, focus?: boolean): void;
  back(): void;
}

/** Lists longer than this are drawn in parts. */
const PART = 200;

/** JSON for eyes, not for programs: indented, and texts within it with their own line breaks. */
function pretty(text: string): string {
  const plain: Record<string, string> = { "\\n": "\n", "\\t": "\t" };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return text;
    // An escaped backslash is taken along, so that what follows it is not taken for its escape.
    return JSON.stringify(value, null, 2).replace(/\\[\s\S]/g, (escape) => plain[escape] ?? escape);
  } catch {
    return text;
  }
}

/** Of each meter the budget that is used up most: of an agent that was started forty times, one line and not forty. */
function tightest(budgets: Budget[]): Budget[] {
  const share = (b: Budget): number => (b.spent ?? 0) / Math.max(1, b.limit ?? Infinity);
  const out = new Map<string, Budget>();
  for (const b of budgets) {
    const held = out.get(b.meter);
    if (held === undefined || share(b) > share(held)) out.set(b.meter, b);
  }
  return [...out.values()];
}

function meter(budget: Budget): [string, string] {
  const say = (n: number) => budget.meter === "cost" ? money(n) : budget.meter === "time" ? duration(n) : count(n);
  const spent = budget.spent === undefined ? "?" : say(budget.spent);
  return [spent, budget.limit === undefined ? "no limit" : `of ${say(budget.limit)}`];
}

export class Panel {
  readonly element: HTMLElement;
  private readonly body: HTMLElement;
  private compare = true;

  constructor(private readonly run: Run, private readonly act: Actions) {
    this.body = h("div", { class: "panel-body" });
    this.element = h("aside", { class: "panel", "aria-label": "Details" }, this.body);
  }

  show(subject: Subject, focus: boolean): void {
    const parts = subject.kind === "run" ? this.runParts()
      : subject.kind === "node" ? this.nodeParts(subject.node)
      : subject.kind === "edge" ? this.edgeParts(subject.edges) : this.callParts(subject.call);
    this.body.replaceChildren(...parts);
    this.element.classList.toggle("raised", subject.kind !== "run");
    this.element.scrollTop = 0;
    if (focus) {
      const list = subject.kind === "node" || subject.kind === "edge" ? this.body.querySelector<HTMLElement>(".list button") : null;
      (list ?? this.body.querySelector<HTMLElement>("h2"))?.focus();
    }
  }

  private head(kind: string, title: string, under?: string): HTMLElement {
    return h("header", { class: "head" },
      h("div", {}, h("p", { class: "kind" }, kind), h("h2", { tabindex: -1 }, title), under ? h("p", { class: "under" }, under) : null),
      h("button", { type: "button", class: "tool", "aria-label": "Back", title: "Back (Escape)", click: () => this.act.back() }, icon("close")));
  }

  private section(title: string, ...children: (Node | null | false)[]): HTMLElement {
    return h("section", {}, h("h3", {}, title), ...children);
  }

  private runParts(): Node[] {
    const { run, graph } = this.run.data;
    const t = run.totals;
    const out: Node[] = [];
    out.push(h("header", { class: "head" }, h("div", {}, h("p", { class: "kind" }, "Run"), h("h2", { tabindex: -1 }, cut(run.title || run.id || "a run", 200)))));
    const bad = run.status !== undefined && !["finished", ""].includes(run.status);
    if (bad || run.reason) {
      out.push(h("div", { class: `verdict-box ${bad ? "bad" : "good"}` },
        h("strong", {}, run.status ? `${run.status}${run.code ? ` · ${run.code}` : ""}` : "recorded"), run.reason ? h("p", {}, run.reason) : null));
    }
    const backs = graph.edges.map((edge, i) => ({ edge, i })).filter(({ edge }) => edge.kind === "back" || edge.kind === "self");
    backs.sort((a, b) => Number(isHard(b.edge.force)) - Number(isHard(a.edge.force)) || b.edge.spend.tokens - a.edge.spend.tokens || b.edge.count - a.edge.count);
    const list = h("div", { class: "list" }, ...backs.slice(0, 12).map(({ i }) => {
      const words = edgeWords(this.run, i);
      return h("button", { type: "button", class: `item ${words.tone}`, click: () => this.act.show({ kind: "edge", edges: [i] }) },
        icon("back"), h("span", {}, h("b", {}, words.title), h("small", {}, words.under)));
    }));
    out.push(this.section("Goes back", backs.length > 0 ? list : h("p", { class: "empty" }, "Nothing went back: no call repeated one, and no agent came into itself.")));
    if (backs.length > 12) list.append(h("p", { class: "empty" }, `and ${backs.length - 12} more: the key b goes through them`));
    const ofAgents = tightest(this.run.data.frames.flatMap((f) => f.budgets ?? []));
    const budgets = [...(run.budgets ?? []).filter((b) => b.spent !== undefined || b.limit !== undefined), ...ofAgents];
    if (budgets.length > 0) out.push(this.section("Budgets", this.budgets(budgets)));
    if (run.cost) out.push(...this.costParts(run.cost));
    out.push(this.section("Tokens", this.tokenTable()));
    const facts: [string, string][] = [
      ["Agents", exact(t.frames)], ["Turns", exact(t.turns)], ["Calls", exact(t.calls)], ["Deepest", String(t.depth)],
      ["Model", run.model ?? ""], ["Source", run.source ?? ""], ["Id", run.id ?? ""],
      ["Began", run.opened_us !== undefined ? clock(run.opened_us) : ""],
      ["Took", run.opened_us !== undefined && run.closed_us !== undefined ? duration(run.closed_us - run.opened_us) : ""],
    ];
    out.push(this.section("Facts", this.facts(facts)));
    if (run.answer) out.push(this.section("Answer", h("pre", { class: "text" }, run.answer)));
    if (run.notes?.length) out.push(this.section("To know", h("ul", { class: "notes" }, ...run.notes.map((note) => h("li", {}, note)))));
    return out;
  }

  private costParts(cost: Cost): Node[] {
    const out: Node[] = [];
    const circles = cost.in_circles;
    if (circles) {
      out.push(this.section("Spent in circles, at least", this.facts([
        ["in all", `${plural(circles.calls, "call")}, ${price(circles.spend) || "nothing known"}`],
        ...Object.entries(circles.by).map(([why, of]): [string, string] => [why, [plural(of.calls, "call"), price(of.spend)].filter(Boolean).join(", ")]),
      ])));
    }
    const grown = cost.drift && cost.drift.early > 0 ? cost.drift : undefined;
    const facts: [string, string][] = cost.agents.length > 1 ? cost.agents.slice(0, 6).map((a) => [a.frames > 1 ? `${a.name} ×${a.frames}` : a.name, price(a.own)]) : [];
    if (grown && grown.requests > 3) facts.push(["a request", `${count(grown.early)} tokens at first, ${count(grown.late)} at last`]);
    for (const list of cost.drift?.by_tools?.slice(0, 6) ?? []) {
      const own = list.list_tokens ? `, about ${count(list.list_tokens)} of them for the list` : "";
      facts.push([`with ${plural(list.tools, "tool")}`, `${count(list.tokens)} tokens a request${own}`]);
    }
    if (facts.some(([, value]) => value !== "")) out.push(this.section("Where it went", this.facts(facts)));
    return out;
  }

  private budgets(budgets: Budget[]): HTMLElement {
    return h("div", { class: "budgets" }, ...budgets.map((b) => {
      const [spent, limit] = meter(b);
      const share = b.limit !== undefined && b.limit > 0 && b.spent !== undefined ? Math.min(1, b.spent / b.limit) : undefined;
      const fill = h("i", {});
      fill.style.width = `${(share ?? 0) * 100}%`;
      return h("div", { class: `budget ${share !== undefined && share >= 1 ? "full" : share !== undefined && share > 0.8 ? "near" : ""}`, title: b.source ? `from ${b.source}` : undefined },
        h("span", {}, b.scope === "run" ? b.meter : `${b.meter} (${b.scope === "frame" ? "one agent" : b.scope})`), share === undefined ? h("span", {}) : h("span", { class: "track" }, fill), h("span", { class: "amount" }, h("b", {}, spent), ` ${limit}`));
    }));
  }

  private tokenTable(): HTMLElement {
    const { tokens, spend } = this.run.data.run.totals;
    const rows: [string, number | undefined][] = [
      ["fresh input", tokens.fresh_input], ["cache read", tokens.cache_read], ["cache write", (tokens.cache_write_5m ?? 0) + (tokens.cache_write_1h ?? 0)],
      ["output", tokens.output], ["of that reasoning", tokens.reasoning],
    ];
    const known = rows.filter(([, n]) => n);
    if (known.length === 0) return h("p", { class: "empty" }, "The recording does not say how many tokens there were.");
    const facts: [string, string][] = known.map(([name, n]) => [name, exact(n!)]);
    facts.push(["cost", spend.nano_usd === undefined ? "not priced" : money(spend.nano_usd) + (spend.unpriced ? `, ${spend.unpriced} turns not priced` : "")]);
    return this.facts(facts);
  }

  private facts(facts: [string, string][]): HTMLElement {
    return h("dl", { class: "facts" }, ...facts.filter(([, value]) => value !== "").flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  }

  private nodeParts(index: number): Node[] {
    const node = this.run.data.graph.nodes[index]!;
    const path: string[] = [];
    for (let at = node.parent; at !== undefined; at = this.run.data.graph.nodes[at]!.parent) path.unshift(this.run.data.graph.nodes[at]!.label);
    const out: Node[] = [this.head(node.kind === "agent" ? "Agent" : "Tool", node.label, path.length > 0 ? `in ${path.join(" › ")}` : "the root of the run")];
    const facts: [string, string][] = [
      [node.kind === "agent" ? "Activations" : "Calls", exact(node.count)], ["Started by", node.by ?? ""],
      ["Refused", node.refused ? exact(node.refused) : ""], ["Noted", node.warned ? exact(node.warned) : ""], ["Failed", node.errors ? exact(node.errors) : ""],
      [node.kind === "agent" ? "Its own turns" : "Its share", price(node.own)], ["With all below", node.kind === "agent" ? price(node.inclusive) : ""],
    ];
    out.push(this.section("Facts", this.facts(facts)));
    const budgets = tightest((node.frames ?? []).flatMap((f) => this.run.data.frames[f]!.budgets ?? []));
    const most = (node.frames ?? []).length > 1 ? "Budgets, the activation that used most" : "Budgets";
    if (budgets.length > 0) out.push(this.section(most, this.budgets(budgets)));
    const edges = this.run.data.graph.edges.map((edge, i) => ({ edge, i })).filter(({ edge }) => (edge.kind === "back" || edge.kind === "self") && (edge.from === index || edge.to === index));
    if (edges.length > 0) {
      out.push(this.section("Goes back", h("div", { class: "list" }, ...edges.map(({ i }) => {
        const words = edgeWords(this.run, i);
        return h("button", { type: "button", class: `item ${words.tone}`, click: () => this.act.show({ kind: "edge", edges: [i] }) },
          icon("back"), h("span", {}, h("b", {}, words.title), h("small", {}, words.under)));
      }))));
    }
    const within = node.kind === "agent" ? (node.frames ?? []).flatMap((f) => this.run.data.frames[f]!.calls) : [];
    if (node.kind === "tool") out.push(this.calls("Calls", node.calls));
    else {
      if (node.calls.length > 0) out.push(this.calls("Called by", node.calls));
      if (within.length > 0) out.push(this.calls("Its calls", within));
    }
    return out;
  }

  private edgeParts(indices: number[]): Node[] {
    const { edges, nodes } = this.run.data.graph;
    const first = edges[indices[0]!]!;
    const tone = { back: "bad", soft: "soft", seen: "seen" }[toneOfForces(indices.map((i) => edges[i]!.force))];
    const from = nodes[first.from]!.label;
    const to = nodes[first.to]!.label;
    const calls = indices.flatMap((i) => edges[i]!.calls ?? []).sort((a, b) => a - b);
    const spent = indices.map((i) => price(edges[i]!.spend)).filter(Boolean).join(" + ");
    const out: Node[] = [this.head("Goes back", first.kind === "self" ? `${from} to itself` : `${from} → ${to}`, indices.map((i) => reasonsOf(edges[i]!)).join(", "))];
    const forces = new Map<string, number>();
    for (const call of calls) {
      const force = this.run.backOf.get(call)?.force;
      if (force) forces.set(force, (forces.get(force) ?? 0) + 1);
    }
    const said: Record<string, string> = { refused: "refused", observed: "would have been refused", warned: "let through with a note", seen: "let through, no rule spoke" };
    out.push(h("div", { class: `verdict-box ${tone}` }, h("strong", {}, [...forces].map(([force, n]) => `${n} ${said[force]}`).join(", ")),
      spent ? h("p", {}, `What went this way took ${spent}, with everything below it.`) : null));
    out.push(this.calls("Calls that went back", calls));
    return out;
  }

  private calls(title: string, calls: number[]): HTMLElement {
    const list = h("div", { class: "list", keydown: (event: KeyboardEvent) => this.listKey(event) });
    let drawn = 0;
    const more = h("button", { type: "button", class: "more", click: () => add() }, "");
    const add = () => {
      more.remove();
      list.append(...calls.slice(drawn, drawn + PART).map((c) => this.callItem(c)));
      drawn = Math.min(calls.length, drawn + PART);
      if (drawn < calls.length) {
        more.textContent = `${exact(calls.length - drawn)} more`;
        list.append(more);
      }
    };
    add();
    return this.section(`${title} (${exact(calls.length)})`, list);
  }

  /** Up and down go from item to item. */
  private listKey(event: KeyboardEvent): void {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const items = [...this.body.querySelectorAll<HTMLElement>(".list button")];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = items[at + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) next.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  private callItem(index: number): HTMLElement {
    const call = this.run.data.calls[index]!;
    const back = this.run.backOf.get(index);
    const tone = refuses(call.verdict) ? "bad" : call.verdict?.code || call.status === "error" ? "note" : back ? "seen" : "";
    const chip = call.verdict?.code ?? (back?.to_call !== undefined ? `same as ${this.run.data.calls[back.to_call]!.id}` : back ? back.kind : call.status === "error" ? "failed" : "");
    return h("button", { type: "button", class: `item call ${tone}`, click: () => this.act.show({ kind: "call", call: index }, true) },
      h("u", {}, String(call.id)), h("span", {}, h("b", {}, call.tool), h("code", {}, cut((call.arguments?.text ?? "").replace(/\s+/g, " "), 120))),
      chip ? h("i", { class: `chip ${tone}` }, chip) : null);
  }

  private callParts(index: number): Node[] {
    const call = this.run.data.calls[index]!;
    const out: Node[] = [this.head(`Call ${call.id}`, call.tool, [...this.run.path(call.frame), call.tool].join(" › "))];
    if (call.verdict?.code) out.push(this.verdictBox(call.verdict));
    const twin = this.run.twin(index);
    if (twin !== undefined) out.push(this.twinBox(index, twin));
    const comparing = twin !== undefined && this.compare;
    if (comparing) {
      const other = this.run.data.calls[twin!]!;
      out.push(this.difference("Arguments", other, call, (c) => c.arguments));
      if (call.result || !refuses(call.verdict)) out.push(this.difference("Result", other, call, (c) => c.result));
    } else {
      out.push(this.section("Arguments", this.text(call.arguments, true)));
    }
    if (!comparing || (!call.result && refuses(call.verdict))) {
      const none = refuses(call.verdict) && !call.verdict?.observed ? "The call was not run." : "There is none.";
      out.push(this.section("Result", call.result ? this.text(call.result, true) : h("p", { class: "empty" }, none)));
    }
    const turn = call.turn !== undefined ? this.run.data.turns[call.turn] : undefined;
    const facts: [string, string][] = [
      ["Status", call.status ?? "not run"], ["Later", call.later ?? ""], ["Asked a person", call.approval ?? ""],
      ["Attempts", call.attempts ? String(call.attempts) : ""],
      ["Took", call.started_us !== undefined && call.ended_us !== undefined ? duration(call.ended_us - call.started_us) : ""],
      ["At", call.proposed_us !== undefined && this.run.start !== Infinity ? `${duration(call.proposed_us - this.run.start)} after the first` : ""],
      ["Turn", turn ? `${turn.id}${turn.calls.length > 1 ? `, with ${plural(turn.calls.length - 1, "other call")}` : ""}` : ""], ["Model", turn?.model ?? ""],
      ["Own share", price(call.own)], ["With all below", call.opened ? price(call.inclusive) : ""], ["Id", call.name ?? ""],
    ];
    out.push(this.section("Facts", this.facts(facts)));
    if (turn?.text) out.push(this.section("Said beside it", h("pre", { class: "text" }, turn.text)));
    if (call.opened) {
      out.push(this.section("Started", h("div", { class: "list" }, ...call.opened.map((f) => {
        const frame = this.run.data.frames[f]!;
        return h("button", { type: "button", class: "item", click: () => this.act.show({ kind: "node", node: frame.node }) }, icon("graph"),
          h("span", {}, h("b", {}, frame.name), h("small", {}, [plural(frame.calls.length, "call"), price(frame.inclusive)].filter(Boolean).join(" · "))));
      }))));
    }
    const place = h("button", { type: "button", class: "link", click: () => this.act.show({ kind: "node", node: call.node }) }, `All calls of this ${this.run.data.graph.nodes[call.node]!.kind}`);
    out.push(h("p", { class: "links" }, place));
    return out;
  }

  private verdictBox(verdict: Verdict): HTMLElement {
    const hard = refuses(verdict);
    const counted = verdict.count ? `counted ${verdict.count}${verdict.limit ? `, the rule acts at ${verdict.limit}` : ""}` : "";
    const period = verdict.period ? `a round trip of ${verdict.period}` : "";
    return h("div", { class: `verdict-box ${hard ? "bad" : "soft"}` }, h("strong", {}, `${verdictWords(verdict)} · ${verdict.code}`),
      verdict.text ? h("p", {}, verdict.text) : null,
      counted || period || verdict.scope ? h("p", { class: "small" }, [counted, period, verdict.scope ? `limit of the ${verdict.scope}` : ""].filter(Boolean).join(" · ")) : null);
  }

  private twinBox(index: number, twin: number): HTMLElement {
    const other = this.run.data.calls[twin]!;
    const toggle = h("button", { type: "button", class: "switch", role: "switch", "aria-checked": String(this.compare), click: () => {
      this.compare = !this.compare;
      this.show({ kind: "call", call: index }, false);
      this.body.querySelector<HTMLElement>(".switch")?.focus();
    } }, `Difference to call ${other.id}`);
    return h("div", { class: "twin" }, toggle, h("button", { type: "button", class: "link", click: () => this.act.show({ kind: "call", call: twin }, true) }, `Go to call ${other.id}`));
  }

  private difference(title: string, from: Call, to: Call, part: (call: Call) => Text | undefined): HTMLElement {
    const a = part(from);
    const b = part(to);
    if (a?.kept === false || b?.kept === false) return this.section(title, h("p", { class: "empty" }, "The text was not kept, so it cannot be compared."));
    const before = pretty(a?.text ?? "");
    const after = pretty(b?.text ?? "");
    if (before === after) {
      const same = h("p", { class: "same" }, `The same in call ${from.id} and call ${to.id}${a?.cut || b?.cut ? ", as far as it is kept here" : ""}`);
      return this.section(title, same, b?.text ? this.text(b, true) : null);
    }
    const pre = h("pre", { class: "text diff" });
    const lines = diff(before, after);
    const near = lines.map((line, i) => line.kind !== "same" || lines.slice(Math.max(0, i - 3), i + 4).some((l) => l.kind !== "same"));
    let hidden = 0;
    const flush = () => {
      if (hidden > 0) pre.append(h("span", { class: "skipped" }, `${plural(hidden, "equal line")}\n`));
      hidden = 0;
    };
    lines.forEach((line, i) => {
      if (!near[i]) {
        hidden++;
        return;
      }
      flush();
      if (line.kind === "same") pre.append(h("span", { class: "line" }, `  ${line.text}\n`));
      else {
        const tag = line.kind === "removed" ? "del" : "ins";
        pre.append(h(tag, { class: "line" }, line.kind === "removed" ? "− " : "+ ", ...line.pieces.map((p) => (p.changed ? h("mark", {}, p.text) : p.text)), "\n"));
      }
    });
    flush();
    return this.section(title, h("p", { class: "key-line" }, h("del", {}, `− call ${from.id}`), h("ins", {}, `+ call ${to.id}`)), pre);
  }

  private text(text: Text | undefined, json: boolean): HTMLElement {
    if (!text || (text.kept !== false && !text.text)) return h("p", { class: "empty" }, "empty");
    if (text.kept === false) return h("p", { class: "empty" }, `${bytes(text.bytes)} that were not kept`);
    const shown = json ? pretty(text.text!) : text.text!;
    return h("div", {}, h("pre", { class: "text" }, shown), text.cut ? h("p", { class: "small" }, `of ${bytes(text.bytes)} in all`) : null);
  }
}
