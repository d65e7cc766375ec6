# SPDX-License-Identifier: Apache-2.0
"""One engine, two devices: graphs split between the cpu and another device, same numbers."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from models.suite import by_name

import npugraph

ROOT = Path(__file__).resolve().parents[2]
VNPU_OPS = {"Conv", "MatMul", "Add", "Relu"}


def assert_same(found, expected):
    for name, array in expected.items():
        scale = max(np.abs(array).max(), 1e-30)
        assert np.abs(found[name] - array).max() / scale < 1e-4, name


def fixed_shapes(model):
    return {name: list(array.shape) for name, array in model.feeds(model.cases[0])[0].items()}


def split(model, path, device, library=None):
    """The engine's description, and its outputs beside those of the cpu alone."""
    shapes = fixed_shapes(model)
    engine = npugraph.compile(path, device=device, shapes=shapes, library=library)
    feed = model.feeds(model.cases[0])[0]
    session = npugraph.Session(engine, threads=2, library=library)
    outputs = session.run(feed)
    expected = npugraph.Session(npugraph.compile(path, shapes=shapes), threads=2).run(feed)
    assert_same(outputs, expected)
    return engine.describe(), session


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("resnet50", marks=pytest.mark.slow),
        pytest.param("mobilenetv2", marks=pytest.mark.slow),
        "ultraface_rfb320",
        "light_squeezenet",
    ],
)
def test_the_simulated_npu_and_the_cpu_share_a_model(name, suite_file):
    model = by_name(name)
    plan, session = split(model, suite_file(model), "vnpu")
    on_vnpu = [node for node in plan["nodes"] if node["device"] == "vnpu"]
    assert {node["op"] for node in on_vnpu} <= VNPU_OPS
    assert any(node["op"] == "Conv" for node in on_vnpu)
    for node in plan["nodes"]:
        if node["device"] == "cpu":
            assert node["reason"] and node["found"] and node["allowed"], node
    assert plan["copies"] == plan["cut_edges"] > 0
    assert plan["task_count"] == len(plan["programs"]) + plan["copies"] + plan["events"]
    assert sum(len(program["nodes"]) for program in plan["programs"]) == len(plan["nodes"])
    assert session.times["virtual_ns"] > 0
    assert session.times["busy_ns"]["vnpu"] > 0


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    """examples/plugin, built against the installed package only."""
    build = tmp_path_factory.mktemp("plugin build")
    prefix = Path(sys.prefix)
    if not (prefix / "lib/cmake/npugraph").is_dir():
        pytest.skip(f"npugraph is not installed under {prefix}")
    cmake = shutil.which("cmake")
    configure = [cmake, "-S", str(ROOT / "examples/plugin"), "-B", str(build), "-G", "Ninja"]
    subprocess.run([*configure, f"-DCMAKE_PREFIX_PATH={prefix}"], check=True, capture_output=True)
    subprocess.run([cmake, "--build", str(build)], check=True, capture_output=True)
    libraries = list(build.glob("*.so"))
    assert len(libraries) == 1, libraries
    return libraries[0]


@pytest.mark.parametrize(
    "name",
    [
        "ultraface_rfb320",
        "light_squeezenet",
        "magika",
        pytest.param("resnet50", marks=pytest.mark.slow),
        pytest.param("minilm_t128", marks=pytest.mark.slow),
    ],
)
def test_a_plugin_that_takes_matmul_and_relu_splits_a_model(name, plugin, suite_file):
    library = npugraph.Library(plugins=[plugin])
    known = {device.name for device in npugraph.devices()}
    (device,) = (d.name for d in library.devices() if d.name not in known)
    model = by_name(name)
    plan, _ = split(model, suite_file(model), device, library)
    taken = {node["op"] for node in plan["nodes"] if node["device"] == device}
    assert taken and taken <= {"MatMul", "Relu"}
    assert plan["copies"] == plan["cut_edges"] > 0


def test_an_unknown_device_is_refused_with_the_names_there_are(suite_file):
    with pytest.raises(npugraph.Error) as caught:
        npugraph.compile(suite_file(by_name("ultraface_rfb320")), device="gpu")
    assert caught.value.id == "NPU401"
    assert "cpu" in caught.value.expected and "vnpu" in caught.value.expected
