# SPDX-License-Identifier: Apache-2.0
"""Starts the command line that a wheel holds: what pip installs as `npugraph`."""

import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Becomes the program, with this interpreter for the parts that are written in Python."""
    program = Path(__file__).parent / "bin" / "npugraph"
    os.environ.setdefault("NPUGRAPH_PYTHON", sys.executable)
    os.execv(program, ["npugraph", *sys.argv[1:]])
