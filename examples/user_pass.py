#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A pass of your own: a device has no bicubic Resize, so a bilinear one and a 3x3 sharpening stand
in for it.

python examples/user_pass.py
python examples/user_pass.py --plugin ./libmydevice.so --device mydevice

Builds a small super-resolution model, shows which of its nodes the device refuses with and without
the pass, and prints the PSNR against exact bicubic. The rewrite approximates: whether that is good
enough is for you to say, which is why no built-in pass does it.
"""

import argparse

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import npugraph

SIZE = 48
# Bilinear interpolation softens edges more than bicubic does; this brings them back.
SHARPEN = 0.1


def super_resolution_model() -> bytes:
    """Two convolutions that clean an image, then twice the size by bicubic interpolation."""
    rng = np.random.default_rng(0)
    constants = [numpy_helper.from_array(np.float32([1, 1, 2, 2]), "scales")]
    for name, outputs, inputs in (("clean1", 8, 3), ("clean2", 3, 8)):
        weights = rng.normal(0, 0.01, (outputs, inputs, 3, 3)).astype(np.float32)
        for channel in range(3):
            weights[channel, channel, 1, 1] += 1  # nearly the image itself
        constants.append(numpy_helper.from_array(weights, f"{name}.weight"))
        constants.append(numpy_helper.from_array(np.zeros(outputs, np.float32), f"{name}.bias"))

    def conv(name: str, source: str, made: str) -> onnx.NodeProto:
        inputs = [source, f"{name}.weight", f"{name}.bias"]
        return helper.make_node("Conv", inputs, [made], name, pads=[1, 1, 1, 1])

    nodes = [
        conv("clean1", "image", "features"),
        helper.make_node("Relu", ["features"], ["active"], "relu"),
        conv("clean2", "active", "clean"),
        helper.make_node("Resize", ["clean", "", "scales"], ["large"], "upscale", mode="cubic"),
    ]
    graph = helper.make_graph(
        nodes,
        "super_resolution",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, SIZE, SIZE])],
        [helper.make_tensor_value_info("large", TensorProto.FLOAT, [1, 3, 2 * SIZE, 2 * SIZE])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def sharpen(match: npugraph.PatternMatch) -> bool:
    """Guard: sets a 3x3 kernel a channel, each of which sums to one."""
    found = match.type("x")
    if found is None or found.dtype != "float32" or found.shape is None or len(found.shape) != 4:
        return False
    channels = found.shape[1]
    if not isinstance(channels, int):
        return False
    a = SHARPEN
    kernel = np.float32([[0, -a, 0], [-a, 1 + 4 * a, -a], [0, -a, 0]])
    match.set_constant("kernel", np.tile(kernel, (channels, 1, 1, 1)))
    match.set_attr("channels", channels)
    return True


def register(library: npugraph.Library) -> None:
    library.register_pass(
        "bicubic_to_bilinear",
        [
            (
                'y = Resize{mode = "cubic", *}(x, -, scales)',
                """small = Resize{*y, mode = "linear"}(x, -, scales)
                   y = Conv{group = $channels, pads = [1, 1, 1, 1]}(small, kernel)""",
                sharpen,
            )
        ],
        doc="bicubic Resize becomes a bilinear one and a 3x3 sharpening",
    )


def textured_image() -> np.ndarray:
    """Noise whose detail falls with its frequency, as that of photographs does."""
    across = np.fft.fftfreq(SIZE)
    frequency = np.hypot(across[:, None], across)
    frequency[0, 0] = 1
    noise = np.random.default_rng(0).normal(size=(3, SIZE, SIZE))
    planes = np.fft.ifft2(np.fft.fft2(noise) / frequency).real
    planes -= planes.min((1, 2), keepdims=True)
    return np.float32(planes / planes.max((1, 2), keepdims=True))[None]


def psnr_db(found: np.ndarray, wanted: np.ndarray) -> float:
    """Of the peak that the wanted image has."""
    peak = float(wanted.max() - wanted.min())
    error = float(np.mean((found.astype(np.float64) - wanted) ** 2))
    return 10 * float(np.log10(peak**2 / error))


def show_placement(title: str, engine: npugraph.Engine, device: str) -> int:
    """Prints the nodes that the device refuses; returns how many."""
    nodes = engine.describe()["nodes"]
    refused = [node for node in nodes if node["device"] != device]
    print(f"{title}: {len(nodes)} nodes, {len(refused)} not on {device}")
    for node in refused:
        print(
            f"  node '{node['name']}' ({node['op']}): {node['reason']}; "
            f"found {node['found']}, allowed {node['allowed']}"
        )
    return len(refused)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plugin", action="append", default=[], help="device plug-in to load")
    parser.add_argument("--device", default="cpu", help="device to compile for")
    arguments = parser.parse_args()

    library = npugraph.Library(plugins=arguments.plugin)
    model, image = super_resolution_model(), textured_image()

    def compiled(**options) -> npugraph.Engine:
        return npugraph.compile(model, device=arguments.device, library=library, **options)

    def run(engine: npugraph.Engine) -> np.ndarray:
        return npugraph.Session(engine).run({"image": image})["large"]

    before = compiled()
    show_placement("without the pass", before, arguments.device)
    register(library)
    after = compiled()
    show_placement("with the pass", after, arguments.device)
    switched_off = compiled(passes={"bicubic_to_bilinear": False})

    exact = run(before)
    assert np.array_equal(exact, run(switched_off))
    print(f"PSNR against exact bicubic: {psnr_db(run(after), exact):.1f} dB")


if __name__ == "__main__":
    main()
