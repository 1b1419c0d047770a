// Puts the page together: reads the data, draws head, picture or timeline, and details; keys and links.
//
// What is picked stands in the address behind "#" (#call=12, #node=3), so that a reload and a link find it again.

import { Run, type Data } from "./data";
import { h, icon } from "./dom";
import { cut, duration, exact, money, plural, tokens } from "./format";
import { GraphView, type Picked } from "./graphview";
import { warm } from "./layout";
import { Panel, type Subject } from "./panel";
import "./style.css";
import { Timeline } from "./timeline";

type View = "graph" | "timeline";

class App {
  private readonly run: Run;
  private readonly graph: GraphView;
  private readonly timeline: Timeline;
  private readonly panel: Panel;
  private readonly searchBox: HTMLInputElement;
  private readonly found: HTMLElement;
  private readonly stage: HTMLElement;
  private readonly tabs = new Map<View, HTMLButtonElement>();
  private readonly help: HTMLDialogElement;
  private view: View = "graph";
  private subject: Subject = { kind: "run" };
  private history: Subject[] = [];

  constructor(private readonly data: Data, root: HTMLElement) {
    this.run = new Run(data);
    this.graph = new GraphView(this.run, (picked, focus) => this.show(picked ?? { kind: "run" }, focus, false));
    this.timeline = new Timeline(this.run, (call, focus) => this.show({ kind: "call", call }, focus, false));
    this.panel = new Panel(this.run, { show: (subject, focus) => this.show(subject, focus ?? true, true), back: () => this.back() });
    this.searchBox = h("input", { type: "search", placeholder: "Search calls", "aria-label": "Search calls: tools, arguments, results, codes", spellcheck: "false",
      autocomplete: "off", input: () => this.search(), keydown: (event: KeyboardEvent) => this.searchKey(event) });
    this.found = h("span", { class: "found", role: "status" });
    this.stage = h("main", { class: "stage" }, this.graph.element, this.timeline.element);
    this.help = this.helpDialog();
    root.replaceChildren(this.bar(), this.numbers(), h("div", { class: "work" }, this.stage, this.panel.element), this.help);
    document.title = `${cut(data.run.title || data.run.id || "run", 60)} – Backedge call graph`;
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => this.fromAddress());
    // Also when the panel takes more of a phone's screen.
    new ResizeObserver(() => {
      this.graph.resized();
      this.timeline.shown();
    }).observe(this.stage);
    this.setView("graph");
    this.panel.show(this.subject, false);
    this.fromAddress();
  }

  private bar(): HTMLElement {
    const tab = (view: View, name: string, label: string) => {
      const button = h("button", { type: "button", role: "tab", title: `${label} (${label[0]!.toLowerCase()})`, click: () => this.setView(view) }, icon(name), h("span", {}, label));
      this.tabs.set(view, button);
      return button;
    };
    const { run } = this.data;
    const status = run.status ? h("span", { class: `status ${run.status === "finished" ? "good" : run.status === "open" ? "note" : "bad"}` }, run.status) : null;
    return h("header", { class: "bar" },
      h("div", { class: "brand" }, icon("back"), h("b", {}, "Backedge")),
      h("h1", { title: run.title || run.id }, cut((run.title || run.id || "").replace(/\s+/g, " "), 140)), status,
      h("div", { class: "find" }, this.searchBox, this.found, h("kbd", { "aria-hidden": "true" }, "/")),
      h("div", { class: "tabs", role: "tablist", "aria-label": "View" }, tab("graph", "graph", "Graph"), tab("timeline", "time", "Timeline")),
      h("button", { type: "button", class: "tool", "aria-label": "Dark or light", title: "Dark or light", click: () => this.theme() }, icon("sun")),
      h("button", { type: "button", class: "tool", "aria-label": "Help", title: "Help (?)", click: () => this.help.showModal() }, icon("help")));
  }

  private numbers(): HTMLElement {
    const { run } = this.data;
    const t = run.totals;
    const ran = t.calls - t.refused;
    const number = (value: string, name: string, tone = "") => h("div", { class: `number ${tone}` }, h("b", {}, value), h("span", {}, name));
    const word = (n: number, one: string) => plural(n, one).replace(/^[\d,]+ /, "");
    return h("div", { class: "numbers", role: "group", "aria-label": "The run in numbers", tabindex: 0 },
      number(exact(ran), word(ran, "call")), number(exact(t.turns), word(t.turns, "turn")), number(exact(t.frames), word(t.frames, "agent")),
      t.depth > 0 && number(String(t.depth), "deep"),
      t.refused > 0 && number(exact(t.refused), "refused", "bad"), t.observed > 0 && number(exact(t.observed), "would be refused", "bad"),
      t.warned > 0 && number(exact(t.warned), "noted", "note"),
      t.spend.tokens > 0 && number(tokens(t.spend).replace(" tokens", ""), "tokens"),
      t.spend.nano_usd !== undefined && number(money(t.spend.nano_usd), t.spend.unpriced ? "cost, in part" : "cost"),
      run.opened_us !== undefined && run.closed_us !== undefined && run.closed_us > run.opened_us && number(duration(run.closed_us - run.opened_us), "time"),
      run.model ? number(cut(run.model, 28), "model", "wide") : null);
  }

  private helpDialog(): HTMLDialogElement {
    const keys: [string, string][] = [
      ["Tab", "to the boxes and the lines that go back"], ["← ↑ ↓ →", "from box to box, or through the timeline"], ["Enter", "opens what is marked"],
      ["+ −", "unfolds and folds an agent"], ["Escape", "back, and in the end the whole run"], ["/", "search"], ["b", "the next line that goes back"],
      ["g  t", "graph, timeline"], ["0", "show all"], ["?", "this text"],
    ];
    const dialog: HTMLDialogElement = h("dialog", { "aria-label": "Help", click: (event: MouseEvent) => event.target === dialog && dialog.close() },
      h("div", { class: "help" }, h("h2", {}, "How to read it"),
        h("p", {}, "A box is an agent (dark) or a tool (light), as often as it was called at that place of the call path. The thin stripe is its share of the tokens. Grey lines lead from a caller to what it called."),
        h("p", {}, "A red line goes back: to an agent that stands on the path already, or to a call that was made before. It says which rule spoke, how often, and what that took. Amber lines went back too, with a note; of grey ones no rule had anything to say."),
        h("dl", { class: "keys" }, ...keys.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
        h("button", { type: "button", class: "primary", click: () => dialog.close() }, "Close")));
    return dialog;
  }

  private setView(view: View, focus = false): void {
    this.view = view;
    this.stage.dataset.view = view;
    for (const [name, button] of this.tabs) button.setAttribute("aria-selected", String(name === view));
    if (view === "timeline") this.timeline.shown();
    else this.graph.resized();
    if (focus) (view === "graph" ? this.graph : this.timeline).focus();
  }

  /** Shows something in the panel, and marks it in both views. `reveal`: also brings it into sight there. */
  private show(subject: Subject, focus: boolean, reveal: boolean): void {
    const before = JSON.stringify(this.subject);
    if (JSON.stringify(subject) !== before) {
      if (this.subject.kind !== "run") this.history.push(this.subject);
      if (subject.kind === "run") this.history = [];
    }
    this.set(subject, focus, reveal);
  }

  private set(subject: Subject, focus: boolean, reveal: boolean): void {
    this.subject = subject;
    this.panel.show(subject, focus);
    const picked: Picked | undefined = subject.kind === "call" ? { kind: "node", node: this.data.calls[subject.call]!.node }
      : subject.kind === "run" ? undefined : subject;
    void this.graph.select(picked, reveal || subject.kind === "call");
    this.timeline.select(subject.kind === "call" ? subject.call : undefined);
    const mark = subject.kind === "call" ? `#call=${this.data.calls[subject.call]!.id}` : subject.kind === "node" ? `#node=${subject.node}`
      : subject.kind === "edge" ? `#edge=${subject.edges.join(",")}` : "";
    if (location.hash !== mark) history.replaceState(null, "", mark || location.pathname + location.search);
  }

  private back(): void {
    const last = this.history.pop();
    this.set(last ?? { kind: "run" }, false, true);
    (this.view === "graph" ? this.graph : this.timeline).focus();
  }

  private fromAddress(): void {
    const match = /^#(call|node|edge)=(\d+(?:,\d+)*)$/.exec(location.hash);
    if (!match) return;
    const numbers = match[2]!.split(",").map(Number);
    const { calls, graph } = this.data;
    if (match[1] === "call") {
      const call = calls.findIndex((c) => c.id === numbers[0]);
      if (call >= 0) this.set({ kind: "call", call }, false, true);
    } else if (match[1] === "node" && graph.nodes[numbers[0]!]) {
      this.set({ kind: "node", node: numbers[0]! }, false, true);
    } else if (match[1] === "edge" && numbers.every((n) => graph.edges[n])) {
      this.set({ kind: "edge", edges: numbers }, false, true);
    }
  }

  private hits(): number[] {
    const words = this.searchBox.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const out: number[] = [];
    this.data.calls.forEach((call, i) => {
      const text = `${call.id} ${call.tool} ${call.arguments?.text ?? ""} ${call.result?.text ?? ""} ${call.verdict?.code ?? ""} ${call.verdict?.word ?? ""} ${call.status ?? ""} ${this.data.frames[call.frame]!.name}`.toLowerCase();
      if (words.every((word) => text.includes(word))) out.push(i);
    });
    return out;
  }

  private search(): void {
    const hits = this.hits();
    const asked = this.searchBox.value.trim() !== "";
    this.found.textContent = asked ? exact(hits.length) : "";
    const set = new Set(hits);
    this.timeline.search(asked ? (call) => set.has(call) : undefined);
    if (asked && this.view !== "timeline") this.setView("timeline");
  }

  private searchKey(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      this.searchBox.value = "";
      this.search();
      this.setView(this.view, true);
    } else if (event.key === "Enter") {
      const first = this.hits()[0];
      if (first !== undefined) this.show({ kind: "call", call: first }, false, true);
      this.timeline.focus();
    } else if (event.key === "ArrowDown") {
      this.timeline.focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    const target = event.target as HTMLElement;
    if (target === this.searchBox) return;
    const act: Record<string, () => void> = {
      "/": () => this.searchBox.focus(), "?": () => this.help.showModal(), Escape: () => this.back(),
      g: () => this.setView("graph", true), t: () => this.setView("timeline", true), "0": () => this.graph.fit(),
      b: () => {
        if (this.view !== "graph") this.setView("graph");
        this.graph.nextBack();
      },
      ArrowDown: () => (this.view === "graph" ? this.graph : this.timeline).focus(), ArrowRight: () => (this.view === "graph" ? this.graph : this.timeline).focus(),
    };
    const run = act[event.key];
    if (!run || (event.key.startsWith("Arrow") && target !== document.body)) return;
    event.preventDefault();
    run();
  }

  private theme(): void {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  async start(): Promise<void> {
    await this.graph.draw();
    performance.mark("backedge-drawn");
    if (location.hash) this.fromAddress();
  }
}

function begin(): void {
  const root = document.getElementById("app")!;
  const text = document.getElementById("data")?.textContent ?? "";
  let data: Data;
  try {
    data = JSON.parse(text) as Data;
    if (data.format !== "backedge.graph") throw new Error("it is not of the form backedge.graph");
    if (data.v > 1) throw new Error(`its version is ${data.v}, and this page reads version 1`);
  } catch (error) {
    root.replaceChildren(h("p", { class: "broken" }, `The data in this page cannot be read: ${String(error instanceof Error ? error.message : error)}`));
    return;
  }
  const app = new App(data, root);
  // The first paint comes before the layout engine is even looked at.
  requestAnimationFrame(() => setTimeout(() => {
    warm();
    void app.start();
  }));
}

begin();
