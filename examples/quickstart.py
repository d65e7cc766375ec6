#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds faces in a photograph: compiles the model that ships with the repository, runs it, draws
the result to out/quickstart.png and prints where the nodes ran, how long it took and how the
numbers compare with onnxruntime.

    python examples/quickstart.py [--device cpu|vnpu] [--threads N] [--image FILE]
"""

import argparse
import math
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import npugraph

ROOT = Path(__file__).resolve().parents[1]
MODEL = ROOT / "examples/models/ultraface_rfb320.onnx"
PHOTOGRAPH = ROOT / "examples/images/astronaut.jpg"
WIDTH, HEIGHT = 320, 240
# The model's candidates: every cell of four grids, with square boxes of these sizes in pixels.
GRIDS = ((8, (10, 16, 24)), (16, (32, 48)), (32, (64, 96)), (64, (128, 192, 256)))
CENTRE_VARIANCE, SIZE_VARIANCE = 0.1, 0.2
MIN_SCORE = 0.7
MAX_OVERLAP = 0.3
RUNS = 50


def preprocess(photograph: Image.Image) -> np.ndarray:
    """float32 [1, 3, 240, 320], RGB, (x - 127) / 128: what the model's README asks for."""
    pixels = np.asarray(photograph.resize((WIDTH, HEIGHT), Image.Resampling.BILINEAR), np.float32)
    return np.ascontiguousarray(((pixels - 127) / 128).transpose(2, 0, 1)[None])


def candidates() -> np.ndarray:
    """[4420, 4]: centre x, centre y, width, height as shares of the picture; by grid, row, column
    and size, as the model's outputs are."""
    rows = []
    for stride, sizes in GRIDS:
        y, x = np.mgrid[: math.ceil(HEIGHT / stride), : math.ceil(WIDTH / stride)]
        centre = np.stack([(x + 0.5) * stride / WIDTH, (y + 0.5) * stride / HEIGHT], axis=-1)
        size = np.array([[pixels / WIDTH, pixels / HEIGHT] for pixels in sizes])
        cells = np.broadcast_to(centre[:, :, None], (*y.shape, len(sizes), 2))
        rows.append(np.concatenate([cells, np.broadcast_to(size, cells.shape)], -1).reshape(-1, 4))
    return np.clip(np.concatenate(rows), 0, 1)


def decode(boxes: np.ndarray) -> np.ndarray:
    """From offsets to the candidates to left, top, right, bottom as shares of the picture."""
    base = candidates()
    centre = base[:, :2] + CENTRE_VARIANCE * boxes[0, :, :2] * base[:, 2:]
    size = base[:, 2:] * np.exp(SIZE_VARIANCE * boxes[0, :, 2:])
    return np.concatenate([centre - size / 2, centre + size / 2], axis=1)


