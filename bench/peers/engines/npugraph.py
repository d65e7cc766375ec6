# SPDX-License-Identifier: Apache-2.0
"""npugraph on its cpu device."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import npugraph
from peers.engines import Engine, Feed, Shapes


class Runner(Engine):
    version = getattr(npugraph, "__version__", "?")

    def load(self, path: Path, shapes: Shapes | None) -> None:
        engine = npugraph.compile(str(path), shapes=shapes or {}, device="cpu")
        self.session = npugraph.Session(engine, threads=self.threads)

    def run(self, feed: Feed) -> dict[str, np.ndarray]:
        return self.session.run(feed)
