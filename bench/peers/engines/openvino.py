# SPDX-License-Identifier: Apache-2.0
"""OpenVINO's CPU plug-in with fp32 arithmetic (its own default is bf16 where the CPU has it)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino

from peers.engines import Engine, Feed, Shapes


class Runner(Engine):
    version = openvino.__version__.split("-")[0]
    hints = {"INFERENCE_PRECISION_HINT": "f32"}

    def load(self, path: Path, shapes: Shapes | None) -> None:
        core = openvino.Core()
        model = core.read_model(path)
        if shapes is not None:
            model.reshape({name: openvino.PartialShape(dims) for name, dims in shapes.items()})
        settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": self.threads}
        compiled = core.compile_model(model, "CPU", settings | self.hints)
        self.request = compiled.create_infer_request()
        outputs = self.request.model_outputs
        self.output_names = [next(iter(sorted(output.get_names()))) for output in outputs]

    def run(self, feed: Feed) -> dict[str, np.ndarray]:
        results = self.request.infer(feed, share_inputs=True, share_outputs=True)
        return dict(zip(self.output_names, results.values(), strict=True))
