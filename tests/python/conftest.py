# SPDX-License-Identifier: Apache-2.0
"""What the Python tests share: the model suite of bench/, and the rule for its heavy models."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from models import get_models  # noqa: E402


@pytest.fixture(scope="session")
def suite_file():
    """A function from a suite model to its file; skips a heavy model that is not in the cache.

    With NPUGRAPH_SUITE=1 nothing is skipped: what is missing is fetched or built.
    """

    def find(model) -> str:
        path = get_models.model_path(model.name)
        if model.heavy and not path.exists() and os.environ.get("NPUGRAPH_SUITE") != "1":
            pytest.skip(
                f"{path} is missing; NPUGRAPH_SUITE=1 or "
                f"'python bench/models/get_models.py --only {model.name}' makes it"
            )
        return str(get_models.ensure(model.name))

    return find
