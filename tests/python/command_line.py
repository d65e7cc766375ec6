# SPDX-License-Identifier: Apache-2.0
"""The command line as a user runs it, and what its tests run it on."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLI = Path(sys.executable).parent / "npugraph"
ULTRAFACE = ROOT / "examples/models/ultraface_rfb320.onnx"


def npugraph(*words, status=0, **options) -> subprocess.CompletedProcess:
    """Runs the command line and checks its exit status."""
    command = [str(CLI), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == status, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def as_json(*words, status=0):
    return json.loads(npugraph(*words, "--json", status=status).stdout)


def fails(error_id, *words):
    """The message of a command that must end with this error."""
    done = npugraph(*words, status=2)
    assert done.stdout == ""
    assert done.stderr.startswith(f"npugraph: error {error_id}: "), done.stderr
    return done.stderr
