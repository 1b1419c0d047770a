// The JSON that backedge graph writes (docs/graph.md), as types, and the questions that every view asks of it.

export interface Spend { tokens: number; turns?: number; nano_usd?: number; unpriced?: number; estimated?: boolean }
export interface Budget { meter: string; scope: string; limit?: number; spent?: number; source?: string }
export interface Verdict {
  word?: string; code?: string; count?: number; limit?: number; period?: number; scope?: string; text?: string;
  earlier?: number; observed?: boolean; closing?: boolean;
}
export interface Text { text?: string; bytes: number; cut?: boolean; kept?: boolean }
export interface Tokens {
  fresh_input?: number; cache_read?: number; cache_write_5m?: number; cache_write_1h?: number; output?: number; reasoning?: number;
}
export interface Frame {
  id: number; name: string; depth: number; agent?: string; by?: number; status?: string; model?: string;
  opened_us?: number; closed_us?: number; budgets?: Budget[]; turns: number[]; calls: number[]; node: number;
  own: Spend; inclusive: Spend;
}
export interface Turn {
  id: number; frame: number; calls: number[]; model?: string; stop_reason?: string; verdict?: Verdict; tokens?: Tokens;
  basis?: string; nano_usd?: number; tools_offered?: number; begun_us?: number; ended_us?: number; copied?: boolean; text?: string;
}
export interface Call {
  id: number; name?: string; tool: string; frame: number; turn?: number; arguments?: Text; result?: Text; status?: string;
  verdict?: Verdict; later?: string; approval?: string; attempts?: number; proposed_us?: number; started_us?: number;
  ended_us?: number; opened?: number[]; node: number; own: Spend; inclusive: Spend;
}
export interface BackEdge {
  from: number; kind: string; force: Force; to_call?: number; to_frame?: number; code?: string; count?: number; spend?: Spend;
}
export type Force = "seen" | "warned" | "observed" | "refused";
export interface GraphNode {
  kind: "agent" | "tool"; label: string; depth: number; count: number; own: Spend; inclusive: Spend; calls: number[];
  parent?: number; by?: string; refused?: number; warned?: number; errors?: number; frames?: number[];
}
export interface GraphEdge {
  kind: "tree" | "next" | "back" | "self"; from: number; to: number; count: number; spend: Spend; refused?: number;
  force?: Force; reasons?: Record<string, number>; calls?: number[];
}
export interface Totals {
  frames: number; turns: number; calls: number; depth: number; refused: number; observed: number; warned: number;
  tokens: Tokens; spend: Spend;
}
export interface Cost {
  talk: Spend; agents: { name: string; frames: number; own: Spend }[];
  in_circles?: { calls: number; spend: Spend; by: Record<string, { calls: number; spend: Spend }> };
  drift?: {
    requests: number; early: number; late: number;
    by_tools?: { tools: number; requests: number; tokens: number; list_tokens?: number }[];
  };
}
export interface Data {
  format: string; v: number;
  run: {
    id?: string; title?: string; source?: string; status?: string; code?: string; reason?: string; answer?: string;
    model?: string; opened_us?: number; closed_us?: number; budgets?: Budget[]; notes?: string[]; totals: Totals; cost?: Cost;
  };
  frames: Frame[]; turns: Turn[]; calls: Call[]; back_edges: BackEdge[];
  graph: { nodes: GraphNode[]; edges: GraphEdge[] };
}

export class Run {
  readonly backOf = new Map<number, BackEdge>();
  readonly start: number;
  readonly end: number;

  constructor(readonly data: Data) {
    for (const edge of data.back_edges) this.backOf.set(edge.from, edge);
    let start = Infinity;
    let end = -Infinity;
    for (const call of data.calls) {
      for (const at of [call.proposed_us, call.started_us, call.ended_us]) {
        if (at === undefined) continue;
        if (at < start) start = at;
        if (at > end) end = at;
      }
    }
    this.start = start;
    this.end = end;
  }

  /** Names from the root to a frame. */
  path(frame: number): string[] {
    const names: string[] = [];
    for (let at: number | undefined = frame; at !== undefined; ) {
      const f: Frame = this.data.frames[at]!;
      names.unshift(f.name);
      at = f.by === undefined ? undefined : this.data.calls[f.by]!.frame;
    }
    return names;
  }

  /** The call that this one repeats or was held against, if there is one to compare it with. */
  twin(call: number): number | undefined {
    const back = this.backOf.get(call);
    if (back?.to_call !== undefined) return back.to_call;
    const earlier = this.data.calls[call]!.verdict?.earlier;
    if (earlier !== undefined && earlier !== call) return earlier;
    return undefined;
  }
}

/** How bad it was, for colour and words. */
export type Tone = "none" | "good" | "note" | "bad";

export function refuses(verdict: Verdict | undefined): boolean {
  return verdict?.word !== undefined && ["block", "deny", "reject", "reuse"].includes(verdict.word);
}

export function toneOf(call: Call): Tone {
  if (refuses(call.verdict)) return "bad";
  if (call.verdict?.code || call.status === "error" || call.status === "timeout") return "note";
  return "none";
}

export function verdictWords(verdict: Verdict): string {
  const words: Record<string, string> = {
    run: "ran", warn: "ran, with a note", reuse: "not run, the earlier answer was given", serialize: "waited for another call",
    ask: "a person was asked", block: "blocked", deny: "denied", reject: "rejected", final: "the answer was asked for", stop: "stopped",
    go: "went on",
  };
  const said = words[verdict.word ?? ""] ?? verdict.word ?? "";
  if (!verdict.observed || !verdict.code) return said;
  const would: Record<string, string> = {
    reuse: "would have been given the earlier answer", block: "would have been blocked", deny: "would have been denied",
    reject: "would have been rejected", warn: "would have been noted",
  };
  return would[verdict.word ?? ""] ?? said;
}

export function reasonsOf(edge: GraphEdge): string {
  return Object.entries(edge.reasons ?? {}).map(([reason, n]) => `${reason} ×${n}`).join(", ");
}

export function isHard(force: Force | undefined): boolean {
  return force === "refused" || force === "observed";
}

/** The colour of what goes back: red, amber, or none where no rule spoke. */
export function toneOfForces(forces: (Force | undefined)[]): "back" | "soft" | "seen" {
  if (forces.some(isHard)) return "back";
  return forces.includes("warned") ? "soft" : "seen";
}
