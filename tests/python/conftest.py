# SPDX-License-Identifier: Apache-2.0
"""What the Python tests share: the model suite of bench/, and the rule for its heavy models."""

import os
import signal
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from command_line import ULTRAFACE, npugraph  # noqa: E402
from models import get_models  # noqa: E402

# Where the runner was started in the background, Ctrl-C is ignored: tests of it need it back.
signal.signal(signal.SIGINT, signal.default_int_handler)


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


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    path = tmp_path_factory.mktemp("engine") / "ultraface.engine"
    npugraph("compile", ULTRAFACE, "-o", path)
    return path


@pytest.fixture(scope="module")
def dynamic_model(tmp_path_factory):
    """y = relu(x @ w), x float32 [b, 4], with an open batch."""
    path = tmp_path_factory.mktemp("model") / "dynamic.onnx"
    weight = np.random.default_rng(1).standard_normal((4, 3)).astype(np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w"], ["h"], name="product"),
            helper.make_node("Relu", ["h"], ["y"], name="relu"),
        ],
        "dynamic",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["b", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["b", 3])],
        [numpy_helper.from_array(weight, "w")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path
