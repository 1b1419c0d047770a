// The difference of two texts: for thousands of random texts it gives both back, and is no longer than it must be.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const source = readFileSync(new URL("../../web/src/diff.ts", import.meta.url), "utf8");
const script = require("esbuild").transformSync(source, { loader: "ts", format: "esm" }).code;
const { diff } = await import(`data:text/javascript;base64,${Buffer.from(script).toString("base64")}`);

const text = (line) => (line.kind === "same" ? line.text : line.pieces.map((p) => p.text).join(""));
const side = (lines, other) => lines.filter((l) => l.kind !== other).map(text).join("\n");

/** Length of the longest common subsequence, the slow and certain way. */
function common(a, b) {
  let row = new Array(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    b.forEach((y, j) => next.push(x === y ? row[j] + 1 : Math.max(row[j + 1], next[j])));
    row = next;
  }
  return row[b.length];
}

test("it gives both texts back and keeps as many lines as can be kept", () => {
  let seed = 7;
  const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  for (let round = 0; round < 3000; round++) {
    const make = () => Array.from({ length: random(9) + 1 }, () => "abcd"[random(4)]).join("\n");
    const a = make();
    const b = make();
    const lines = diff(a, b);
    assert.equal(side(lines, "added"), a);
    assert.equal(side(lines, "removed"), b);
    assert.equal(lines.filter((l) => l.kind === "same").length, common(a.split("\n"), b.split("\n")), `${JSON.stringify(a)} ${JSON.stringify(b)}`);
  }
});

test("of a changed line only the changed words are marked", () => {
  const lines = diff('{"path": "a.txt", "limit": 5}', '{"path": "b.txt", "limit": 5}');
  assert.deepEqual(lines.map((l) => l.pieces.filter((p) => p.changed).map((p) => p.text)), [["a"], ["b"]]);
});

test("texts without anything in common are replaced as a whole, also long ones", () => {
  const a = Array.from({ length: 3000 }, (_, i) => `a${i}`).join("\n");
  const b = Array.from({ length: 3000 }, (_, i) => `b${i}`).join("\n");
  const lines = diff(a, b);
  assert.equal(lines.length, 6000);
  assert.equal(side(lines, "added"), a);
});
