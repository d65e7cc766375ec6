#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a PyTorch module to an answer: exports and compiles it, writes the engine file, opens that
again, binds torch tensors to it and runs; then compares with PyTorch.

    python examples/torch_module.py [--device cpu|vnpu]

Needs torch, and onnxscript for PyTorch's newer exporter (the older one is used without it).
"""

import argparse
import sys
import tempfile
from pathlib import Path

import npugraph

try:
    import torch
except ModuleNotFoundError:
    print("skipped: torch is not installed")
    sys.exit(77)  # what test harnesses take for "skipped"

TOLERANCE = 1e-4
CLASSES = 10


class SmallNet(torch.nn.Module):
    """Convolutions, a residual, attention over the pixels, and a classifier."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.stem = torch.nn.Sequential(
            torch.nn.Conv2d(3, width, 3, stride=2, padding=1),
            torch.nn.BatchNorm2d(width),
            torch.nn.SiLU(),
        )
        self.block = torch.nn.Sequential(
            torch.nn.Conv2d(width, width, 3, padding=1, groups=4), torch.nn.GELU()
        )
        self.query_key_value = torch.nn.Linear(width, 3 * width)
        self.norm = torch.nn.LayerNorm(width)
        self.head = torch.nn.Linear(width, CLASSES)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.stem(image)
        x = x + self.block(x)
        tokens = self.norm(x.flatten(2).transpose(1, 2))
        query, key, value = self.query_key_value(tokens).chunk(3, dim=-1)
        weights = torch.softmax(query @ key.transpose(1, 2) / query.shape[-1] ** 0.5, dim=-1)
        return self.head((tokens + weights @ value).mean(dim=1)).softmax(dim=-1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()

    torch.manual_seed(0)
    module = SmallNet().eval()
    example = torch.randn(1, 3, 32, 32)
    engine = npugraph.compile(
        module,
        args=(example,),
        dynamic_shapes={"image": {0: "batch"}},
        output_names=["probabilities"],
        device=options.device,
        shapes={"image": [4, 3, 32, 32]},
    )
    print(engine)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small_net.engine"
        engine.save(path)
        print(f"engine file: {path.stat().st_size} bytes")
        with npugraph.Session(path, threads=2) as session:
            images = torch.randn(4, 3, 32, 32)
            answer = torch.empty(4, CLASSES)
            with session.bind({"image": images}, out={"probabilities": answer}) as binding:
                worst = 0.0
                for _ in range(3):
                    images.copy_(torch.randn(4, 3, 32, 32))
                    binding.run()  # writes the torch tensor in place
                    with torch.no_grad():
                        expected = module(images)
                    error = (answer - expected).abs().max() / expected.abs().max()
                    worst = max(worst, float(error))
    print("classes:", answer.argmax(dim=1).tolist())
    print(f"largest relative error against torch: {worst:.2e} (allowed {TOLERANCE:.0e})")
    if not worst < TOLERANCE:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
