# SPDX-License-Identifier: Apache-2.0
"""bisect_passes(): which pass spoils a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from . import _npugraph
from .engine import Engine
from .library import Library, PathLike, native_library, path_bytes
from .options import CompileFields, CompileOptions, native_arguments, resolve

if TYPE_CHECKING:
    from typing import Unpack


class PassBisection(NamedTuple):
    """The call of a pass that spoils a model.

    calls: of passes, in all; call: the first after which the engine is not good, 0 when it is good
    after all; pass_name: whose call that is; diff: nodes that the call removed, changed and added,
    one a line.
    """

    calls: int
    call: int
    pass_name: str
    diff: str


def bisect_passes(
    model: PathLike,
    is_good: Callable[[Engine], bool],
    options: CompileOptions | None = None,
    *,
    library: Library | None = None,
    **changes: Unpack[CompileFields],
) -> PassBisection:
    """Finds the call of a pass after which is_good says no.

    Compiles the .onnx file with the first calls of the passes only, halving; is_good is called with
    each Engine, and what it raises passes. options, and keywords with the names of its fields: as
    for compile().

    Errors: as compile(); NPU701 when the engine is not good before any pass has run.
    """
    arguments = native_arguments(resolve(options, changes))

    def judge(native: _npugraph.Engine) -> bool:
        return is_good(Engine(native, library))

    found = _npugraph.bisect_passes(native_library(library), path_bytes(model), judge, arguments)
    return PassBisection(*found)
