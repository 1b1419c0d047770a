"""Cost of a digest of a tool call's arguments in Python: dumps with sorted keys, then SHA-256, at 200 B, 2 KB and 20 KB.

Method: the fastest of seven rounds of at least 0.1 s each, by the process's own CPU clock.
"""
import hashlib
import json
import time


def arguments(size):
    """The shape that bench/decision_bench.cpp makes."""
    out = {"query": "find the file that handles retries 1", "page": 3,
           "opts": {"deep": True, "tags": ["a", "b"], "limit": 25}, "path": "src/net/retry.cpp", "rows": []}
    length = len(json.dumps(out, separators=(",", ":")))
    i = 0
    while length + 40 < size:
        row = {"id": i * 7919 % 100000, "name": "item %d" % i, "v": i * 31 % 1000 + 0.5}
        out["rows"].append(row)
        length += len(json.dumps(row, separators=(",", ":"))) + 1
        i += 1
    return out


def fastest(work):
    best = float("inf")
    for _ in range(7):
        runs, start = 0, time.process_time_ns()
        while time.process_time_ns() - start < 100_000_000:
            for _ in range(50):
                work()
            runs += 50
        best = min(best, (time.process_time_ns() - start) / runs)
    return best


for size in (200, 2000, 20000):
    value = arguments(size)
    text = json.dumps(value, separators=(",", ":"))
    ns = fastest(lambda: hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).digest())
    print("%-44s %6d B   best %7.0f ns" % ("python: sorted dumps + sha256", len(text), ns))
