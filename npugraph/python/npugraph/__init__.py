# SPDX-License-Identifier: Apache-2.0
"""Compiles models into one engine file for an NPU, and runs them.

    import npugraph

    engine = npugraph.compile("model.onnx")
    engine.save("model.engine")
    session = npugraph.Session(engine, threads=2)
    outputs = session.run({"input": array})

Every failure is an npugraph.Error with a code, a stable id, what was found and expected, and what
to do. Importing this package loads no other package; numpy is loaded by what makes arrays.
"""

from ._npugraph import __version__
from .api import (
    CheckRow,
    Device,
    Engine,
    Layer,
    Library,
    Operator,
    Port,
    Session,
    check,
    compile,
    devices,
    operators,
    random_inputs,
)
from .errors import Error

__all__ = [
    "CheckRow",
    "Device",
    "Engine",
    "Error",
    "Layer",
    "Library",
    "Operator",
    "Port",
    "Session",
    "__version__",
    "check",
    "compile",
    "devices",
    "operators",
    "random_inputs",
]
