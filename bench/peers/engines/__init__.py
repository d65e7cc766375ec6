# SPDX-License-Identifier: Apache-2.0
"""The engines that bench/peers can measure: one file each, named as on the command line.

To add one, add a file here with a class `Runner(Engine)`; nothing else changes. An engine's package
is imported by its own file alone, so a missing package costs only that engine.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from pathlib import Path

import numpy as np

Feed = dict[str, np.ndarray]
Shapes = dict[str, list[int]]


class Engine(ABC):
    """One inference engine, running one model with a fixed number of threads.

    precision: the arithmetic of its products; ratios are taken only within one precision
    version: of the engine's package, for the report
    """

    precision = "f32"
    version = "?"

    def __init__(self, threads: int):
        self.threads = threads

    @abstractmethod
    def load(self, path: Path, shapes: Shapes | None) -> None:
        """Reads and compiles the model. `shapes` fixes every input; None leaves them open."""

    @abstractmethod
    def run(self, feed: Feed) -> dict[str, np.ndarray]:
        """Runs once. The outputs in the model's order; they may be reused by the next run."""


def names() -> list[str]:
    """Every engine there is a file for, in alphabetical order."""
    files = Path(__file__).parent.glob("*.py")
    return sorted(f.stem for f in files if f.stem != "__init__")


def create(name: str, threads: int) -> Engine:
    return importlib.import_module(f"peers.engines.{name}").Runner(threads)
