#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the generated pages of docs/, operators and errors, and the table of passes.

    .venv/bin/python dev/make_tables.py           writes docs/operators.md, errors.md, passes.md
    .venv/bin/python dev/make_tables.py --check   says what would change, and fails if anything does

Operators come from the installed `npugraph ops --json`, passes from the installed Python package,
errors from npugraph/base/errors.inc.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLI = Path(sys.executable).parent / "npugraph"
ERRORS = ROOT / "npugraph" / "base" / "errors.inc"
CLASSES = {
    "tensor": "Moving and shaping data",
    "math": "Arithmetic",
    "nn": "Neural networks",
    "ext": "Operators of our own",
}
BANDS = {
    1: "Base and files",
    2: "ONNX and other front ends",
    3: "Shapes, operators and graph",
    4: "Compiler, devices and placement",
    5: "Engine file",
    6: "Run time",
    7: "Tools and Python",
}


def operators() -> list[dict]:
    """The rows of `npugraph ops --json`."""
    done = subprocess.run([CLI, "ops", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def errors() -> list[dict[str, str]]:
    """The rows of errors.inc, in order of their numbers."""
    word = r'"((?:[^"\\]|\\.)*)"'
    row = re.compile(rf"^X\((\w+),\s*(\d+),\s*(\w+),\s*{word},\s*{word}\)", re.MULTILINE)
    keys = ("name", "number", "code", "title", "fix")
    found = [dict(zip(keys, m.groups(), strict=True)) for m in row.finditer(ERRORS.read_text())]
    written = len(re.findall(r"^X\(", ERRORS.read_text(), re.MULTILINE))
    if len(found) != written:
        raise ValueError(f"{ERRORS}: {written} rows, of which {len(found)} can be read")
    return sorted(found, key=lambda row: int(row["number"]))


def cell(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace('\\"', '"').replace("|", "\\|")).strip()


def names(words: list[str]) -> str:
    return ", ".join(f"`{word}`" for word in words) if words else "–"


def logical(row: dict) -> str:
    return f"{row['domain']}::{row['name']}" if row["domain"] else row["name"]


def frameworks(row: dict) -> str:
    words = [f"onnx `{w}`" for w in row["onnx"]] + [f"`{w}`" for w in row["aten"]]
    return ", ".join(words) or "made by passes"


def operators_page(rows: list[dict]) -> str:
    lines = [
        "# Operators",
        "",
        "One row an operator: what it is called in the frameworks, the logical operator that it",
        "becomes, and what computes it on the cpu. `reference` is the plain implementation that",
        "everything is measured against; `(fast)` marks one that approximates, see `--precise`.",
        "`npugraph ops NAME` shows inputs, attributes and their ranges. Written by",
        "`dev/make_tables.py`.",
        "",
    ]
    for word, title in CLASSES.items():
        chosen = sorted((r for r in rows if r["class"] == word), key=logical)
        if not chosen:
            continue
        lines += [f"## {title}", "", "| framework | logical | native | |", "|---|---|---|---|"]
        lines += [
            f"| {frameworks(r)} | `{logical(r)}` | {names(r['native'])} | {cell(r['doc'])} |"
            for r in chosen
        ]
        lines.append("")
    lines.append(f"{len(rows)} operators.")
    return "\n".join(lines) + "\n"


def errors_page(rows: list[dict[str, str]]) -> str:
    lines = [
        "# Errors",
        "",
        "Every error has a number that never changes, a name (`ErrorId::k…` in C++, `error.id` in",
        "Python) and a code, which says what kind of trouble it is.",
        "[Troubleshooting](troubleshooting.md) has an entry for each. Written by",
        "`dev/make_tables.py`.",
        "",
    ]
    for band, title in BANDS.items():
        chosen = [r for r in rows if int(r["number"]) // 100 == band]
        if not chosen:
            continue
        lines += [f"## NPU{band}xx: {title}", ""]
        lines += ["| number | name | code | meaning | to do |", "|---|---|---|---|---|"]
        lines += [
            f"| NPU{r['number']} | {r['name']} | {r['code']} | {cell(r['title'])} "
            f"| {cell(r['fix'])} |"
            for r in chosen
        ]
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def passes_page(page: str) -> str:
    """docs/passes.md with the table between its marks written again."""
    import npugraph

    begin = page.index("\n", page.index("<!-- passes: begin")) + 1
    end = page.index("<!-- passes: end")
    rows = ["| pass | what it does | level | exact |", "|---|---|---|---|"]
    rows += [
        f"| `{row.name}` | {cell(row.doc)} | {row.level} | {'yes' if row.exact else 'no'} |"
        for row in npugraph.Library().passes()
    ]
    return page[:begin] + "\n".join(rows) + "\n" + page[end:]


def pages() -> dict[Path, str]:
    passes = ROOT / "docs" / "passes.md"
    return {
        passes: passes_page(passes.read_text()),
        ROOT / "docs" / "operators.md": operators_page(operators()),
        ROOT / "docs" / "errors.md": errors_page(errors()),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    changed = False
    for path, content in pages().items():
        old = path.read_text() if path.exists() else ""
        if old == content:
            continue
        changed = True
        if check:
            name = str(path.relative_to(ROOT))
            old_lines, new_lines = old.splitlines(), content.splitlines()
            print(
                *difflib.unified_diff(old_lines, new_lines, name, "generated", "", "", 0), sep="\n"
            )
        else:
            path.write_text(content)
    return 1 if changed and check else 0


if __name__ == "__main__":
    sys.exit(main())
