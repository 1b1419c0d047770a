// Which part of the graph is drawn: aggregated first, more on demand.
//
// An agent that is folded stands for everything below it. Of an agent's many tools only those that matter are drawn at
// first (something went back or was refused or failed, then the most tokens); the rest is one box, "7 more tools".

import type { GraphEdge, GraphNode } from "./data";

export const MOST_BOXES = 60;
export const MOST_TOOLS = 12;

export interface Shown {
  /** "n12" a node, "m3" the further tools of agent 3. */
  id: string;
  node: number;
  more?: number[];
}
export interface ShownEdge { id: string; from: string; to: string; edges: GraphEdge[]; kind: GraphEdge["kind"] }

export class Folding {
  readonly open = new Set<number>();  // agents whose callees are drawn
  readonly all = new Set<number>();   // agents of which every tool is drawn
  private readonly children: number[][];
  private readonly marked = new Set<number>();

  constructor(private readonly nodes: GraphNode[], private readonly edges: GraphEdge[]) {
    this.children = nodes.map(() => []);
    nodes.forEach((node, i) => {
      if (node.parent !== undefined) this.children[node.parent]!.push(i);
      if (node.refused || node.errors) this.marked.add(i);
    });
    for (const edge of edges) {
      if (edge.kind === "tree") continue;
      this.marked.add(edge.from);
      this.marked.add(edge.to);
    }
    this.openFirst();
  }

  /** Agents from the root on, as long as what is drawn stays readable. */
  private openFirst(): void {
    const queue = this.nodes.flatMap((node, i) => (node.parent === undefined ? [i] : []));
    let boxes = queue.length;
    while (queue.length > 0) {
      const agent = queue.shift()!;
      const below = this.children[agent]!;
      const tools = below.filter((i) => this.nodes[i]!.kind === "tool").length;
      const more = below.length - tools + Math.min(tools, MOST_TOOLS + 1);
      if (boxes + more > MOST_BOXES && boxes > 1) continue;
      boxes += more;
      this.open.add(agent);
      queue.push(...below.filter((i) => this.nodes[i]!.kind === "agent"));
    }
  }

  hasChildren(agent: number): boolean {
    return this.children[agent]!.length > 0;
  }

  toggle(agent: number): void {
    if (!this.open.delete(agent)) this.open.add(agent);
  }

  /** Opens whatever hides a node. */
  reveal(node: number): void {
    const parent = this.nodes[node]!.parent;
    if (parent !== undefined && this.nodes[node]!.kind === "tool" && !this.firstTools(parent).includes(node)) this.all.add(parent);
    for (let at = parent; at !== undefined; at = this.nodes[at]!.parent) this.open.add(at);
  }

  private firstTools(agent: number): number[] {
    const tools = this.children[agent]!.filter((i) => this.nodes[i]!.kind === "tool");
    if (this.all.has(agent) || tools.length <= MOST_TOOLS + 1) return tools;
    const weight = (i: number) => (this.marked.has(i) ? 1e15 : 0) + this.nodes[i]!.own.tokens;
    const first = new Set([...tools].sort((a, b) => weight(b) - weight(a)).slice(0, MOST_TOOLS));
    return tools.filter((i) => first.has(i));
  }

  shown(): { boxes: Shown[]; lines: ShownEdge[] } {
    const boxes: Shown[] = [];
    const standsFor = new Map<number, string>();
    const take = (node: number) => {
      boxes.push({ id: `n${node}`, node });
      standsFor.set(node, `n${node}`);
    };
    const stack = this.nodes.flatMap((node, i) => (node.parent === undefined ? [i] : [])).reverse();
    while (stack.length > 0) {
      const at = stack.pop()!;
      take(at);
      if (this.nodes[at]!.kind === "tool" || !this.open.has(at)) continue;
      const tools = new Set(this.firstTools(at));
      const rest = this.children[at]!.filter((i) => this.nodes[i]!.kind === "tool" && !tools.has(i));
      if (rest.length > 0) {
        boxes.push({ id: `m${at}`, node: at, more: rest });
        for (const i of rest) standsFor.set(i, `m${at}`);
      }
      const drawn = this.children[at]!.filter((i) => this.nodes[i]!.kind === "agent" || tools.has(i));
      stack.push(...drawn.reverse());
    }
    this.nodes.forEach((node, i) => {
      if (standsFor.has(i)) return;
      standsFor.set(i, standsFor.get(node.parent!)!);  // parents come first
    });
    return { boxes, lines: this.lines(standsFor) };
  }

  private lines(standsFor: Map<number, string>): ShownEdge[] {
    const out = new Map<string, ShownEdge>();
    for (const edge of this.edges) {
      const from = standsFor.get(edge.from)!;
      const to = standsFor.get(edge.to)!;
      const back = edge.kind === "back" || edge.kind === "self";
      if (from === to && !back) continue;
      const kind = !back ? edge.kind : from === to ? "self" : "back";
      const id = `${kind}:${from}:${to}`;
      const known = out.get(id);
      if (known) known.edges.push(edge);
      else out.set(id, { id, from, to, kind, edges: [edge] });
    }
    return [...out.values()];
  }
}
