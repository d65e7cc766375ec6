# SPDX-License-Identifier: Apache-2.0
"""The files of this repository, as git sees them, or as they lie on disk where git is missing."""

import subprocess
from pathlib import Path

_OUTSIDE = {".git", ".venv", "build", "dist", "out", "__pycache__"}


def list_files(root: Path) -> list[Path]:
    """Every tracked or not ignored file under root, sorted."""
    command = ["git", "-C", str(root), "ls-files", "-coz", "--exclude-standard"]
    try:
        answer = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        paths = [root / name for name in answer.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        paths = [
            path
            for path in root.rglob("*")
            if not _OUTSIDE.intersection(path.relative_to(root).parts)
        ]
    return sorted({path for path in paths if path.is_file()})
