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
from .bisect import PassBisection, bisect_passes
from .compiler import CheckRow, check, compile, merge
from .engine import Engine, Port
from .errors import (
    Cancelled,
    Corrupt,
    Error,
    FileNotFound,
    Incompatible,
    Internal,
    InvalidArgument,
    NotFound,
    OutOfMemory,
    Timeout,
    UnknownOption,
    Unsupported,
)
from .library import (
    Device,
    Library,
    Operator,
    devices,
    operators,
    passes,
    register_pass,
    remove_pass,
)
from .optimise import OptimiseReport, optimise
from .options import CompileOptions
from .passes import Pass, PatternMatch, ValueType
from .session import IOBinding, Layer, Session, random_inputs
from .sources import export_onnx

__all__ = [
    "Cancelled",
    "CheckRow",
    "CompileOptions",
    "Corrupt",
    "Device",
    "Engine",
    "Error",
    "FileNotFound",
    "IOBinding",
    "Incompatible",
    "Internal",
    "InvalidArgument",
    "Layer",
    "Library",
    "NotFound",
    "Operator",
    "OptimiseReport",
    "OutOfMemory",
    "Pass",
    "PassBisection",
    "PatternMatch",
    "Port",
    "Session",
    "Timeout",
    "UnknownOption",
    "Unsupported",
    "ValueType",
    "__version__",
    "bisect_passes",
    "check",
    "compile",
    "devices",
    "export_onnx",
    "merge",
    "operators",
    "optimise",
    "passes",
    "random_inputs",
    "register_pass",
    "remove_pass",
]
