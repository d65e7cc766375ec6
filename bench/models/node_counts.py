#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/node_counts.md: how many nodes models have as exported, and after the optimiser.

    .venv/bin/python bench/models/node_counts.py [MODEL.onnx ...]

Without models: those of $NPUGRAPH_MODELS, or build/models. Counts are of the file's nodes without
Constant and of the engine's nodes, those of nested graphs and called functions included. With
--check FILE the table must be that of FILE: nothing is written.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import onnx

REPOSITORY = Path(__file__).resolve().parents[2]
LEVELS = (1, 2)
LIGHT = "light_"  # the models of the onnx package start so

HEAD = """# Node counts

Written by `bench/models/node_counts.py`. Exported: the nodes of the ONNX file without `Constant`,
with those of nested graphs and called functions. Level 1 only cleans up, keeping every bit; level 2
fuses too. The ratio is that of level 2 to exported. What is left: the commonest operators.

| model | exported | level 1 | level 2 | ratio | what is left at level 2 |
|---|--:|--:|--:|--:|---|
"""


@dataclass(frozen=True)
class Row:
    model: str
    exported: int
    after: tuple[int, ...]  # one for each of LEVELS
    left: Counter[str]

    @property
    def ratio(self) -> float:
        return self.after[-1] / max(1, self.exported)

    def text(self) -> str:
        common = sorted(self.left.items(), key=lambda item: (-item[1], item[0]))[:6]
        left = ", ".join(f"{count} {op}" for op, count in common)
        counts = " | ".join(str(count) for count in (self.exported, *self.after))
        return f"| {self.model} | {counts} | {self.ratio:.2f} | {left} |"


def count_nodes(nodes, functions: dict[tuple[str, str], onnx.FunctionProto]) -> int:
    """Nodes of a graph, of the graphs nested in it, and of the functions that it calls."""
    total = 0
    for node in nodes:
        function = functions.get((node.domain, node.op_type))
        if function is not None:
            total += count_nodes(function.node, functions)
        elif node.op_type != "Constant":
            total += 1
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                total += count_nodes(graph.node, functions)
    return total


def exported_nodes(path: Path) -> int:
    model = onnx.load(path, load_external_data=False)
    functions = {(f.domain, f.name): f for f in model.functions}
    return count_nodes(model.graph.node, functions)


def compiled(path: Path, level: int, command: Path, folder: Path) -> dict:
    """The report of compiling for the cpu at this level."""
    report = folder / "report.json"
    subprocess.run(
        [
            command,
            "compile",
            path,
            "--opt-level",
            str(level),
            "-o",
            folder / "engine",
            "--report",
            report,
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return json.loads(report.read_text())


def measure(path: Path, command: Path) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        reports = [compiled(path, level, command, Path(folder)) for level in LEVELS]
    after = tuple(len(report["nodes"]) for report in reports)
    left = Counter(node["op"] for node in reports[-1]["nodes"])
    return Row(path.stem, exported_nodes(path), after, left)


def table(rows: list[Row]) -> str:
    lines = [row.text() for row in rows]
    tail = f"\nMedian ratio of all: {statistics.median(row.ratio for row in rows):.2f}."
    light = [row.ratio for row in rows if row.model.startswith(LIGHT)]
    if light:
        tail += f" Of the {len(light)} models of the onnx package: {statistics.median(light):.2f}."
    return HEAD + "\n".join(lines) + "\n" + tail + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL.onnx")
    parser.add_argument("--command", type=Path, default=Path(sys.executable).parent / "npugraph")
    parser.add_argument("--output", type=Path, default=REPOSITORY / "docs/node_counts.md")
    parser.add_argument("--check", type=Path, metavar="FILE")
    options = parser.parse_args()
    folder = Path(os.environ.get("NPUGRAPH_MODELS", REPOSITORY / "build/models"))
    models = options.models or sorted(folder.glob("*.onnx"))
    if not models:
        sys.exit(f"there is no model in {folder}: see bench/models/get_models.py")
    rows = []
    for path in models:
        rows.append(measure(path, options.command))
        print(rows[-1].text(), file=sys.stderr)
    result = table(rows)
    if options.check is not None:
        return 0 if options.check.read_text() == result else 1
    options.output.write_text(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
