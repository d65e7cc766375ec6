# SPDX-License-Identifier: Apache-2.0
"""onnxruntime on its CPU provider; also the reference for every engine's outputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime

from peers.engines import Engine, Feed, Shapes


class Runner(Engine):
    version = onnxruntime.__version__

    def load(self, path: Path, shapes: Shapes | None) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self.output_names = [output.name for output in self.session.get_outputs()]

    def run(self, feed: Feed) -> dict[str, np.ndarray]:
        outputs = self.session.run(self.output_names, feed)
        return dict(zip(self.output_names, outputs, strict=True))
