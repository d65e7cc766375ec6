# SPDX-License-Identifier: Apache-2.0
"""Figures and tables from measured rows: ratios, geometric means, Markdown."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Row:
    """What one worker measured. Times in ms; errors against onnxruntime's outputs.

    ratio: median over the best other engine's of the same precision; below 1 is faster
    """

    case: str
    engine: str
    threads: int
    version: str = ""
    precision: str = ""
    runs: int = 0
    median_ms: float | None = None
    p90_ms: float | None = None
    min_ms: float | None = None
    load_ms: float | None = None
    first_ms: float | None = None
    base_rss_mb: float | None = None
    peak_rss_mb: float | None = None
    max_abs: float | None = None
    max_rel: float | None = None
    cosine: float | None = None
    ratio: float | None = None
    error: str = ""
    times_ms: list[float] = field(default_factory=list, repr=False)

    def close(self) -> None:
        """Turns times_ms into the figures."""
        if self.times_ms:
            self.runs = len(self.times_ms)
            self.median_ms = float(np.median(self.times_ms))
            self.p90_ms = float(np.percentile(self.times_ms, 90))
            self.min_ms = float(min(self.times_ms))


def compare(value: np.ndarray, reference: np.ndarray) -> tuple[float, float, float]:
    """(largest absolute difference, that over the largest reference magnitude, cosine)."""
    if value.shape != reference.shape:
        found, expected = list(value.shape), list(reference.shape)
        raise ValueError(f"shape {found} where onnxruntime gives {expected}")
    if reference.size == 0:
        return 0.0, 0.0, 1.0
    a, b = value.astype(np.float64).ravel(), reference.astype(np.float64).ravel()
    max_abs = float(np.abs(a - b).max())
    scale = float(np.abs(b).max())
    norms = float(np.linalg.norm(a) * np.linalg.norm(b))
    cosine = float(a @ b) / norms if norms > 0 else float(np.array_equal(a, b))
    return max_abs, max_abs / scale if scale > 0 else max_abs, cosine


def fill_ratios(rows: list[Row]) -> None:
    """Sets `ratio` of each row against the best other engine in the same case and thread count."""
    for row in rows:
        others = [
            other.median_ms
            for other in rows
            if other.median_ms is not None
            and (other.case, other.threads) == (row.case, row.threads)
            and other.precision == row.precision
            and other.engine != row.engine
        ]
        if row.median_ms is not None and others:
            row.ratio = row.median_ms / min(others)


def geometric_means(rows: list[Row]) -> list[dict]:
    """One entry per engine and thread count: the geometric mean of its ratios, and their number."""
    means = []
    for engine, threads in sorted({(r.engine, r.threads) for r in rows}):
        ratios = [
            r.ratio
            for r in rows
            if (r.engine, r.threads) == (engine, threads) and r.ratio is not None
        ]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            means.append(
                {
                    "engine": engine,
                    "threads": threads,
                    "geometric_mean": mean,
                    "cases": len(ratios),
                    "worst": max(ratios),
                }
            )
    return means


def number(value: float | None, digits: int = 3) -> str:
    """Three significant digits, without an exponent where it can be avoided."""
    if value is None:
        return "–"
    if value == 0 or abs(value) < 1e-3:
        return f"{value:.1e}" if value else "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}"


def markdown(rows: list[Row], engines: list[str], host: str) -> str:
    """Two tables a thread count (speed; load, memory and accuracy), then the geometric means."""
    lines = [f"Host: {host}", ""]
    known = {r.engine: r for r in rows if r.version}
    for engine in engines:
        if engine in known:
            lines.append(f"- {engine} {known[engine].version}, {known[engine].precision}")
    lines.append("")
    by_key = {(r.case, r.engine, r.threads): r for r in rows}
    cases = list(dict.fromkeys(r.case for r in rows))
    for threads in sorted({r.threads for r in rows}):
        lines += [
            f"## {threads} thread{'s' if threads > 1 else ''}: median ms (P90), ratio to the best "
            "other engine of the same precision",
            "",
            "| case | " + " | ".join(engines) + " |",
            "|---|" + "---|" * len(engines),
        ]
        for case in cases:
            cells = []
            for engine in engines:
                row = by_key.get((case, engine, threads))
                if row is None or row.median_ms is None:
                    cells.append("fails" if row is not None and row.error else "–")
                    continue
                ratio = f", **{row.ratio:.2f}**" if row.ratio is not None else ""
                cells.append(f"{number(row.median_ms)} ({number(row.p90_ms)}){ratio}")
            lines.append(f"| {case} | " + " | ".join(cells) + " |")
        lines += [
            "",
            "Load ms / first run ms / peak RSS MB / largest error over the output's maximum:",
            "",
            "| case | " + " | ".join(engines) + " |",
            "|---|" + "---|" * len(engines),
        ]
        for case in cases:
            cells = []
            for engine in engines:
                row = by_key.get((case, engine, threads))
                if row is None or row.load_ms is None:
                    cells.append("–")
                    continue
                figures = (row.load_ms, row.first_ms, row.peak_rss_mb, row.max_rel)
                cells.append(" / ".join(number(figure) for figure in figures))
            lines.append(f"| {case} | " + " | ".join(cells) + " |")
        lines.append("")
    lines += ["## Geometric means of the ratios", "", "| engine | threads | mean | worst | cases |"]
    lines.append("|---|---|---|---|---|")
    for mean in geometric_means(rows):
        lines.append(
            f"| {mean['engine']} | {mean['threads']} | {mean['geometric_mean']:.2f} | "
            f"{mean['worst']:.2f} | {mean['cases']} |"
        )
    failures = [r for r in rows if r.error]
    if failures:
        lines += ["", "## Failures", ""]
        for row in failures:
            reason = row.error.strip().splitlines()[-1].strip()[:300]
            count = "1 thread" if row.threads == 1 else f"{row.threads} threads"
            lines.append(f"- {row.case}, {row.engine}, {count}: {reason}")
    return "\n".join(lines) + "\n"
