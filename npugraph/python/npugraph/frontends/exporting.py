# SPDX-License-Identifier: Apache-2.0
"""What the front ends share: the options of an export, and its two errors."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ..errors import fail

MESSAGE_LIMIT = 2000  # characters of an exporter's message that an error keeps


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """How another framework's model becomes ONNX; see export_onnx()."""

    args: Sequence[Any] | None = None
    kwargs: Mapping[str, Any] | None = None
    dynamic_shapes: Any = None
    input_names: Sequence[str] | None = None
    output_names: Sequence[str] | None = None
    opset: int | None = None


def require(package: str, *, what: str, install: str) -> None:
    """Errors: NPU702 when the package cannot be imported."""
    if importlib.util.find_spec(package) is None:
        fail(
            702,
            f"{what} needs the package '{package}'",
            f"no package '{package}'",
            f"'{package}' beside npugraph",
            fix=f"pip install {install}",
        )


def export_failed(exporter: str, message: str, *, place: str) -> NoReturn:
    """Raises NPU705 with the exporter's own message."""
    text = " ".join(message.split())
    if len(text) > MESSAGE_LIMIT:
        text = "… " + text[-MESSAGE_LIMIT:]
    fail(705, f"{exporter} failed", text, "a model that it can export", place=place)
