# SPDX-License-Identifier: Apache-2.0
"""The modules that bench/eager compares: small ones, where starting operators costs more than
computing them, and larger ones, where it does not. Weights are random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from models import generate
from torch import Tensor, nn


class Mlp(nn.Sequential):
    """[1, 64] -> [1, 10]: five layers of 128."""

    def __init__(self):
        sizes = [64, 128, 128, 128, 128, 10]
        layers: list[nn.Module] = []
        for d_in, d_out in zip(sizes[:-1], sizes[1:], strict=True):
            layers += [nn.Linear(d_in, d_out), nn.ReLU()]
        super().__init__(*layers[:-1])


class GatedMlp(nn.Module):
    """Eight residual blocks of norm, gate and product, 16 tokens of 64."""

    def __init__(self, d=64, blocks=8):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(blocks))
        self.ups = nn.ModuleList(nn.Linear(d, d) for _ in range(blocks))
        self.gates = nn.ModuleList(nn.Linear(d, d) for _ in range(blocks))
        self.downs = nn.ModuleList(nn.Linear(d, d) for _ in range(blocks))

    def forward(self, x: Tensor) -> Tensor:
        layers = zip(self.norms, self.ups, self.gates, self.downs, strict=True)
        for norm, up, gate, down in layers:
            y = norm(x)
            g = gate(y)
            x = x + down(up(y) * (g * torch.sigmoid(g))) * 0.5
        return x


class TinyTransformer(nn.Module):
    """Four pre-norm blocks of width 64 over 16 tokens."""

    def __init__(self, d=64, layers=4, heads=4):
        super().__init__()
        self.blocks = nn.ModuleList(generate.PreNormBlock(d, heads, 1e-5) for _ in range(layers))
        self.norm = nn.LayerNorm(d)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)[0]
        return self.norm(x)


class SmallLstm(nn.Module):
    """Two LSTM layers of 64 over 10 steps, and a classifier on the last."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(32, 64, 2)
        self.head = nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(x)[0][-1])


class ConvStack(nn.Sequential):
    """Six convolutions with norm and ReLU, 32x32, 16 to 64 channels."""

    def __init__(self):
        sizes = [3, 16, 16, 32, 32, 64, 64]
        layers: list[nn.Module] = []
        for place, (c_in, c_out) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
            layers.append(generate.ConvNorm(c_in, c_out, 3, 2 if place % 2 else 1))
        super().__init__(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


class MobileNetV3Small(generate.MobileNetV3Large):
    # kernel, hidden channels, channels, squeeze-excite, hard swish, stride
    BLOCKS = (
        (3, 16, 16, True, False, 2),
        (3, 72, 24, False, False, 2),
        (3, 88, 24, False, False, 1),
        (5, 96, 40, True, True, 2),
        (5, 240, 40, True, True, 1),
        (5, 240, 40, True, True, 1),
        (5, 120, 48, True, True, 1),
        (5, 144, 48, True, True, 1),
        (5, 288, 96, True, True, 2),
        (5, 576, 96, True, True, 1),
        (5, 576, 96, True, True, 1),
    )


class SmallBert(nn.Module):
    """Four post-norm blocks of width 256 over 64 tokens."""

    def __init__(self):
        super().__init__()
        self.bert = generate.Bert(256, 4, 4, 1000)

    def forward(self, ids: Tensor) -> Tensor:
        ones = torch.ones_like(ids)
        return self.bert(ids, ones, torch.zeros_like(ids))[0]


@dataclass(frozen=True)
class Case:
    """launch_bound: its operators are so small that starting them is most of the time."""

    build: Callable[[], nn.Module]
    example: Callable[[], Tensor]
    launch_bound: bool


CASES = {
    "mlp": Case(Mlp, lambda: torch.randn(1, 64), True),
    "gated_mlp": Case(GatedMlp, lambda: torch.randn(1, 16, 64), True),
    "tiny_transformer": Case(TinyTransformer, lambda: torch.randn(1, 16, 64), True),
    "lstm": Case(SmallLstm, lambda: torch.randn(10, 1, 32), True),
    "conv_stack": Case(ConvStack, lambda: torch.randn(1, 3, 32, 32), True),
    "mobilenetv3_small": Case(MobileNetV3Small, lambda: torch.randn(1, 3, 224, 224), False),
    "mobilenetv2": Case(generate.MobileNetV2, lambda: torch.randn(1, 3, 224, 224), False),
    "bert_small": Case(SmallBert, lambda: torch.randint(0, 1000, (1, 64)), False),
}


def make(name: str) -> tuple[nn.Module, Tensor]:
    """The module in eval mode and its input: equal in every process."""
    torch.manual_seed(generate.SEED)
    model = CASES[name].build()
    generate.randomize(model)
    return model.eval(), CASES[name].example()
