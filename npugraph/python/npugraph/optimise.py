# SPDX-License-Identifier: Apache-2.0
"""optimise(): a model through the passes, and out again as ONNX."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from . import _npugraph
from .library import native_library, path_bytes
from .options import CompileFields, CompileOptions, native_arguments, resolve

if TYPE_CHECKING:
    from typing import Unpack

    from .library import Library, PathLike


class OptimiseReport(NamedTuple):
    """What optimise() did.

    nodes_before, nodes_after: of all graphs; changes: how many each pass made, in order; data: the
    file beside the model that holds its weights, None when they are inside.
    """

    nodes_before: int
    nodes_after: int
    changes: dict[str, int]
    data: str | None


def optimise(
    model: PathLike,
    output: PathLike,
    options: CompileOptions | None = None,
    *,
    library: Library | None = None,
    **changes: Unpack[CompileFields],
) -> OptimiseReport:
    """Runs the passes over an ONNX model and writes it as ONNX, whole or not at all.

    Passes that make what not every ONNX runtime takes are left out. Names of inputs and outputs
    are kept. More than 2 GiB of weights go to a file beside the output. options, and keywords with
    the names of its fields: as for compile(); those that are not about passes change nothing.

    Errors: NPU2xx (the model), NPU3xx (its shapes), NPU107 (options), NPU208 (what ONNX cannot
    say), NPU103 (the file), NPU106 (progress returned False).
    """
    native = native_library(library)
    arguments = native_arguments(resolve(options, changes))
    done = _npugraph.optimise(native, path_bytes(model), path_bytes(output), arguments)
    data = os.fsdecode(done["data"]) or None
    return OptimiseReport(done["nodes_before"], done["nodes_after"], dict(done["changes"]), data)
