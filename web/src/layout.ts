// Where boxes and lines go: elkjs in a worker of its own, so that the page answers while it thinks.
//
// The engine's text stands in the page (vite.config.ts) and is started from a blob. Where a browser allows no worker, a
// plain layered order of our own stands in, with straight lines.

import ELK, { type ElkExtendedEdge, type ElkNode } from "elkjs/lib/elk-api.js";

export interface Box { id: string; width: number; height: number }
export interface Line { id: string; from: string; to: string; label?: { width: number; height: number }; weight: number }
export interface Point { x: number; y: number }
export interface Placed {
  width: number;
  height: number;
  boxes: Map<string, Point>;
  lines: Map<string, { points: Point[]; label?: Point }>;
}

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.layered.feedbackEdges": "true",
  "elk.layered.spacing.nodeNodeBetweenLayers": "56",
  "elk.spacing.nodeNode": "18",
  "elk.spacing.edgeNode": "18",
  "elk.spacing.edgeEdge": "12",
  "elk.layered.spacing.edgeNodeBetweenLayers": "18",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "10",
  "elk.spacing.edgeLabel": "4",
  "elk.spacing.nodeSelfLoop": "14",
  "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
  "elk.layered.cycleBreaking.strategy": "MODEL_ORDER",
  "elk.padding": "[top=24,left=24,bottom=24,right=24]",
};

type Engine = { layout(graph: ElkNode): Promise<ElkNode> };
let engine: Engine | undefined;

function start(): Engine {
  const text = document.getElementById("engine")?.textContent ?? "";
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  return new ELK({ workerFactory: () => new Worker(url) });
}

/** Begins to load the engine; called once the first paint is done. */
export function warm(): void {
  try {
    engine ??= start();
  } catch {
    engine = undefined;
  }
}

export async function place(boxes: Box[], lines: Line[], down = false): Promise<Placed> {
  try {
    warm();
    if (engine === undefined) return plain(boxes, lines);
    const graph: ElkNode = {
      id: "root",
      layoutOptions: { ...OPTIONS, "elk.direction": down ? "DOWN" : "RIGHT" },
      children: boxes.map((b) => ({ id: b.id, width: b.width, height: b.height })),
      edges: lines.map((l): ElkExtendedEdge => ({
        id: l.id,
        sources: [l.from],
        targets: [l.to],
        labels: l.label ? [{ text: "x", width: l.label.width, height: l.label.height, layoutOptions: { "elk.edgeLabels.inline": "true" } }] : [],
        layoutOptions: { "elk.layered.priority.straightness": String(l.weight), "elk.layered.priority.direction": String(l.weight) },
      })),
    };
    return read(await engine.layout(graph));
  } catch (error) {
    console.info("the layout engine does not run here, a plain order is drawn instead:", error);
    return plain(boxes, lines);
  }
}

function read(root: ElkNode): Placed {
  const out: Placed = { width: root.width ?? 0, height: root.height ?? 0, boxes: new Map(), lines: new Map() };
  for (const child of root.children ?? []) out.boxes.set(child.id, { x: child.x ?? 0, y: child.y ?? 0 });
  for (const edge of (root.edges ?? []) as ElkExtendedEdge[]) {
    const points: Point[] = [];
    for (const section of edge.sections ?? []) {
      points.push(section.startPoint, ...(section.bendPoints ?? []), section.endPoint);
    }
    const label = edge.labels?.[0];
    const at = label && label.x !== undefined && label.y !== undefined ? { x: label.x, y: label.y } : undefined;
    out.lines.set(edge.id, at ? { points, label: at } : { points });
  }
  return out;
}

/** Layers by distance from the first box, each layer a column. */
function plain(boxes: Box[], lines: Line[]): Placed {
  const layer = new Map<string, number>();
  const next = new Map<string, string[]>();
  for (const line of lines) next.set(line.from, [...(next.get(line.from) ?? []), line.to]);
  for (const box of boxes) {
    if (layer.has(box.id)) continue;
    layer.set(box.id, 0);
    for (const queue = [box.id]; queue.length > 0; ) {
      const at = queue.shift()!;
      for (const to of next.get(at) ?? []) {
        if (layer.has(to)) continue;
        layer.set(to, layer.get(at)! + 1);
        queue.push(to);
      }
    }
  }
  const out: Placed = { width: 0, height: 0, boxes: new Map(), lines: new Map() };
  const used = new Map<number, number>();
  const size = new Map(boxes.map((b) => [b.id, b]));
  for (const box of boxes) {
    const column = layer.get(box.id)!;
    const y = used.get(column) ?? 24;
    const x = 24 + column * 320;
    out.boxes.set(box.id, { x, y });
    used.set(column, y + box.height + 24);
    out.width = Math.max(out.width, x + box.width + 24);
    out.height = Math.max(out.height, y + box.height + 24);
  }
  for (const line of lines) {
    const a = out.boxes.get(line.from)!;
    const b = out.boxes.get(line.to)!;
    const from = size.get(line.from)!;
    const to = size.get(line.to)!;
    const start = { x: a.x + from.width, y: a.y + from.height / 2 };
    const end = { x: b.x, y: b.y + to.height / 2 };
    const points = line.from === line.to
      ? [{ x: a.x + from.width - 30, y: a.y }, { x: a.x + from.width - 30, y: a.y - 12 }, { x: a.x + from.width + 12, y: a.y - 12 },
         { x: a.x + from.width + 12, y: a.y + from.height / 2 }, { x: a.x + from.width, y: a.y + from.height / 2 }]
      : [start, end];
    out.lines.set(line.id, { points, label: { x: (start.x + end.x) / 2 - (line.label?.width ?? 0) / 2, y: (start.y + end.y) / 2 } });
  }
  return out;
}