def overlap(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Area of the intersection over area of the union; boxes are left, top, right, bottom."""
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=1)
    areas = np.prod(others[:, 2:] - others[:, :2], axis=1)
    return shared / (np.prod(box[2:] - box[:2]) + areas - shared)


def find_faces(scores: np.ndarray, boxes: np.ndarray) -> list[tuple[float, np.ndarray]]:
    """Score and box of each face: the best candidate, those that overlap it dropped, and again."""
    sure = scores[0, :, 1] > MIN_SCORE
    scores, boxes = scores[0, sure, 1], decode(boxes)[sure]
    faces = []
    while len(scores):
        best = int(np.argmax(scores))
        faces.append((float(scores[best]), boxes[best]))
        keep = overlap(boxes[best], boxes) <= MAX_OVERLAP
        keep[best] = False
        scores, boxes = scores[keep], boxes[keep]
    return faces


def draw_faces(photograph: Image.Image, faces: list[tuple[float, np.ndarray]], path: Path) -> None:
    picture = photograph.copy()
    pen = ImageDraw.Draw(picture)
    size = np.array([picture.width, picture.height] * 2)
    for score, box in faces:
        left, top, right, bottom = (float(edge) for edge in box * size)
        pen.rectangle((left, top, right, bottom), outline=(0, 255, 0), width=3)
        label = f" face {score:.3f} "
        corner = (left, max(top - 12, 0))
        pen.rectangle(pen.textbbox(corner, label), fill=(0, 0, 0))
        pen.text(corner, label, fill=(0, 255, 0))
    path.parent.mkdir(exist_ok=True)
    picture.save(path)


def print_placement(engine: npugraph.Engine) -> None:
    described = engine.describe()
    nodes = Counter(node["device"] for node in described["nodes"])
    kernels = Counter(program["kernel"] for program in described["programs"])
    print("placement")
    for device, count in sorted(nodes.items()):
        print(f"  {device:<6} {count} of {len(described['nodes'])} nodes")
    refused = [node for node in described["nodes"] if node["reason"]]
    for reason, count in Counter(node["reason"] for node in refused).most_common(3):
        print(f"         {count} refused by the wanted device: {reason}")
    common = ", ".join(f"{count} x {kernel}" for kernel, count in kernels.most_common(4))
    print(f"  {len(described['programs'])} programs: {common}")
    print(f"  copies between devices: {described['copies']}")


def compare_with_onnxruntime(pixels: np.ndarray, outputs: dict[str, np.ndarray]) -> bool:
    try:
        import onnxruntime
    except ImportError:
        print("comparison: onnxruntime is not installed")
        return True
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3  # this model's file makes it warn about every weight
    peer = onnxruntime.InferenceSession(str(MODEL), settings, providers=["CPUExecutionProvider"])
    names = list(outputs)
    expected = peer.run(names, {peer.get_inputs()[0].name: pixels})
    print(f"comparison with onnxruntime {onnxruntime.__version__}")
    good = True
    for name, want in zip(names, expected, strict=True):
        ours, theirs = outputs[name].ravel().astype(np.float64), want.ravel().astype(np.float64)
        cosine = ours @ theirs / (np.linalg.norm(ours) * np.linalg.norm(theirs))
        max_abs = np.abs(ours - theirs).max()
        good &= bool(max_abs < 1e-4 * np.abs(theirs).max() and cosine >= 0.99999)
        print(f"  {name:<8} cosine {cosine:.8f}, max abs difference {max_abs:.2e}")
    print("  the same numbers" if good else "  NOT the same numbers")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description="Compiles and runs the face detection example.")
    parser.add_argument("--device", default="cpu", help="device to compile for (default: cpu)")
    parser.add_argument("--threads", type=int, default=0, help="host threads; 0: all processors")
    parser.add_argument("--image", type=Path, default=PHOTOGRAPH, help="photograph to look at")
    options = parser.parse_args()
    out = ROOT / "out"
    out.mkdir(exist_ok=True)

    began = time.perf_counter()
    engine = npugraph.compile(MODEL, device=options.device)
    engine.save(out / "quickstart.engine")
    compiled = time.perf_counter()
    session = npugraph.Session(out / "quickstart.engine", threads=options.threads)
    loaded = time.perf_counter()

    photograph = Image.open(options.image).convert("RGB")
    pixels = preprocess(photograph)
    inputs = {session.inputs[0].name: pixels}
    start = time.perf_counter()
    outputs = session.run(inputs)
    first = time.perf_counter() - start
    samples = []
    for _ in range(RUNS):
        start = time.perf_counter()
        session.run(inputs)
        samples.append(time.perf_counter() - start)

    faces = find_faces(outputs["scores"], outputs["boxes"])
    draw_faces(photograph, faces, out / "quickstart.png")
    print(f"npugraph {npugraph.__version__}: {MODEL.name} on {options.image.name}")
    print_placement(engine)
    print("times")
    print(f"  compile and save {1e3 * (compiled - began):8.1f} ms")
    print(f"  load             {1e3 * (loaded - compiled):8.1f} ms")
    print(f"  first run        {1e3 * first:8.1f} ms")
    print(f"  run              {1e3 * statistics.median(samples):8.1f} ms, median of {RUNS}")
    same = compare_with_onnxruntime(pixels, outputs)
    print(f"{len(faces)} face(s), drawn in out/quickstart.png")
    for score, box in faces:
        print(f"  score {score:.3f} at {', '.join(f'{edge:.3f}' for edge in box)}")
    return 0 if same and faces else 1


if __name__ == "__main__":
    sys.exit(main())
