# SPDX-License-Identifier: Apache-2.0
"""examples/quickstart.py finds the face and says so."""

import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]


def test_quickstart_draws_the_face():
    command = [sys.executable, str(ROOT / "examples/quickstart.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for word in ("placement", "times", "comparison with onnxruntime", "the same numbers"):
        assert word in done.stdout
    assert "1 face(s)" in done.stdout
    picture = np.asarray(Image.open(ROOT / "out/quickstart.png").convert("RGB"))
    assert picture.shape == (512, 512, 3)
    green = (picture == (0, 255, 0)).all(axis=2)
    rows, columns = np.nonzero(green)
    # The box goes around the face, which is in the upper middle of the photograph.
    assert rows.min() < 120 < rows.max() and columns.min() < 225 < columns.max()
