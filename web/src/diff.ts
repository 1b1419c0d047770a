// What differs between two texts: by lines, and within changed lines by words.
//
// Myers' greedy algorithm ("An O(ND) Difference Algorithm and Its Variations", 1986). Texts that differ by more than
// MOST_EDITS are shown as wholly replaced rather than looked at for long.

const MOST_EDITS = 1200;

export interface Piece { text: string; changed: boolean }
export type Line =
  | { kind: "same"; text: string; a: number; b: number }
  | { kind: "removed"; pieces: Piece[]; a: number }
  | { kind: "added"; pieces: Piece[]; b: number };

type Edit = { kind: "same" | "removed" | "added"; a: number; b: number };

/** Edits that make `b` of `a`, in order; undefined when there would be more than MOST_EDITS. */
function edits(a: readonly string[], b: readonly string[]): Edit[] | undefined {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const n = a.length - head - tail;
  const m = b.length - head - tail;
  const most = Math.min(n + m, MOST_EDITS);
  const size = 2 * most + 3;
  const middle = most + 1;
  const reach = new Int32Array(size);
  const history: Int32Array[] = [];
  let found = -1;
  for (let d = 0; d <= most && found < 0; d++) {
    history.push(reach.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach[middle + k - 1]! < reach[middle + k + 1]!);
      let x = down ? reach[middle + k + 1]! : reach[middle + k - 1]! + 1;
      while (x < n && x - k < m && a[head + x] === b[head + x - k]) x++;
      reach[middle + k] = x;
      if (x >= n && x - k >= m) found = d;
    }
  }
  if (found < 0) return undefined;
  const out: Edit[] = [];
  let x = n;
  let y = m;
  const same = () => out.push({ kind: "same", a: head + --x, b: head + --y });
  for (let d = found; d > 0; d--) {
    const before = history[d]!;
    const at = (k: number) => before[k + d + 1]!;
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const fromX = down ? at(k + 1) : at(k - 1);
    const fromY = fromX - (down ? k + 1 : k - 1);
    while (x > fromX && y > fromY) same();
    if (down) out.push({ kind: "added", a: -1, b: head + --y });
    else out.push({ kind: "removed", a: head + --x, b: -1 });
  }
  while (x > 0) same();
  out.reverse();
  const first: Edit[] = [];
  for (let i = 0; i < head; i++) first.push({ kind: "same", a: i, b: i });
  const last: Edit[] = [];
  for (let i = 0; i < tail; i++) last.push({ kind: "same", a: a.length - tail + i, b: b.length - tail + i });
  return [...first, ...out, ...last];
}

function whole(a: readonly string[], b: readonly string[]): Edit[] {
  return [
    ...a.map((_, i): Edit => ({ kind: "removed", a: i, b: -1 })),
    ...b.map((_, i): Edit => ({ kind: "added", a: -1, b: i })),
  ];
}

/** Words, and what stands between them. */
function words(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function refine(from: string, to: string): [Piece[], Piece[]] {
  const a = words(from);
  const b = words(to);
  const found = edits(a, b);
  const same = found?.filter((e) => e.kind === "same" && a[e.a]!.trim() !== "").length ?? 0;
  // With nothing in common but blanks, marks on single words say less than the whole line.
  if (found === undefined || same === 0) return [[{ text: from, changed: true }], [{ text: to, changed: true }]];
  const left: Piece[] = [];
  const right: Piece[] = [];
  const put = (list: Piece[], text: string, changed: boolean) => {
    const last = list[list.length - 1];
    if (last !== undefined && last.changed === changed) last.text += text;
    else list.push({ text, changed });
  };
  for (const e of found) {
    if (e.kind !== "added") put(left, a[e.a]!, e.kind === "removed");
    if (e.kind !== "removed") put(right, b[e.b]!, e.kind === "added");
  }
  return [left, right];
}

/** The lines of both texts in one list; changed lines that face each other are marked word by word. */
export function diff(from: string, to: string): Line[] {
  const a = from.split("\n");
  const b = to.split("\n");
  const list = edits(a, b) ?? whole(a, b);
  const out: Line[] = [];
  for (let i = 0; i < list.length; ) {
    const e = list[i]!;
    if (e.kind === "same") {
      out.push({ kind: "same", text: a[e.a]!, a: e.a, b: e.b });
      i++;
      continue;
    }
    const removed: number[] = [];
    const added: number[] = [];
    for (; i < list.length && list[i]!.kind !== "same"; i++) {
      if (list[i]!.kind === "removed") removed.push(list[i]!.a);
      else added.push(list[i]!.b);
    }
    const pairs = Math.min(removed.length, added.length);
    const refined: [Piece[], Piece[]][] = [];
    for (let p = 0; p < pairs; p++) refined.push(refine(a[removed[p]!]!, b[added[p]!]!));
    removed.forEach((line, p) =>
      out.push({ kind: "removed", a: line, pieces: refined[p]?.[0] ?? [{ text: a[line]!, changed: true }] }));
    added.forEach((line, p) =>
      out.push({ kind: "added", b: line, pieces: refined[p]?.[1] ?? [{ text: b[line]!, changed: true }] }));
  }
  return out;
}
