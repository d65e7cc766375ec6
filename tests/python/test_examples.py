# SPDX-License-Identifier: Apache-2.0
"""The examples run as they are written; those for torch are skipped without it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77  # status of an example whose package is not installed
EXPECTED = {
    "async_run": "as run()",
    "io_binding": "0 allocations",
    "merge": "the same numbers apart and merged",
    "torch_module": "largest relative error",
}


def test_every_example_is_run_by_some_test():
    tests = "".join(path.read_text() for path in (ROOT / "tests/python").glob("test_*.py"))
    for path in (ROOT / "examples").glob("*.py"):
        assert path.stem in tests, path


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_example(name):
    command = [sys.executable, str(ROOT / "examples" / f"{name}.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode == SKIPPED:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    assert EXPECTED[name] in done.stdout
