# SPDX-License-Identifier: Apache-2.0
"""One engine, one case, one thread count, in a process of its own; bench/peers/run.py starts it.

Protocol: one JSON object a line, requests on stdin, one reply each on stdout.
  at start   -> {"version", "precision", "load_ms", "first_ms", "base_rss_mb"}
  {"do": "turn", "runs": N, "min_ms": T}  -> {"ms": [...]}   N runs or more, until T ms have passed
  {"do": "outputs", "path": FILE.npz}     -> {"names": [...]} outputs of every feed, "feed/output"
  {"do": "stop"}                          -> {"peak_rss_mb"}
A failure at any point -> {"error": text}, and the process ends.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH))


def memory_mb(field: str) -> float:
    """VmHWM (peak) or VmRSS (now). getrusage would count the parent's peak before exec too."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return float("nan")


def cycle(engine, feeds) -> float:
    """Runs every feed once; the mean time of one run in ms."""
    start = time.perf_counter_ns()
    for feed in feeds:
        engine.run(feed)
    return (time.perf_counter_ns() - start) / 1e6 / len(feeds)


def turn(engine, feeds, runs: int, min_ms: float) -> dict:
    # The first cycle after another process had the caches is not what is measured.
    cycle(engine, feeds)
    times: list[float] = []
    end = time.perf_counter() + min_ms / 1e3
    while len(times) < runs or time.perf_counter() < end:
        times.append(cycle(engine, feeds))
    return {"ms": times}


def save_outputs(engine, feeds, path: str) -> dict:
    import numpy as np

    arrays = {}
    names: list[str] = []
    for index, feed in enumerate(feeds):
        outputs = engine.run(feed)
        names = list(outputs)
        for position, value in enumerate(outputs.values()):
            arrays[f"{index}/{position}"] = np.array(value)
    np.savez(path, **arrays)
    return {"names": names}


def serve(engine_name: str, case_id: str, threads: int, requests, reply) -> None:
    from models.get_models import model_path
    from models.suite import by_name

    from peers import engines

    model_name, _, label = case_id.partition(":")
    model = by_name(model_name)
    case = next(c for c in model.cases if c.label == label)
    feeds = model.feeds(case)
    shapes = {k: list(v.shape) for k, v in feeds[0].items()} if case.one_shape else None

    engine = engines.create(engine_name, threads)
    base_mb = memory_mb("VmRSS")
    start = time.perf_counter()
    engine.load(model_path(model_name), shapes)
    loaded = time.perf_counter()
    engine.run(feeds[0])
    first = time.perf_counter()
    reply(
        version=engine.version,
        precision=engine.precision,
        load_ms=1e3 * (loaded - start),
        first_ms=1e3 * (first - loaded),
        base_rss_mb=base_mb,
    )
    for line in requests:
        request = json.loads(line)
        if request["do"] == "turn":
            reply(**turn(engine, feeds, request["runs"], request["min_ms"]))
        elif request["do"] == "outputs":
            reply(**save_outputs(engine, feeds, request["path"]))
        else:
            reply(peak_rss_mb=memory_mb("VmHWM"))
            return


def main() -> None:
    engine_name, case_id, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    # Engines may print: only replies go to the real stdout, everything else to stderr.
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def reply(**fields) -> None:
        channel.write(json.dumps(fields) + "\n")
        channel.flush()

    allowed = sorted(os.sched_getaffinity(0))
    # The last cores: the first one serves most interrupts.
    os.sched_setaffinity(0, allowed[-min(threads, len(allowed)) :])
    try:
        serve(engine_name, case_id, threads, sys.stdin, reply)
    except Exception as error:  # an engine's failure is a result, whatever its type
        reply(error=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
