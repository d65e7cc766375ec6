# SPDX-License-Identifier: Apache-2.0
"""OpenVINO's CPU plug-in as it comes: bf16 arithmetic where the CPU has it."""

from peers.engines import openvino


class Runner(openvino.Runner):
    precision = "bf16"
    hints: dict[str, str] = {}
