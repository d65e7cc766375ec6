# SPDX-License-Identifier: Apache-2.0
"""What Engine, Session and IOBinding share: closing at the end of a `with` statement."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closable:
    """A base with a close(), which a `with` statement calls at its end."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
