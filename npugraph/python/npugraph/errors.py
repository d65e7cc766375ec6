# SPDX-License-Identifier: Apache-2.0
"""The exceptions of this package: Error, and a class of it for each code."""

from __future__ import annotations

from typing import NoReturn


class Error(Exception):
    """A failure, with the same fields that the C++ library and the command line print.

    code: what kind, to branch on: "kInvalidArgument", "kUnsupported", "kNotFound",
        "kOutOfMemory", "kCorrupt", "kIncompatible", "kTimeout", "kCancelled" or "kInternal". Each
        has a class of its own: `except npugraph.NotFound`.
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


class InvalidArgument(Error, ValueError):
    """What was given is wrong; trying again cannot help."""


class UnknownOption(InvalidArgument, TypeError):
    """A keyword that is no option, or an option of the wrong type (NPU107)."""


class Unsupported(Error):
    """Legal, but no operator, kernel, device or exporter takes it."""


class NotFound(Error, LookupError):
    """A file, device, operator or package that is not there."""


class FileNotFound(NotFound, FileNotFoundError):
    """A file that cannot be opened (NPU101)."""


class OutOfMemory(Error, MemoryError):
    """Memory, or a limit on it, ran out."""


class Corrupt(Error):
    """A file or message fails its own checks."""


class Incompatible(Error):
    """Versions of an engine, driver, firmware or device do not fit each other."""


class Timeout(Error, TimeoutError):
    """The work took longer than it was allowed to."""


class Cancelled(Error):
    """The work was interrupted, by a progress callback that returned False or by a signal."""


class Internal(Error):
    """A bug in npugraph: please report it."""


_CLASS_OF_CODE: dict[str, type[Error]] = {
    "kInvalidArgument": InvalidArgument,
    "kUnsupported": Unsupported,
    "kNotFound": NotFound,
    "kOutOfMemory": OutOfMemory,
    "kCorrupt": Corrupt,
    "kIncompatible": Incompatible,
    "kTimeout": Timeout,
    "kCancelled": Cancelled,
    "kInternal": Internal,
}
_CLASS_OF_ID: dict[str, type[Error]] = {"NPU101": FileNotFound}


def make_error(
    message: str,
    code: str,
    id: str,
    what: str,
    place: str,
    found: str,
    expected: str,
    fix: str,
) -> Error:
    """The exception of the class that belongs to the id or code. Called by the compiled half."""
    kind = _CLASS_OF_ID.get(id) or _CLASS_OF_CODE.get(code, Error)
    return kind(message, code, id, what, place, found, expected, fix)


def fail(
    number: int,
    what: str,
    found: str = "",
    expected: str = "",
    *,
    place: str = "",
    fix: str = "",
    kind: type[Error] | None = None,
) -> NoReturn:
    """Raises the Error of this number ("NPU107" is 107); without a fix, with the number's own.
    kind: its class, where it is not the one of the number."""
    from . import _npugraph

    try:
        _npugraph.fail(number, what, place, found, expected, fix)
    except Error as error:
        if kind is None:
            raise
        raise kind(*error.args) from None
    raise AssertionError("unreachable")
