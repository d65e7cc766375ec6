#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares compiled engines with the same modules run eagerly by PyTorch.

    python bench/eager/run.py --threads 1,2 --json out.json

A process each, bound to as many cores as it has threads; they take turns, so that a slow phase of
the machine falls on both. speed-up: eager's median over the engine's. The outputs are compared
before anything is timed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH))

TURNS = 8  # A B, B A, four times
TOLERANCE = 1e-4  # of the largest output


def worker(engine: str, name: str, threads: int, scratch: Path) -> None:
    """Serves one line a request: 'output' writes the output, 'turn N MS' runs N times or more."""
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[-min(threads, len(allowed)) :])
    import numpy as np
    import torch

    from eager import models

    torch.set_num_threads(threads)
    model, example = models.make(name)
    if engine == "eager":

        def run():
            with torch.inference_mode():
                return model(example)
    else:
        import npugraph

        path = scratch / f"{name}.onnx"
        torch.onnx.export(
            model, (example,), str(path), dynamo=False, opset_version=17, input_names=["x"]
        )
        session = npugraph.Session(npugraph.compile(path), threads=threads)
        feed = {"x": example.numpy()}
        key = session.outputs[0].name

        def run():
            return session.run(feed)[key]

    for line in sys.stdin:
        words = line.split()
        if words[0] == "output":
            np.save(scratch / f"{engine}.npy", np.asarray(run()))
            print("[]", file=sys.stderr, flush=True)
            continue
        run()
        times, end = [], time.perf_counter() + float(words[2]) / 1e3
        while len(times) < int(words[1]) or time.perf_counter() < end:
            start = time.perf_counter_ns()
            run()
            times.append((time.perf_counter_ns() - start) / 1e6)
        print(json.dumps(times), file=sys.stderr, flush=True)


def start(engine: str, name: str, threads: int, scratch: str) -> subprocess.Popen:
    command = [sys.executable, "-W", "ignore", __file__, "--worker", engine, name, str(threads)]
    return subprocess.Popen(
        [*command, scratch],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def ask(process: subprocess.Popen, request: str) -> list[float]:
    process.stdin.write(request + "\n")
    process.stdin.flush()
    seen = []
    for line in process.stderr:  # exporters print there too
        if line.startswith("["):
            return json.loads(line)
        seen.append(line)
    raise RuntimeError("".join(seen[-20:]))


def measure(name: str, threads: int, runs: int) -> dict:
    import numpy as np

    with tempfile.TemporaryDirectory() as scratch:
        workers = {e: start(e, name, threads, scratch) for e in ("eager", "npugraph")}
        try:
            for process in workers.values():
                ask(process, "output")
            ours, theirs = (np.load(Path(scratch) / f"{e}.npy") for e in ("npugraph", "eager"))
            error = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
            if not error < TOLERANCE:
                raise RuntimeError(f"{name}: outputs differ by {error:.2e} of the largest")
            times: dict[str, list[float]] = {e: [] for e in workers}
            for turn in range(TURNS):
                for engine in list(workers)[:: 1 if turn % 2 == 0 else -1]:
                    time.sleep(0.02)  # lets the other's spinning threads go to sleep
                    times[engine] += ask(workers[engine], f"turn {-(-runs // TURNS)} 40")
        finally:
            for process in workers.values():
                process.stdin.close()
                process.wait()
    row = {f"{e}_ms": statistics.median(t) for e, t in times.items()}
    speed_up = row["eager_ms"] / row["npugraph_ms"]
    return {"model": name, "threads": threads, **row, "speed_up": speed_up, "error": error}


def main() -> int:
    from eager import models

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default=",".join(models.CASES))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--runs", type=int, default=56)
    parser.add_argument("--json")
    args = parser.parse_args()
    rows = []
    print("| model | threads | eager ms | npugraph ms | speed-up | launch-bound |")
    print("|---|---|---|---|---|---|")
    for name in args.models.split(","):
        for threads in map(int, args.threads.split(",")):
            row = measure(name, threads, args.runs)
            row["launch_bound"] = models.CASES[name].launch_bound
            rows.append(row)
            print(
                f"| {name} | {threads} | {row['eager_ms']:.4f} | {row['npugraph_ms']:.4f} "
                f"| {row['speed_up']:.2f} | {'yes' if row['launch_bound'] else 'no'} |",
                flush=True,
            )
            if args.json:
                Path(args.json).write_text(json.dumps(rows, indent=1) + "\n")
    slow = [r for r in rows if r["speed_up"] < (3 if r["launch_bound"] else 1)]
    for row in slow:
        print(f"below the bar: {row['model']}, {row['threads']} threads: {row['speed_up']:.2f}")
    return 1 if slow else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(sys.argv[2], sys.argv[3], int(sys.argv[4]), Path(sys.argv[5]))
    else:
        sys.exit(main())
