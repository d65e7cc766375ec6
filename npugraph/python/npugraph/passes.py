# SPDX-License-Identifier: Apache-2.0
"""Passes of your own: register_pass() and what its guards are given.

The grammar of patterns, with examples, is in docs/passes.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _npugraph
from .errors import fail

if TYPE_CHECKING:
    import numpy
    from numpy.typing import ArrayLike, NDArray


class Pass(NamedTuple):
    """A pass of a library, as passes() lists it in the order in which they run.

    fuses: it runs once the clean-up passes find nothing more to do; level: lowest opt_level at
    which it is on; exact: results stay equal bit for bit; user: it was registered.
    """

    name: str
    doc: str
    fuses: bool
    level: int
    exact: bool
    user: bool


class ValueType(NamedTuple):
    """dtype: "float32", …; shape: numbers and expressions over symbols; None: unknown rank."""

    dtype: str
    shape: tuple[int | str, ...] | None


class PatternMatch:
    """A place where a pattern fits, by the words of the pattern. Of use in its guard only."""

    def __init__(self, native: _npugraph.PatternMatch) -> None:
        self._native = native

    @property
    def root_name(self) -> str:
        """Name of the node that is replaced last."""
        return self._native.root_name()

    def type(self, word: str) -> ValueType | None:
        """Type of the value that the word stands for; None when it stands for none."""
        found = self._native.type(word)
        return None if found is None else ValueType(*found)

    def constant(self, word: str) -> NDArray[Any] | None:
        """The data of a word that stands for a constant, else None. Not to be written to."""
        return self._native.constant(word)

    def attr(self, name: str) -> Any:
        """The attribute that "$name" found: int, float, str or a list of them; None: absent."""
        return self._native.attr(name)

    def set_constant(self, word: str, array: ArrayLike, dtype: str | None = None) -> None:
        """The constant that a word of the replacement stands for.

        dtype: of the tensor when it is none of numpy's: "bfloat16" with the bits as uint16.
        """
        import numpy

        # ascontiguousarray() makes a vector of a scalar.
        whole: numpy.ndarray = numpy.asarray(array, order="C")
        self._native.set_constant(word, whole, dtype or whole.dtype.name, list(whole.shape))

    def set_attr(self, name: str, value: Any) -> None:
        """The attribute that "$name" stands for in the replacement: int, float, str, or a list of
        one of them. An attribute of floats needs floats: 2.0, not 2."""
        native = self._native
        kinds: tuple[tuple[type, Any, Callable[..., None], Callable[..., None]], ...] = (
            (Integral, int, native.set_int, native.set_ints),
            (Real, float, native.set_float, native.set_floats),
            (str, str, native.set_string, native.set_strings),
        )
        for kind, convert, one, many in kinds:
            if isinstance(value, kind):
                return one(name, convert(value))
            if isinstance(value, (list, tuple)) and all(isinstance(row, kind) for row in value):
                return many(name, [convert(row) for row in value])
        raise TypeError(
            f"attribute '{name}' is an int, float, str or a list of one of them, "
            f"not {type(value).__name__}"
        )


Guard = Callable[[PatternMatch], bool]
Rewrite = tuple[str, str] | tuple[str, str, Guard | None]


def _native_guard(guard: Guard | None) -> Callable[[_npugraph.PatternMatch], bool] | None:
    if guard is None:
        return None
    return lambda native: guard(PatternMatch(native))


class PassTable:
    """The passes of a Library."""

    _library: _npugraph.Library

    def register_pass(
        self,
        name: str,
        rewrites: Sequence[Rewrite],
        *,
        doc: str = "",
        before: str | None = None,
        level: int = 1,
        exact: bool = False,
    ) -> None:
        """Adds a pass to what compile() runs with this library from now on.

        name: letters, digits and "_"; switches it in the option `passes`, as any other.
        rewrites: (pattern, replacement) or (pattern, replacement, guard), tried in order at every
            node. A match is replaced when the replacement gives exactly the same dtype and shape.
            guard: called with a PatternMatch, returns whether to replace, and may set constants
            and attributes of the replacement. It may be called from any thread. What it raises
            ends compile() and is raised there.
        before: runs right before this pass; None: before the passes that fuse.
        level: lowest opt_level at which it is on.
        exact: results stay equal bit for bit; self_check then holds it to that.

        Errors: NPU107 (name taken, no such pass, level, no rewrites), NPU310 (no such operator),
        NPU312 (a pattern, with rewrite, line and column).
        """
        rows = []
        for row in rewrites:
            if not isinstance(row, tuple | list) or len(row) not in (2, 3):
                fail(
                    107,
                    "not a rewrite",
                    repr(row),
                    "(pattern, replacement) or (pattern, replacement, guard)",
                    place=f"pass '{name}'",
                )
            rows.append((row[0], row[1], _native_guard(row[2] if len(row) == 3 else None)))
        _npugraph.register_pass(self._library, name, doc, rows, before or "", level, exact)

    def remove_pass(self, name: str) -> bool:
        """Takes a registered pass away again; False when there is none of this name."""
        return _npugraph.remove_pass(self._library, name)

    def passes(self) -> list[Pass]:
        """All passes, in the order in which they run."""
        return [Pass(*row) for row in _npugraph.passes(self._library)]
