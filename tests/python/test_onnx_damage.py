# SPDX-License-Identifier: Apache-2.0
"""Damaged ONNX files give a typed error that says what, where, found and expected: never a crash,
and never memory that the file's size does not explain.

Each file is compiled in a worker process, so that a crash is seen as one and blamed on its file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto
from onnx_damage import MODELS, field_damage, flips, function_model, truncations, write

WORKER = """
import json, resource, sys
import npugraph

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

print(json.dumps({"start_bytes": peak()}), flush=True)
for line in sys.stdin:
    path = json.loads(line)
    print(json.dumps({"begin": path}), flush=True)
    answer = {"path": path, "raised": False}
    try:
        npugraph.compile(path)
    except npugraph.Error as error:
        answer = {"path": path, "raised": True, "code": error.code, "id": error.id,
                  "what": error.what, "place": error.place, "found": error.found,
                  "expected": error.expected, "message": str(error)}
    answer["peak_bytes"] = peak()
    print(json.dumps(answer), flush=True)
"""

MEMORY_ALLOWANCE_BYTES = 256 << 20


class Outcome:
    """What became of each file."""

    def __init__(self) -> None:
        self.answers: dict[str, dict] = {}
        self.crashes: list[str] = []
        self.grown_bytes = 0


def compile_all(paths: list[Path]) -> Outcome:
    outcome = Outcome()
    waiting = [str(path) for path in paths]
    while waiting:
        worker = subprocess.run(
            [sys.executable, "-c", WORKER],
            input="".join(json.dumps(path) + "\n" for path in waiting),
            capture_output=True,
            text=True,
            timeout=600,
        )
        lines = [json.loads(line) for line in worker.stdout.splitlines()]
        answers = {line["path"]: line for line in lines if "path" in line}
        outcome.answers.update(answers)
        peaks = [line["peak_bytes"] for line in answers.values()]
        if peaks:
            grown = max(peaks) - lines[0]["start_bytes"]
            outcome.grown_bytes = max(outcome.grown_bytes, grown)
        if worker.returncode == 0:
            break
        begun = [line["begin"] for line in lines if "begin" in line]
        assert begun, worker.stderr
        outcome.crashes.append(f"{begun[-1]}: exit {worker.returncode}\n{worker.stderr[-2000:]}")
        waiting = waiting[waiting.index(begun[-1]) + 1 :]
    return outcome


def check(outcome: Outcome, paths: list[Path], must_fail: bool = True) -> None:
    assert not outcome.crashes, "\n".join(outcome.crashes)
    wrong = []
    for path in paths:
        answer = outcome.answers[str(path)]
        if not answer["raised"]:
            if must_fail:
                wrong.append(f"{path.name}: was accepted")
            continue
        for field in ("code", "id", "what", "message"):
            if not answer[field]:
                wrong.append(f"{path.name}: no {field}")
        if answer["code"] == "kInternal":
            wrong.append(f"{path.name}: {answer['message']}")
        if not answer["found"] or not answer["expected"]:
            wrong.append(f"{path.name}: no found or no expected: {answer['message']}")
        if path.name not in answer["place"]:
            wrong.append(f"{path.name}: the place does not name the file: {answer['message']}")
    assert not wrong, f"{len(wrong)} of {len(paths)}:\n" + "\n".join(wrong)
    largest = max(path.stat().st_size for path in paths)
    assert outcome.grown_bytes <= 4 * largest + MEMORY_ALLOWANCE_BYTES


@pytest.mark.parametrize("name", MODELS)
def test_the_undamaged_model_compiles(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, MODELS[name]().SerializeToString())
    outcome = compile_all([path])
    assert not outcome.crashes
    assert not outcome.answers[str(path)]["raised"], outcome.answers


@pytest.mark.parametrize("name", MODELS)
def test_field_damage(name: str, tmp_path: Path) -> None:
    paths = [write(tmp_path, *damaged) for damaged in field_damage(name)]
    check(compile_all(paths), paths)


@pytest.mark.parametrize("name", MODELS)
def test_truncation(name: str, tmp_path: Path) -> None:
    paths = [write(tmp_path, *damaged) for damaged in truncations(name)]
    check(compile_all(paths), paths)


@pytest.mark.parametrize("name", MODELS)
def test_flipped_bytes_never_crash(name: str, tmp_path: Path) -> None:
    paths = [write(tmp_path, *damaged) for damaged in flips(name)]
    check(compile_all(paths), paths, must_fail=False)


def external_model(entries: dict[str, str]) -> bytes:
    model = function_model()
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    return model.SerializeToString()


def test_external_data(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    data = np.arange(12, dtype=np.float32).tobytes()
    for path in (folder / "w.bin", tmp_path / "outside.bin"):
        path.write_bytes(data)
    (folder / "empty.bin").write_bytes(b"")
    (folder / "link.bin").symlink_to(tmp_path / "outside.bin")
    (folder / "up").symlink_to(tmp_path)
    (folder / "self.bin").symlink_to("self.bin")
    os.link(tmp_path / "outside.bin", folder / "hard.bin")
    os.mkfifo(folder / "pipe.bin")

    good = write(folder, "good", external_model({"location": "w.bin"}))
    outcome = compile_all([good])
    assert not outcome.answers[str(good)]["raised"], outcome.answers

    locations = [
        "../outside.bin",
        "sub/../../outside.bin",
        "up/outside.bin",
        str(tmp_path / "outside.bin"),
        "/dev/zero",
        "/etc/passwd",
        "link.bin",
        "hard.bin",
        "self.bin",
        "pipe.bin",
        "sub",
        ".",
        "..",
        "",
        "missing.bin",
        "sub/missing.bin",
        "w.bin/",
        "..\\outside.bin",
        "w.bin\n",
        "x" * 5000,
        "empty.bin",
    ]
    entries = [{"location": location} for location in locations]
    entries += [{}, {"offset": "0"}]
    for offset in ("1", "-1", "48", "9223372036854775807", "99999999999999999999", "x", "", "0x0"):
        entries.append({"location": "w.bin", "offset": offset})
    for length in ("0", "47", "49", "-48", "9223372036854775807", "18446744073709551616", "x", ""):
        entries.append({"location": "w.bin", "length": length})
    paths = [write(folder, f"external_{k}", external_model(e)) for k, e in enumerate(entries)]
    outcome = compile_all(paths)
    check(outcome, paths)
    for path in paths:
        assert outcome.answers[str(path)]["id"] == "NPU206", outcome.answers[str(path)]


def test_more_than_500_damaged_files_are_covered() -> None:
    count = sum(1 for name in MODELS for _ in field_damage(name))
    assert count >= 500
