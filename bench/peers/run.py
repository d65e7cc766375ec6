#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures engines against each other on the model suite, interleaved in one run.

    python bench/peers/run.py --models resnet50,magika --threads 1,2 --json out.json --table out.md

For each case and thread count every engine gets a process of its own. They take turns A B C C B A,
so that a slow phase of the machine falls on all of them alike; ratios of one run are what counts,
absolute times drift. Before timing, every engine's outputs are compared with onnxruntime's.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import select
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH))

import numpy as np  # noqa: E402
from models.get_models import ensure  # noqa: E402
from models.suite import SUITE, Case, Model, by_name  # noqa: E402

from peers import engines as engine_files  # noqa: E402
from peers.report import Row, compare, fill_ratios, geometric_means, markdown  # noqa: E402

REFERENCE = "onnxruntime"
TURNS = 6  # A B C, C B A, three times
MIN_TURN_MS = 20.0  # short models run more often, so that a turn is longer than a time slice
SETTLE_S = 0.02  # between turns: lets the last engine's spinning threads go to sleep
REPLY_LIMIT_S = 900.0


class WorkerError(Exception):
    """A worker reported a failure, ended, or gave no reply in time."""


class Worker:
    """A worker process and its pipes. Use as a context manager: the process ends with it."""

    def __init__(self, engine: str, case_id: str, threads: int):
        environment = dict(os.environ)
        # These pin old kernels, and would slow only those engines that use OpenBLAS.
        for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
            environment.pop(name, None)
        script = Path(__file__).with_name("worker.py")
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(script), engine, case_id, str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env=environment,
        )

    def reply(self) -> dict:
        """The next line. Replies are strictly one a request, so no second line can be buffered."""
        ready, _, _ = select.select([self.process.stdout], [], [], REPLY_LIMIT_S)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            raise WorkerError(self.last_words() if ready else f"no reply in {REPLY_LIMIT_S:.0f} s")
        answer = json.loads(line)
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer

    def ask(self, **request) -> dict:
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise WorkerError(self.last_words()) from None
        return self.reply()

    def last_words(self) -> str:
        code = self.process.wait()
        self.log.seek(0)
        tail = self.log.read().decode(errors="replace").strip().splitlines()
        return f"process ended with code {code}" + (f": {tail[-1]}" if tail else "")

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.log.close()


def outputs_of(worker: Worker, folder: Path) -> dict[str, np.ndarray]:
    path = folder / "outputs.npz"
    worker.ask(do="outputs", path=str(path))
    with np.load(path) as arrays:
        return {key: arrays[key] for key in arrays.files}


def check(row: Row, outputs: dict, reference: dict) -> None:
    """Fills in the worst figures over every output of every feed."""
    if outputs.keys() != reference.keys():
        row.error = f"{len(outputs)} outputs where onnxruntime gives {len(reference)}"
        return
    try:
        figures = [compare(outputs[key], reference[key]) for key in reference]
    except ValueError as error:
        row.error = str(error)
        return
    row.max_abs = max(f[0] for f in figures)
    row.max_rel = max(f[1] for f in figures)
    row.cosine = min(f[2] for f in figures)


