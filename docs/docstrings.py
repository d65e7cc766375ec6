# SPDX-License-Identifier: Apache-2.0
"""Turns the plain text of the package's docstrings into reStructuredText.

In a docstring a paragraph whose lines are all indented is code; one of `name: text` lines, each
with its continuation indented, lists arguments, fields or errors; any other is prose.
"""

from __future__ import annotations

import re

from cxx_reference import inline

ENTRY = re.compile(r"([\w*][\w*, ]*): ")


def logical_lines(paragraph: list[str]) -> list[str]:
    """Lines with their indented continuations joined to them; a line without a name continues."""
    joined: list[str] = []
    for line in paragraph:
        if joined and (line.startswith(" ") or not ENTRY.match(line)):
            joined[-1] += " " + line.strip()
        else:
            joined.append(line.strip())
    return joined


def convert(lines: list[str]) -> list[str]:
    out: list[str] = []
    for block in re.split(r"\n\s*\n", "\n".join(lines)):
        paragraph = [line for line in block.split("\n") if line.strip()]
        if not paragraph:
            continue
        if all(line.startswith("    ") for line in paragraph):
            out += ["::", "", *("   " + line for line in paragraph), ""]
            continue
        if ENTRY.match(paragraph[0]):
            for line in logical_lines(paragraph):
                name, _, text = line.partition(": ")
                out.append(f"- **{name}**: {inline(text)}")
            out.append("")
            continue
        out += [inline(line.strip()) for line in paragraph] + [""]
    return out


def process(_app, _what, _name, _object, _options, lines: list[str]) -> None:
    """For Sphinx's event autodoc-process-docstring."""
    generated = lines[:1] and lines[0].startswith("Alias for field number")  # of a NamedTuple
    lines[:] = [] if generated else convert(lines)
