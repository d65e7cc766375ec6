# SPDX-License-Identifier: Apache-2.0
"""Turns the comments of public C and C++ headers into reference pages for Sphinx.

A page lists the documented declarations of one header in the header's order: what stands in `///`
comments before a declaration, or in a `//` comment behind a member, under the declaration itself.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from clang.cindex import AccessSpecifier, Cursor, CursorKind, Index, TranslationUnit

TYPES = {
    CursorKind.CLASS_DECL: "class",
    CursorKind.STRUCT_DECL: "struct",
    CursorKind.ENUM_DECL: "enum",
}
FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR}
VALUES = {CursorKind.FIELD_DECL, CursorKind.VAR_DECL}
ALIASES = {CursorKind.TYPE_ALIAS_DECL, CursorKind.TYPEDEF_DECL}


def system_includes() -> list[str]:
    """Where g++ looks for headers: libclang brings none of its own."""
    log = subprocess.run(
        ["g++", "-xc++", "-E", "-v", "/dev/null"], capture_output=True, text=True, check=True
    ).stderr
    found = log.split("#include <...> search starts here:")[1].split("End of search list")[0]
    return [f"-isystem{line.strip()}" for line in found.strip().splitlines()]


class Page:
    """One header as reStructuredText."""

    def __init__(self, root: Path, header: str, language: str) -> None:
        self.path = root / header
        self.domain = language
        self.lines: list[str] = []
        self.undocumented: list[str] = []
        self.types: set[str] = set()
        self.source = self.path.read_bytes()  # libclang counts bytes
        # A C header is read as C, so that what it declares is plain C and has no namespace.
        arguments = ["-xc", "-std=c11"] if language == "c" else ["-xc++", "-std=c++20"]
        unit = Index.create().parse(
            str(self.path),
            [*arguments, f"-I{root}", "-fparse-all-comments", *system_includes()],
            options=TranslationUnit.PARSE_SKIP_FUNCTION_BODIES,
        )
        errors = [str(d) for d in unit.diagnostics if d.severity >= 3]
        if errors:
            raise RuntimeError(f"{header} cannot be read: {errors[0]}")
        title = header
        self.lines += [title, "=" * len(title), "", f'``#include "{header}"``', ""]
        self.walk(unit.cursor, "")

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def walk(self, parent: Cursor, indent: str) -> None:
        for cursor in parent.get_children():
            if cursor.location.file is None or Path(cursor.location.file.name) != self.path:
                continue
            if cursor.kind == CursorKind.NAMESPACE or cursor.kind == CursorKind.LINKAGE_SPEC:
                self.namespace(cursor, indent)
            elif cursor.access_specifier in (AccessSpecifier.PRIVATE, AccessSpecifier.PROTECTED):
                continue
            elif cursor.kind in TYPES and cursor.is_definition():
                self.type(cursor, indent)
            elif cursor.kind in FUNCTIONS and is_written_out(cursor):
                self.directive("function", self.declaration(cursor), cursor, indent)
            elif cursor.kind in ALIASES and comment(cursor) and cursor.spelling not in self.types:
                self.directive("type", self.alias(cursor), cursor, indent)
            elif cursor.kind in VALUES:
                self.directive("member", self.declaration(cursor), cursor, indent)

    def namespace(self, cursor: Cursor, indent: str) -> None:
        if cursor.kind == CursorKind.NAMESPACE:
            self.lines += [f"{indent}.. cpp:namespace:: {cursor.spelling}", ""]
        self.walk(cursor, indent)

    def type(self, cursor: Cursor, indent: str) -> None:
        name = cursor.spelling
        if cursor.is_anonymous() or "(" in name:  # Sphinx's spelling of a type without a name
            name = f"@line{cursor.location.line}"
        self.types.add(name)
        self.directive(TYPES[cursor.kind], name, cursor, indent)
        self.members(cursor, indent + "   ")

    def members(self, cursor: Cursor, indent: str) -> None:
        if cursor.kind != CursorKind.ENUM_DECL:
            self.walk(cursor, indent)
            return
        for value in cursor.get_children():
            if value.kind == CursorKind.ENUM_CONSTANT_DECL:
                number = f"{value.spelling} = {value.enum_value}"
                self.directive("enumerator", number, value, indent)

    def directive(self, kind: str, declaration: str, cursor: Cursor, indent: str) -> None:
        if self.domain == "c" and kind == "class":
            kind = "struct"
        self.lines += [f"{indent}.. {self.domain}:{kind}:: {declaration}", ""]
        if kind in ("class", "struct", "function", "type") and not comment(cursor):
            self.undocumented.append(f"{self.path.name}:{cursor.location.line}: {declaration}")
        for paragraph in paragraphs(comment(cursor)):
            self.lines += [f"{indent}   {line}".rstrip() for line in paragraph] + [""]

    def declaration(self, cursor: Cursor) -> str:
        """The declaration on one line, as written, without its body."""
        if cursor.kind in VALUES and "(*)" not in cursor.type.spelling:
            return f"{cursor.type.spelling} {cursor.spelling}{self.default(cursor)}"
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        for child in cursor.get_children():
            if child.kind == CursorKind.COMPOUND_STMT:
                end = child.extent.start.offset
        words = re.sub(r"//[^\n]*", " ", self.source[start:end].decode())
        if cursor.kind == CursorKind.CONSTRUCTOR:
            words = re.sub(r"\)\s*:\s.*", ")", words, flags=re.DOTALL)
        words = re.sub(r"\bNPUGRAPH_API\b|\[\[nodiscard\]\]", " ", words)
        return " ".join(words.split()).rstrip(";").strip()

    def default(self, cursor: Cursor) -> str:
        """ " = 2" for a member with such an initialiser; nothing for {}."""
        words = self.source[cursor.extent.start.offset : cursor.extent.end.offset].decode()
        # Of several members in one declaration the words end with this one.
        value = words.rpartition(cursor.spelling)[2].strip().removeprefix("=").strip()
        return f" = {value}" if value not in ("", "{}") and self.domain == "cpp" else ""

    def alias(self, cursor: Cursor) -> str:
        words = self.declaration(cursor)
        if cursor.kind == CursorKind.TYPEDEF_DECL:
            return cursor.spelling
        return re.sub(r"^using\s+", "", words)


def is_written_out(cursor: Cursor) -> bool:
    """False for copying, moving, destroying and comparing as the language gives them."""
    name = cursor.spelling
    if cursor.is_default_method() or name.startswith(("~", "operator=")):
        return False
    return not (cursor.is_copy_constructor() or cursor.is_move_constructor())


def comment(cursor: Cursor) -> str:
    """The text of a cursor's comment without its slashes."""
    raw = cursor.raw_comment or ""
    if "SPDX-License-Identifier" in raw:  # the head of an included list, not of this declaration
        return ""
    lines = [re.sub(r"^\s*(///?<?|/\*\*?|\*/|\*)\s?", "", line) for line in raw.splitlines()]
    return "\n".join(line.removesuffix("*/") for line in lines).strip("\n")


