#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a source lacks the licence line near its top, or names another licence."""

import sys
from pathlib import Path

from sources import list_files

LINE = "SPDX-License-Identifier: Apache-2.0"
SUFFIXES = {".h", ".cpp", ".c", ".inc", ".proto", ".py", ".sh", ".cmake"}


def is_source(path: Path) -> bool:
    if path.suffix in SUFFIXES or path.name == "CMakeLists.txt":
        return True
    if path.suffix:
        return False
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    sources = [path for path in list_files(root) if is_source(path)]
    faults = []
    for path in sources:
        top = path.read_text(encoding="utf-8", errors="replace").splitlines()[:5]
        if path.stat().st_size and not any(LINE in line for line in top):
            faults.append(f"{path.relative_to(root)}:1: found no '{LINE}' in the first five lines")
    print("\n".join(faults) or f"spdx: {len(sources)} sources carry their licence")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
