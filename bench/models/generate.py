# SPDX-License-Identifier: Apache-2.0
"""Reference architectures as torch modules, written to ONNX (opset 17).

The weights are random with a fixed seed: these models are for speed and for the graphs that real
exporters make, not for accuracy. `minilm` is the exception, it loads the published weights.

Shape letters: n batch, c channels, h w spatial, s tokens, d model width.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

OPSET = 17
SEED = 1


# --- building blocks ------------------------------------------------------------------------------


class ConvNorm(nn.Sequential):
    """Convolution without bias, batch normalisation, and an activation unless it is None."""

    def __init__(self, c_in, c_out, kernel=3, stride=1, groups=1, act=nn.ReLU):
        layers = [
            nn.Conv2d(c_in, c_out, kernel, stride, kernel // 2, groups=groups, bias=False),
            nn.BatchNorm2d(c_out),
        ]
        if act is not None:
            layers.append(act())
        super().__init__(*layers)


# --- ResNet-50 ------------------------------------------------------------------------------------


class Bottleneck(nn.Module):
    def __init__(self, c_in, width, stride):
        super().__init__()
        c_out = 4 * width
        self.reduce = ConvNorm(c_in, width, 1)
        self.spatial = ConvNorm(width, width, 3, stride)
        self.expand = ConvNorm(width, c_out, 1, act=None)
        same_shape = stride == 1 and c_in == c_out
        self.shortcut = None if same_shape else ConvNorm(c_in, c_out, 1, stride, act=None)

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x if self.shortcut is None else self.shortcut(x)
        return F.relu(self.expand(self.spatial(self.reduce(x))) + shortcut)


class ResNet50(nn.Module):
    STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # width, blocks, first stride

    def __init__(self, classes=1000):
        super().__init__()
        layers = [ConvNorm(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)]
        c_in = 64
        for width, blocks, first_stride in self.STAGES:
            for block in range(blocks):
                layers.append(Bottleneck(c_in, width, first_stride if block == 0 else 1))
                c_in = 4 * width
        self.features = nn.Sequential(*layers)
        self.head = nn.Linear(c_in, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(F.adaptive_avg_pool2d(self.features(x), 1).flatten(1))


# --- MobileNet V2 and V3 --------------------------------------------------------------------------


class InvertedResidual(nn.Module):
    def __init__(self, c_in, c_out, stride, expansion):
        super().__init__()
        hidden = c_in * expansion
        layers = [] if expansion == 1 else [ConvNorm(c_in, hidden, 1, act=nn.ReLU6)]
        layers.append(ConvNorm(hidden, hidden, 3, stride, hidden, nn.ReLU6))
        layers.append(ConvNorm(hidden, c_out, 1, act=None))
        self.body = nn.Sequential(*layers)
        self.residual = stride == 1 and c_in == c_out

    def forward(self, x: Tensor) -> Tensor:
        y = self.body(x)
        return x + y if self.residual else y


class MobileNetV2(nn.Module):
    # expansion, channels, blocks, first stride
    STAGES = (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    )

    def __init__(self, classes=1000):
        super().__init__()
        layers = [ConvNorm(3, 32, 3, 2, act=nn.ReLU6)]
        c_in = 32
        for expansion, c_out, blocks, first_stride in self.STAGES:
            for block in range(blocks):
                stride = first_stride if block == 0 else 1
                layers.append(InvertedResidual(c_in, c_out, stride, expansion))
                c_in = c_out
        layers.append(ConvNorm(c_in, 1280, 1, act=nn.ReLU6))
        self.features = nn.Sequential(*layers)
        self.head = nn.Linear(1280, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.features(x).mean([2, 3]))


class SqueezeExcite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.down = nn.Conv2d(channels, channels // 4, 1)
        self.up = nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        gate = F.relu(self.down(F.adaptive_avg_pool2d(x, 1)))
        return x * F.hardsigmoid(self.up(gate))


class MobileNetV3Block(nn.Module):
    def __init__(self, c_in, kernel, hidden, c_out, squeeze, act, stride):
        super().__init__()
        layers = [] if hidden == c_in else [ConvNorm(c_in, hidden, 1, act=act)]
        layers.append(ConvNorm(hidden, hidden, kernel, stride, hidden, act))
        if squeeze:
            layers.append(SqueezeExcite(hidden))
        layers.append(ConvNorm(hidden, c_out, 1, act=None))
        self.body = nn.Sequential(*layers)
        self.residual = stride == 1 and c_in == c_out

    def forward(self, x: Tensor) -> Tensor:
        y = self.body(x)
        return x + y if self.residual else y


class MobileNetV3Large(nn.Module):
    # kernel, hidden channels, channels, squeeze-excite, hard swish, stride
    BLOCKS = (
        (3, 16, 16, False, False, 1),
        (3, 64, 24, False, False, 2),
        (3, 72, 24, False, False, 1),
        (5, 72, 40, True, False, 2),
        (5, 120, 40, True, False, 1),
        (5, 120, 40, True, False, 1),
        (3, 240, 80, False, True, 2),
        (3, 200, 80, False, True, 1),
        (3, 184, 80, False, True, 1),
        (3, 184, 80, False, True, 1),
        (3, 480, 112, True, True, 1),
        (3, 672, 112, True, True, 1),
        (5, 672, 160, True, True, 2),
        (5, 960, 160, True, True, 1),
        (5, 960, 160, True, True, 1),
    )

    def __init__(self, classes=1000):
        super().__init__()
        layers: list[nn.Module] = [ConvNorm(3, 16, 3, 2, act=nn.Hardswish)]
        c_in = 16
        for kernel, hidden, c_out, squeeze, hard_swish, stride in self.BLOCKS:
            act = nn.Hardswish if hard_swish else nn.ReLU
            layers.append(MobileNetV3Block(c_in, kernel, hidden, c_out, squeeze, act, stride))
            c_in = c_out
        layers.append(ConvNorm(c_in, 960, 1, act=nn.Hardswish))
        self.features = nn.Sequential(*layers)
        self.hidden = nn.Linear(960, 1280)
        self.head = nn.Linear(1280, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(F.hardswish(self.hidden(self.features(x).mean([2, 3]))))


# --- YOLOv5s --------------------------------------------------------------------------------------


class YoloBottleneck(nn.Module):
    def __init__(self, channels, residual):
        super().__init__()
        self.reduce = ConvNorm(channels, channels, 1, act=nn.SiLU)
        self.spatial = ConvNorm(channels, channels, 3, act=nn.SiLU)
        self.residual = residual

    def forward(self, x: Tensor) -> Tensor:
        y = self.spatial(self.reduce(x))
        return x + y if self.residual else y


class CrossStage(nn.Module):
    """Two 1x1 branches, bottlenecks on one of them, joined by a third 1x1 convolution."""

    def __init__(self, c_in, c_out, blocks, residual=True):
        super().__init__()
        half = c_out // 2
        self.deep = ConvNorm(c_in, half, 1, act=nn.SiLU)
        self.plain = ConvNorm(c_in, half, 1, act=nn.SiLU)
        self.join = ConvNorm(2 * half, c_out, 1, act=nn.SiLU)
        self.blocks = nn.Sequential(*[YoloBottleneck(half, residual) for _ in range(blocks)])

    def forward(self, x: Tensor) -> Tensor:
        return self.join(torch.cat([self.blocks(self.deep(x)), self.plain(x)], 1))


class PyramidPool(nn.Module):
    """Three chained 5x5 max pools see 5, 9 and 13 pixels; all are concatenated."""

    def __init__(self, channels):
        super().__init__()
        self.reduce = ConvNorm(channels, channels // 2, 1, act=nn.SiLU)
        self.join = ConvNorm(channels * 2, channels, 1, act=nn.SiLU)
        self.pool = nn.MaxPool2d(5, 1, 2)

    def forward(self, x: Tensor) -> Tensor:
        levels = [self.reduce(x)]
        for _ in range(3):
            levels.append(self.pool(levels[-1]))
        return self.join(torch.cat(levels, 1))


class YoloHead(nn.Module):
    """One scale: 1x1 convolution, sigmoid, boxes in pixels.  -> [n, 3*h*w, classes + 5]"""

    def __init__(self, channels, classes, stride, cells, anchors):
        super().__init__()
        self.fields = classes + 5
        self.stride = float(stride)
        self.conv = nn.Conv2d(channels, 3 * self.fields, 1)
        y, x = torch.meshgrid(torch.arange(cells), torch.arange(cells), indexing="ij")
        grid = torch.stack((x, y), 2).view(1, 1, cells, cells, 2).float() - 0.5
        self.register_buffer("grid", grid)
        self.register_buffer("anchors", torch.tensor(anchors).view(1, 3, 1, 1, 2).float())

    def forward(self, x: Tensor) -> Tensor:
        _, _, h, w = x.shape
        y = self.conv(x).view(1, 3, self.fields, h, w).permute(0, 1, 3, 4, 2).sigmoid()
        xy, wh, scores = y.split((2, 2, self.fields - 4), 4)
        xy = (xy * 2 + self.grid) * self.stride
        wh = (wh * 2) ** 2 * self.anchors
        return torch.cat((xy, wh, scores), 4).view(1, 3 * h * w, self.fields)


class Yolov5s(nn.Module):
    ANCHORS = (
        (10, 13, 16, 30, 33, 23),
        (30, 61, 62, 45, 59, 119),
        (116, 90, 156, 198, 373, 326),
    )

    def __init__(self, classes=80, image=640):
        super().__init__()

        def conv(c_in, c_out, kernel=3, stride=2):
            return ConvNorm(c_in, c_out, kernel, stride, act=nn.SiLU)

        stem = [nn.Conv2d(3, 32, 6, 2, 2, bias=False), nn.BatchNorm2d(32), nn.SiLU()]
        self.stage3 = nn.Sequential(
            *stem, conv(32, 64), CrossStage(64, 64, 1), conv(64, 128), CrossStage(128, 128, 2)
        )
        self.stage4 = nn.Sequential(conv(128, 256), CrossStage(256, 256, 3))
        self.stage5 = nn.Sequential(conv(256, 512), CrossStage(512, 512, 1), PyramidPool(512))
        self.up5 = conv(512, 256, 1, 1)
        self.merge4 = CrossStage(512, 256, 1, False)
        self.up4 = conv(256, 128, 1, 1)
        self.merge3 = CrossStage(256, 128, 1, False)
        self.down3 = conv(128, 128)
        self.out4 = CrossStage(256, 256, 1, False)
        self.down4 = conv(256, 256)
        self.out5 = CrossStage(512, 512, 1, False)
        self.heads = nn.ModuleList(
            YoloHead(channels, classes, stride, image // stride, anchors)
            for channels, stride, anchors in zip(
                (128, 256, 512), (8, 16, 32), self.ANCHORS, strict=True
            )
        )

    def forward(self, x: Tensor) -> Tensor:
        p3 = self.stage3(x)
        p4 = self.stage4(p3)
        p5 = self.up5(self.stage5(p4))
        up4 = self.up4(self.merge4(torch.cat([F.interpolate(p5, scale_factor=2.0), p4], 1)))
        out3 = self.merge3(torch.cat([F.interpolate(up4, scale_factor=2.0), p3], 1))
        out4 = self.out4(torch.cat([self.down3(out3), up4], 1))
        out5 = self.out5(torch.cat([self.down4(out4), p5], 1))
        outputs = zip(self.heads, (out3, out4, out5), strict=True)
        return torch.cat([head(x) for head, x in outputs], 1)


# --- U-Net ----------------------------------------------------------------------------------------


class UNet(nn.Module):
    def __init__(self, width=32, classes=2):
        super().__init__()
        channels = [width << level for level in range(5)]

        def double(c_in, c_out):
            return nn.Sequential(ConvNorm(c_in, c_out), ConvNorm(c_out, c_out))

        pairs = list(pairwise(channels))
        self.down = nn.ModuleList([double(3, width)] + [double(lo, hi) for lo, hi in pairs])
        self.up = nn.ModuleList(nn.ConvTranspose2d(hi, lo, 2, 2) for lo, hi in reversed(pairs))
        self.merge = nn.ModuleList(double(hi, lo) for lo, hi in reversed(pairs))
        self.head = nn.Conv2d(width, classes, 1)

    def forward(self, x: Tensor) -> Tensor:
        levels = []
        for level, block in enumerate(self.down):
            x = block(x if level == 0 else F.max_pool2d(x, 2))
            levels.append(x)
        for up, merge, skip in zip(self.up, self.merge, reversed(levels[:-1]), strict=True):
            x = merge(torch.cat([skip, up(x)], 1))
        return self.head(x)


# --- transformers ---------------------------------------------------------------------------------


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.head_width = d // heads
        self.query = nn.Linear(d, d)
        self.key = nn.Linear(d, d)
        self.value = nn.Linear(d, d)
        self.output = nn.Linear(d, d)

    def split_heads(self, x: Tensor, n: int) -> Tensor:
        return x.view(n, -1, self.heads, self.head_width).transpose(1, 2)

    def forward(self, x: Tensor, mask: Tensor | None = None, past=None):
        """x [n, s, d]; mask is added to the scores; past = (keys, values) of earlier tokens.

        Returns the attended [n, s, d] and the keys and values, past ones included.
        """
        n, s, d = x.shape
        query, key, value = (
            self.split_heads(project(x), n) for project in (self.query, self.key, self.value)
        )
        if past is not None:
            key = torch.cat([past[0], key], 2)
            value = torch.cat([past[1], value], 2)
        scores = query @ key.transpose(-1, -2) * (1 / math.sqrt(self.head_width))
        if mask is not None:
            scores = scores + mask
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).reshape(n, s, d)
        return self.output(mixed), key, value


class FeedForward(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.up = nn.Linear(d, 4 * d)
        self.down = nn.Linear(4 * d, d)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.gelu(self.up(x)))


class PreNormBlock(nn.Module):
    def __init__(self, d, heads, eps):
        super().__init__()
        self.attention = Attention(d, heads)
        self.attention_norm = nn.LayerNorm(d, eps=eps)
        self.feed_forward = FeedForward(d)
        self.feed_forward_norm = nn.LayerNorm(d, eps=eps)

    def forward(self, x: Tensor, mask: Tensor | None = None, past=None):
        attended, key, value = self.attention(self.attention_norm(x), mask, past)
        x = x + attended
        return x + self.feed_forward(self.feed_forward_norm(x)), key, value


class PostNormBlock(nn.Module):
    def __init__(self, d, heads, eps):
        super().__init__()
        self.attention = Attention(d, heads)
        self.attention_norm = nn.LayerNorm(d, eps=eps)
        self.feed_forward = FeedForward(d)
        self.feed_forward_norm = nn.LayerNorm(d, eps=eps)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = self.attention_norm(x + self.attention(x, mask)[0])
        return self.feed_forward_norm(x + self.feed_forward(x))


class VisionTransformer(nn.Module):
    """ViT-B/16 for 224x224 images: 14 * 14 patches and the class token."""

    def __init__(self, d=768, layers=12, heads=12, classes=1000):
        super().__init__()
        self.patch = nn.Conv2d(3, d, 16, 16)
        self.class_token = nn.Parameter(torch.zeros(1, 1, d))
        self.position = nn.Parameter(torch.zeros(1, 14 * 14 + 1, d))
        self.blocks = nn.ModuleList(PreNormBlock(d, heads, 1e-6) for _ in range(layers))
        self.norm = nn.LayerNorm(d, eps=1e-6)
        self.head = nn.Linear(d, classes)

    def forward(self, x: Tensor) -> Tensor:
        patches = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token, patches], 1) + self.position
        for block in self.blocks:
            x = block(x)[0]
        return self.head(self.norm(x)[:, 0])


class Bert(nn.Module):
    def __init__(self, d=768, layers=12, heads=12, vocabulary=30522):
        super().__init__()
        self.words = nn.Embedding(vocabulary, d)
        self.positions = nn.Embedding(512, d)
        self.token_types = nn.Embedding(2, d)
        self.norm = nn.LayerNorm(d, eps=1e-12)
        self.blocks = nn.ModuleList(PostNormBlock(d, heads, 1e-12) for _ in range(layers))
        self.pooler = nn.Linear(d, d)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor):
        positions = self.positions.weight[: input_ids.shape[1]]
        x = self.norm(self.words(input_ids) + positions + self.token_types(token_type_ids))
        mask = (1.0 - attention_mask[:, None, None, :].float()) * -1e4
        for block in self.blocks:
            x = block(x, mask)
        return x, torch.tanh(self.pooler(x[:, 0]))


class Gpt(nn.Module):
    """Decoder; its key/value cache is input and output: [layers, n, heads, tokens, d / heads]."""

    def __init__(self, d=768, layers=6, heads=12, vocabulary=32000):
        super().__init__()
        self.words = nn.Embedding(vocabulary, d)
        self.positions = nn.Embedding(1024, d)
        self.blocks = nn.ModuleList(PreNormBlock(d, heads, 1e-6) for _ in range(layers))
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, vocabulary, bias=False)

    def forward(self, ids: Tensor, pos: Tensor, mask: Tensor, past_k: Tensor, past_v: Tensor):
        x = self.words(ids) + self.positions(pos)
        keys, values = [], []
        for layer, block in enumerate(self.blocks):
            x, key, value = block(x, mask, (past_k[layer], past_v[layer]))
            keys.append(key)
            values.append(value)
        return self.head(self.norm(x[:, -1:])), torch.stack(keys), torch.stack(values)


# --- speech ---------------------------------------------------------------------------------------


class AcousticModel(nn.Module):
    """Two strided convolutions, three bidirectional LSTMs, character scores (DeepSpeech 2 like)."""

    def __init__(self, hidden=384, characters=29):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, (5, 5), (2, 2), 2)
        self.conv2 = nn.Conv2d(32, 32, (5, 5), (2, 1), 2)
        self.lstm = nn.LSTM(32 * 20, hidden, 3, bidirectional=True, batch_first=True)
        self.head = nn.Linear(2 * hidden, characters)

    def forward(self, features: Tensor) -> Tensor:
        x = F.hardtanh(self.conv1(features), 0.0, 20.0)
        x = F.hardtanh(self.conv2(x), 0.0, 20.0)
        x = x.permute(0, 3, 1, 2).flatten(2)
        return F.log_softmax(self.head(self.lstm(x)[0]), -1)


# --- weights and export ---------------------------------------------------------------------------


def randomize(model: nn.Module) -> None:
    """Draws weights whose scale keeps activations finite and away from zero in every layer."""
    for parameter in model.parameters():
        if parameter.ndim == 4:
            nn.init.kaiming_normal_(parameter, nonlinearity="relu")
        elif parameter.ndim >= 2:
            nn.init.normal_(parameter, 0, 0.02 if parameter.ndim == 2 else 0.05)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.weight, 0.5, 1.0)
            nn.init.normal_(module.bias, 0, 0.1)
            nn.init.normal_(module.running_mean, 0, 0.1)
            nn.init.uniform_(module.running_var, 0.5, 1.5)
        elif isinstance(module, nn.LSTM):
            # Twice the usual bound: smaller weights would leave almost nothing of the input.
            bound = 2 / math.sqrt(module.hidden_size)
            for parameter in module.parameters():
                nn.init.uniform_(parameter, -bound, bound)


def load_minilm(model: Bert, weights_path: Path) -> None:
    """Copies the published all-MiniLM-L6-v2 weights (safetensors) into `model`."""
    from safetensors.torch import load_file

    published = load_file(weights_path)
    names = {
        "words": "embeddings.word_embeddings",
        "positions": "embeddings.position_embeddings",
        "token_types": "embeddings.token_type_embeddings",
        "norm": "embeddings.LayerNorm",
        "pooler": "pooler.dense",
    }
    for layer in range(len(model.blocks)):
        ours, theirs = f"blocks.{layer}", f"encoder.layer.{layer}"
        names |= {
            f"{ours}.attention.query": f"{theirs}.attention.self.query",
            f"{ours}.attention.key": f"{theirs}.attention.self.key",
            f"{ours}.attention.value": f"{theirs}.attention.self.value",
            f"{ours}.attention.output": f"{theirs}.attention.output.dense",
            f"{ours}.attention_norm": f"{theirs}.attention.output.LayerNorm",
            f"{ours}.feed_forward.up": f"{theirs}.intermediate.dense",
            f"{ours}.feed_forward.down": f"{theirs}.output.dense",
            f"{ours}.feed_forward_norm": f"{theirs}.output.LayerNorm",
        }
    state = {}
    for key in model.state_dict():
        module, kind = key.rsplit(".", 1)
        state[key] = published[f"{names[module]}.{kind}"]
    model.load_state_dict(state)


@dataclass(frozen=True)
class Recipe:
    """How one model is built and exported."""

    build: Callable[[], nn.Module]
    example: Callable[[], tuple[Tensor, ...]]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    dynamic: dict[str, dict[int, str]] = field(default_factory=dict)


def image(size: int) -> Callable[[], tuple[Tensor, ...]]:
    return lambda: (torch.rand(1, 3, size, size),)


def tokens() -> tuple[Tensor, ...]:
    s = 128
    ones = torch.ones(1, s, dtype=torch.long)
    return torch.randint(0, 30000, (1, s)), ones, torch.zeros_like(ones)


def decoder_step() -> tuple[Tensor, ...]:
    past = 256
    cache = torch.randn(6, 1, 12, past, 64)
    ids = torch.randint(0, 30000, (1, 1))
    return ids, torch.full((1, 1), past), torch.zeros(1, 1, 1, past + 1), cache, cache.clone()


TOKEN_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
TOKEN_AXES = {name: {0: "b", 1: "t"} for name in TOKEN_INPUTS}
CACHE_AXES = {
    "ids": {1: "t"},
    "pos": {1: "t"},
    "mask": {2: "t", 3: "s"},
    "past_k": {3: "p"},
    "past_v": {3: "p"},
}

RECIPES = {
    "resnet50": Recipe(ResNet50, image(224), ("input",), ("output",)),
    "mobilenetv2": Recipe(MobileNetV2, image(224), ("input",), ("output",)),
    "mobilenetv3_large": Recipe(MobileNetV3Large, image(224), ("input",), ("output",)),
    "vit_b16": Recipe(VisionTransformer, image(224), ("input",), ("output",)),
    "yolov5s": Recipe(Yolov5s, image(640), ("input",), ("output",)),
    "unet32": Recipe(UNet, image(256), ("input",), ("output",)),
    "bert_base_t128": Recipe(Bert, tokens, TOKEN_INPUTS, ("hidden", "pooled"), TOKEN_AXES),
    "minilm_t128": Recipe(
        lambda: Bert(384, 6, 12), tokens, TOKEN_INPUTS, ("hidden", "pooled"), TOKEN_AXES
    ),
    "gpt6": Recipe(
        Gpt,
        decoder_step,
        ("ids", "pos", "mask", "past_k", "past_v"),
        ("logits", "k", "v"),
        CACHE_AXES,
    ),
    "asr_bilstm": Recipe(
        AcousticModel, lambda: (torch.randn(1, 1, 80, 300),), ("feat",), ("logp",)
    ),
}


def build(name: str, minilm_weights: Path | None) -> nn.Module:
    torch.manual_seed(SEED)
    model = RECIPES[name].build()
    randomize(model)
    if minilm_weights is not None:
        load_minilm(model, minilm_weights)
    return model.eval()


def generate(name: str, path: Path, minilm_weights: Path | None = None) -> None:
    """Writes the model `name` to `path`. `minilm_weights` is needed by minilm_t128 alone."""
    recipe = RECIPES[name]
    torch.onnx.export(
        build(name, minilm_weights),
        recipe.example(),
        str(path),
        input_names=list(recipe.inputs),
        output_names=list(recipe.outputs),
        opset_version=OPSET,
        dynamo=False,
        dynamic_axes=recipe.dynamic,
        do_constant_folding=True,
    )


def generate_dynamo(name: str, path: Path, opset: int, minilm_weights: Path | None = None) -> None:
    """The same by the exporter that goes through torch.export; needs onnxscript."""
    recipe = RECIPES[name]
    symbols = {s: torch.export.Dim(s) for axes in recipe.dynamic.values() for s in axes.values()}
    shapes = [
        {axis: symbols[s] for axis, s in recipe.dynamic.get(key, {}).items()}
        for key in recipe.inputs
    ]
    example = recipe.example()
    # Sizes of one would be taken for fixed.
    if recipe.dynamic:
        example = tuple(torch.cat([x, x]) for x in example)
    torch.onnx.export(
        build(name, minilm_weights),
        example,
        str(path),
        input_names=list(recipe.inputs),
        output_names=list(recipe.outputs),
        opset_version=opset,
        dynamo=True,
        dynamic_shapes=tuple(shapes) if recipe.dynamic else None,
        external_data=False,
        verbose=False,
    )