def inline(line: str) -> str:
    """Escapes what reStructuredText would take for markup; `code` stays code."""
    parts = line.split("`")
    if len(parts) % 2 == 0:  # a lone backtick
        return re.sub(r"([*|`\\_])", r"\\\1", line)
    words = [re.sub(r"([*|\\])|_\b", r"\\\g<0>", part) for part in parts[::2]]
    code = [f"``{part}``" for part in parts[1::2]]
    return "".join(a + b for a, b in zip(words, [*code, ""], strict=True))


def paragraphs(text: str) -> list[list[str]]:
    """Paragraphs as lists of reStructuredText lines; indented ones are code."""
    out: list[list[str]] = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.split("\n")
        if not block.strip():
            continue
        if all(line.startswith("  ") for line in lines):
            out.append(["::", ""] + ["   " + line for line in lines])
        else:
            out.append([inline(line.strip()) for line in lines])
    return out


def write_pages(root: Path, headers: dict[str, str], folder: Path) -> list[str]:
    """Writes folder/NAME.rst for each header. headers: path from `root` -> "c" or "cpp".

    Returns the public declarations that have no comment.
    """
    folder.mkdir(parents=True, exist_ok=True)
    undocumented = []
    for header, language in headers.items():
        page = Page(root, header, language)
        undocumented += page.undocumented
        (folder / f"{Path(header).stem}.rst").write_text(page.text())
    return undocumented
