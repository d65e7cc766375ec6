#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a model on a stream of frames without copying or allocating: the arrays are bound to the
session once, and each frame is written into the bound input.

    python examples/io_binding.py
"""

from pathlib import Path

import numpy as np

import npugraph

ROOT = Path(__file__).resolve().parents[1]
MODEL = ROOT / "examples/models/ultraface_rfb320.onnx"
FRAMES = 20


def main() -> None:
    engine = npugraph.compile(MODEL)
    print(engine)
    with npugraph.Session(engine, threads=2) as session:
        frame = np.zeros((1, 3, 240, 320), np.float32)
        with session.bind({"input": frame}) as binding:
            rng = np.random.default_rng(0)
            binding.run()  # the first run warms up
            before = session.counters["device_allocations"]
            best = []
            for _ in range(FRAMES):
                rng.random(out=frame, dtype=np.float32)  # a camera would write here
                outputs = binding.run()  # the same arrays each time
                best.append(float(outputs["scores"][0, :, 1].max()))
            allocations = session.counters["device_allocations"] - before
        # The plain way gives the same numbers, with a new array for each output.
        plain = session.run({"input": frame})
        same = np.array_equal(plain["scores"], outputs["scores"])
    print(f"{FRAMES} frames, {allocations} allocations, best score {max(best):.3f}")
    print("the same numbers as run()" if same else "OTHER NUMBERS THAN run()")
    if not same or allocations:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
