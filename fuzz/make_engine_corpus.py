# SPDX-License-Identifier: Apache-2.0
"""Compiles the seeds of fuzz_onnx_import into those of fuzz_engine, for two devices: made when they
are needed, since engines of another version of the format would be refused at their first bytes.

    python fuzz/make_engine_corpus.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import npugraph

ROOT = Path(__file__).resolve().parents[1]
DEVICES = ("cpu", "vnpu")
MOST_BYTES = 1 << 16  # larger inputs are left out by the driver


def main() -> None:
    folder = Path(sys.argv[1])
    small, real = folder / "small", folder / "real"
    for each in (small, real):
        each.mkdir(parents=True, exist_ok=True)
    models = sorted((ROOT / "fuzz/corpus/onnx_import").glob("*.onnx"))
    models += sorted((ROOT / "tests/models/nnsmith").glob("m*.onnx"))[:10]
    for model in models:
        for device in DEVICES:
            try:
                engine = npugraph.compile(model, device=device)
            except npugraph.Error:  # some seeds are not to be compiled
                continue
            path = small / f"{model.stem}.{device}.engine"
            engine.save(path)
            if path.stat().st_size > MOST_BYTES:
                path.unlink()
    for device in DEVICES:
        engine = npugraph.compile(ROOT / "examples/models/ultraface_rfb320.onnx", device=device)
        engine.save(real / f"ultraface.{device}.engine")


if __name__ == "__main__":
    main()
