# SPDX-License-Identifier: Apache-2.0
"""Every model of the suite, end to end on the cpu device, against onnxruntime."""

import os
import sysconfig
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from models.get_models import magika_labels
from models.suite import SUITE, by_name

import npugraph

ROOT = Path(__file__).resolve().parents[2]
RELATIVE_ERROR = 1e-4  # largest difference over the reference's largest magnitude
COSINE = 0.99999


def reference_session(path: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def reference_run(session, feed) -> dict[str, np.ndarray]:
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feed), strict=True))


def assert_matches(outputs, reference, place: str) -> None:
    """Same names, shapes and dtypes; relative error and cosine within the bounds above."""
    assert outputs.keys() == reference.keys(), place
    for name, expected in reference.items():
        found = np.asarray(outputs[name])
        where = f"{place}, output '{name}'"
        assert found.shape == expected.shape, where
        assert found.dtype == expected.dtype, where
        if expected.size == 0:
            continue
        a, b = found.astype(np.float64).ravel(), expected.astype(np.float64).ravel()
        assert np.isfinite(a).all(), f"{where} is not finite"
        scale = np.abs(b).max()
        error = np.abs(a - b).max() / scale if scale > 0 else np.abs(a).max()
        assert error < RELATIVE_ERROR, f"{where}: relative error {error:.2e}"
        norms = np.linalg.norm(a) * np.linalg.norm(b)
        if norms > 0:
            assert a @ b / norms >= COSINE, f"{where}: cosine {a @ b / norms:.7f}"


def suite_parameters(models):
    return [
        pytest.param(model, id=model.name, marks=[pytest.mark.slow] if model.heavy else [])
        for model in models
    ]


def run_cases(model, path: str, session) -> None:
    """Runs every feed of every case on both; a state output is fed back into each one's own run."""
    reference = reference_session(path)
    for case in model.cases:
        state = reference_state = None
        for index, feed in enumerate(model.feeds(case)):
            reference_feed = dict(feed)
            if state is not None:
                feed["state"], reference_feed["state"] = state, reference_state
            expected = reference_run(reference, reference_feed)
            outputs = session.run(feed)
            assert_matches(outputs, expected, f"{model.case_id(case)}, feed {index}")
            if model.stateful:
                state, reference_state = np.array(outputs["stateN"]), expected["stateN"]


@pytest.mark.parametrize("model", suite_parameters(SUITE))
def test_one_engine_matches_onnxruntime_in_every_case(model, suite_file):
    """Dynamic models: every size on one engine that was compiled without shapes."""
    path = suite_file(model)
    engine = npugraph.compile(path, device="cpu")
    run_cases(model, path, npugraph.Session(engine, threads=2))


@pytest.mark.parametrize("model", suite_parameters(m for m in SUITE if m.dynamic))
def test_engine_of_fixed_shapes_matches_onnxruntime(model, suite_file):
    path = suite_file(model)
    reference = reference_session(path)
    for case in model.cases:
        if not case.timed or not case.one_shape:
            continue
        feed = model.feeds(case)[0]
        shapes = {name: list(value.shape) for name, value in feed.items()}
        engine = npugraph.compile(path, shapes=shapes, device="cpu")
        outputs = npugraph.Session(engine, threads=1).run(feed)
        assert_matches(outputs, reference_run(reference, feed), model.case_id(case))


# --- magika on real files -------------------------------------------------------------------------


def magika_features(content: bytes) -> np.ndarray:
    """The first and last 1024 bytes behind white space (of 4096 looked at); 256 fills up."""
    begin = content[:4096].lstrip()[:1024]
    end = content[-4096:].rstrip()[-1024:]
    features = np.full(2048, 256, np.int32)
    features[: len(begin)] = np.frombuffer(begin, np.uint8)
    features[2048 - len(end) :] = np.frombuffer(end, np.uint8)
    return features[None]


def real_files(count: int) -> list[Path]:
    """Files of many kinds that any machine with this repository has, a few of each suffix."""
    roots = [ROOT, Path(sysconfig.get_path("stdlib")), Path("/usr/include"), Path("/usr/share/doc")]
    roots.append(Path(np.__file__).parent)
    skipped = {".git", ".venv", "build", "out", "__pycache__", "site-packages"}
    by_suffix: dict[str, list[Path]] = {}
    for root in roots:
        for folder, subfolders, names in os.walk(root):
            subfolders[:] = sorted(set(subfolders) - skipped)
            for path in (Path(folder, name) for name in sorted(names)):
                enough = len(by_suffix.get(path.suffix, ())) >= count
                if not enough and not path.is_symlink() and path.stat().st_size >= 64:
                    by_suffix.setdefault(path.suffix, []).append(path)
    chosen: list[Path] = []
    for rank in range(count):
        for suffix in sorted(by_suffix):
            if rank < len(by_suffix[suffix]) and len(chosen) < count:
                chosen.append(by_suffix[suffix][rank])
    return chosen


def test_magika_names_the_same_type_for_50_real_files(suite_file):
    path = suite_file(by_name("magika"))
    reference = reference_session(path)
    session = npugraph.Session(npugraph.compile(path, device="cpu"), threads=1)
    labels = magika_labels()
    files = real_files(50)
    assert len(files) == 50
    seen = set()
    for file in files:
        feed = {"bytes": magika_features(file.read_bytes())}
        expected = labels[int(reference_run(reference, feed)["target_label"].argmax())]
        found = labels[int(np.asarray(session.run(feed)["target_label"]).argmax())]
        assert found == expected, file
        seen.add(expected)
    assert len(seen) >= 8, f"too few kinds of files to tell anything: {sorted(seen)}"


# --- small random graphs --------------------------------------------------------------------------

NNSMITH = sorted((ROOT / "tests/models/nnsmith").glob("*.onnx"))


def test_there_are_40_nnsmith_models():
    assert len(NNSMITH) == 40


@pytest.mark.parametrize("path", NNSMITH, ids=lambda path: path.stem)
def test_nnsmith_model_gives_its_stored_outputs(path):
    """The bounds are those within which onnxruntime and torch agreed when the files were made."""
    with np.load(path.with_suffix(".npz")) as stored:
        feed = {k.removeprefix("in:"): stored[k] for k in stored.files if k.startswith("in:")}
        expected = {k.removeprefix("out:"): stored[k] for k in stored.files if k.startswith("out:")}
    engine = npugraph.compile(str(path), device="cpu")
    outputs = npugraph.Session(engine, threads=1).run(feed)
    assert outputs.keys() == expected.keys()
    for name, value in expected.items():
        found = np.asarray(outputs[name])
        assert found.dtype == value.dtype, name
        assert found.shape == value.shape, name
        if value.dtype.kind == "f":
            np.testing.assert_allclose(found, value, rtol=1e-2, atol=1e-3, err_msg=name)
        else:
            np.testing.assert_array_equal(found, value, err_msg=name)
