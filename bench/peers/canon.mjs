// Cost of a digest of a tool call's arguments in Node: canonicalize (RFC 8785), then SHA-256, at 200 B, 2 KB and 20 KB.
// Method: the fastest of seven rounds of at least 0.1 s each, after a warm-up, by the wall clock.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

// The shape that bench/decision_bench.cpp makes.
function argumentsOf(size) {
  const out = { query: 'find the file that handles retries 1', page: 3, opts: { deep: true, tags: ['a', 'b'], limit: 25 }, path: 'src/net/retry.cpp', rows: [] };
  for (let i = 0, length = JSON.stringify(out).length; length + 40 < size; ++i) {
    const row = { id: (i * 7919) % 100000, name: `item ${i}`, v: ((i * 31) % 1000) + 0.5 };
    out.rows.push(row);
    length += JSON.stringify(row).length + 1;
  }
  return out;
}

function fastest(work) {
  for (let i = 0; i < 2000; ++i) work();
  let best = Infinity;
  for (let round = 0; round < 7; ++round) {
    const start = process.hrtime.bigint();
    let runs = 0;
    let spent = 0;
    while (spent < 1e8) {
      for (let i = 0; i < 50; ++i) work();
      runs += 50;
      spent = Number(process.hrtime.bigint() - start);
    }
    best = Math.min(best, spent / runs);
  }
  return best;
}

for (const size of [200, 2000, 20000]) {
  const value = argumentsOf(size);
  const ns = fastest(() => createHash('sha256').update(canonicalize(value)).digest());
  console.log(`${'node: canonicalize + sha256'.padEnd(44)} ${String(JSON.stringify(value).length).padStart(6)} B   best ${ns.toFixed(0).padStart(7)} ns`);
}