class Bout:
    """All engines on one case with one thread count."""

    def __init__(self, case_id: str, names: list[str], threads: int, runs: int):
        self.case_id = case_id
        self.runs = runs
        self.rows = {name: Row(case_id, name, threads) for name in names}
        self.threads = threads
        self.workers: dict[str, Worker] = {}

    def drop(self, name: str, error: WorkerError) -> None:
        if name in self.rows:
            self.rows[name].error = str(error)
        self.workers.pop(name).end()

    def start(self) -> None:
        """One after the other, so that load times are not taken while another engine loads."""
        names = list(self.rows)
        for name in names if REFERENCE in names else [REFERENCE, *names]:
            self.workers[name] = Worker(name, self.case_id, self.threads)
            try:
                ready = self.workers[name].reply()
            except WorkerError as error:
                self.drop(name, error)
                continue
            if name in self.rows:
                for key, value in ready.items():
                    setattr(self.rows[name], key, value)

    def check(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            if REFERENCE not in self.workers:
                return
            reference = outputs_of(self.workers[REFERENCE], Path(folder))
            for name in [n for n in self.rows if n in self.workers and n != REFERENCE]:
                try:
                    check(self.rows[name], outputs_of(self.workers[name], Path(folder)), reference)
                except WorkerError as error:
                    self.drop(name, error)

    def time(self) -> None:
        per_turn = -(-self.runs // TURNS)
        for turn in range(TURNS):
            order = [name for name in self.rows if name in self.workers]
            for name in order if turn % 2 == 0 else reversed(order):
                time.sleep(SETTLE_S)
                try:
                    taken = self.workers[name].ask(do="turn", runs=per_turn, min_ms=MIN_TURN_MS)
                except WorkerError as error:
                    self.drop(name, error)
                    continue
                self.rows[name].times_ms += taken["ms"]

    def finish(self) -> list[Row]:
        for name in list(self.workers):
            try:
                answer = self.workers[name].ask(do="stop")
                if name in self.rows:
                    self.rows[name].peak_rss_mb = answer["peak_rss_mb"]
            except WorkerError as error:
                self.drop(name, error)
        for row in self.rows.values():
            row.close()
        return list(self.rows.values())

    def run(self) -> list[Row]:
        try:
            self.start()
            self.check()
            self.time()
            return self.finish()
        finally:
            for worker in self.workers.values():
                worker.end()


def host_text() -> str:
    names = [
        line.split(":", 1)[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    cpu = names[0] if names else platform.processor()
    return f"{cpu}, {os.cpu_count()} logical cores, {platform.system()} {platform.release()}"


def chosen_cases(selection: str) -> list[tuple[Model, Case]]:
    """'resnet50,gpt6:decode' or empty for every timed case."""
    if not selection:
        return [(model, case) for model in SUITE for case in model.cases if case.timed]
    chosen = []
    for word in selection.split(","):
        name, colon, label = word.partition(":")
        model = by_name(name)
        cases = [c for c in model.cases if (c.label == label if colon else c.timed)]
        if not cases:
            raise KeyError(f"model '{name}' has no case '{label}'")
        chosen += [(model, case) for case in cases]
    return chosen


def progress(row: Row) -> str:
    if row.error:
        return f"{row.engine} fails"
    text = f"{row.engine} {row.median_ms:.3g} ms"
    return text if row.ratio is None else text + f" ({row.ratio:.2f})"


def save(args, rows: list[Row]) -> None:
    """Rewritten after each case: a run that is cut short leaves what it has."""
    if args.json:
        result = {
            "host": host_text(),
            "date": time.strftime("%Y-%m-%d"),
            "rows": [asdict(row) for row in rows],
            "geometric_means": geometric_means(rows),
        }
        Path(args.json).write_text(json.dumps(result, indent=1) + "\n")
    if args.table:
        Path(args.table).write_text(markdown(rows, args.engines.split(","), host_text()))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="", help="e.g. magika,gpt6:decode; default all")
    parser.add_argument(
        "--engines",
        default="npugraph,onnxruntime,openvino",
        help=f"any of {','.join(engine_files.names())}",
    )
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--runs", type=int, default=30, help="timed runs of each, at least")
    parser.add_argument("--json", help="write all figures to this file")
    parser.add_argument("--table", help="write Markdown tables to this file")
    args = parser.parse_args()
    unknown = set(args.engines.split(",")) - set(engine_files.names())
    if unknown:
        parser.error(f"unknown engine {sorted(unknown)}; there are {engine_files.names()}")
    return args


def main() -> int:
    args = parse_arguments()
    cases = chosen_cases(args.models)
    thread_counts = [int(word) for word in args.threads.split(",")]
    rows: list[Row] = []
    total = len(cases) * len(thread_counts)
    step = 0
    for model, case in cases:
        ensure(model.name)
        for threads in thread_counts:
            step += 1
            case_id = model.case_id(case)
            start = time.perf_counter()
            bout = Bout(case_id, args.engines.split(","), threads, args.runs)
            found = bout.run()
            fill_ratios(found)
            rows += found
            save(args, rows)
            text = ", ".join(progress(row) for row in found)
            taken = time.perf_counter() - start
            place = f"[{step}/{total}] {case_id}, {threads} thread{'s' if threads > 1 else ''}"
            print(f"{place}: {text}  [{taken:.0f} s]", flush=True)
    print()
    print(markdown(rows, args.engines.split(","), host_text()))
    return 1 if any(row.error and row.engine == "npugraph" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
