# SPDX-License-Identifier: Apache-2.0
"""The exception of this package."""

from __future__ import annotations


class Error(Exception):
    """A failure, with the same fields that the C++ library and the command line print.

    code: what kind, to branch on: "kInvalidArgument", "kUnsupported", "kNotFound",
        "kOutOfMemory", "kCorrupt", "kIncompatible", "kTimeout", "kCancelled" or "kInternal".
    id: which failure, stable between versions: "NPU101".
    what: one sentence.
    place: where in the model, file or argument, outermost first; may be empty.
    found, expected: what was given and what would have been right; may be empty.
    fix: what to do.
    str() gives all of them in one line.
    """

    code: str
    id: str
    what: str
    place: str
    found: str
    expected: str
    fix: str

    def __init__(
        self,
        message: str,
        code: str = "kInternal",
        id: str = "NPU100",
        what: str = "",
        place: str = "",
        found: str = "",
        expected: str = "",
        fix: str = "",
    ) -> None:
        # All of them in args, so that the exception survives pickling.
        super().__init__(message, code, id, what, place, found, expected, fix)
        self.code = code
        self.id = id
        self.what = what
        self.place = place
        self.found = found
        self.expected = expected
        self.fix = fix

    def __str__(self) -> str:
        return str(self.args[0])
