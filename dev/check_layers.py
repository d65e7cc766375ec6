#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when an include breaks npugraph/layers.txt, or layers.txt breaks the rules below.

layers.txt holds one line a folder, `name: folder folder ...`: what that folder may include.
A folder names only folders of earlier lines, so the table has no cycle (R1). Beyond the table:
R2 compiler half and runtime half never meet   R3 concrete drivers are named by api/ alone
R4 vnpu/ sees base/ and micro/ alone           R5 ops/ never sees ir/
R6 serve/, python/, tools/ reach the stack through api/ alone
R7 npugraph/ holds no loose files
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

CODE = {".h", ".hpp", ".hh", ".c", ".cc", ".cpp", ".cxx", ".inc", ".ipp", ".def", ".proto"}
LOOSE = {"layers.txt", "README.md"}
COMPILER_HALF = {"frontends", "passes", "quant", "lower", "interp"}
RUNTIME_HALF = {"runtime", "drivers"}
BESIDE_API = {"api", "metrics", "tensor", "base"}
FACES = {"serve", "python", "tools"}
# Test folders that try the whole product.
WHOLE = {"conformance"}

# Comments may stand before the hash; %: is its digraph.
DIRECTIVE = re.compile(
    r"^\s*(?:/\*.*?\*/\s*)*(?:#|%:)\s*(?:/\*.*?\*/\s*)*"
    r"(?:include|include_next|import|embed)\b\s*(?:/\*.*?\*/\s*)*(?P<what>.*)$"
)
PROTO_IMPORT = re.compile(r"^\s*import\s+(?:public\s+|weak\s+)?(?P<what>[\"'].*)$")
TARGET = re.compile(r"^(?:\"(?P<quoted>[^\"]+)\"|'(?P<single>[^']+)'|<(?P<angled>[^>]+)>)")


@dataclass
class Layers:
    """What each folder may include, itself among it."""

    allowed: dict[str, set[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def read_layers(text: str) -> Layers:
    layers = Layers()
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.partition("#")[0].strip()
        if not line:
            continue
        where = f"npugraph/layers.txt:{number}"
        name, colon, rest = line.partition(":")
        name = name.strip()
        if not colon or not re.fullmatch(r"\w+", name):
            layers.faults.append(f"{where}: found '{line}', expected 'folder: folder folder'")
            continue
        if name in layers.allowed:
            layers.faults.append(f"{where}: {name} has a line already")
            continue
        names = rest.split()
        for late in [other for other in names if other not in layers.allowed]:
            layers.faults.append(f"{where}: R1: {name} names {late}, which has no earlier line")
        layers.faults += [f"{where}: {fault}" for fault in broken_rules(name, set(names))]
        layers.allowed[name] = {name, *names}
    return layers


def broken_rules(name: str, names: set[str]) -> list[str]:
    faults = []

    def forbid(rule: str, wrong: set[str], why: str) -> None:
        for other in sorted(wrong):
            faults.append(f"{rule}: {name}/ may not name {other}/: {why}")

    if name in COMPILER_HALF:
        forbid("R2", names & RUNTIME_HALF, "compiler and runtime meet in the engine file")
    if name in RUNTIME_HALF:
        forbid("R2", names & COMPILER_HALF, "compiler and runtime meet in the engine file")
    if name != "api":
        forbid("R3", names & {"drivers"}, "only api/ names concrete drivers")
    if name == "vnpu":
        forbid("R4", names - {"base", "micro"}, "hardware does not know what a graph is")
    if name == "ops":
        forbid("R5", names & {"ir"}, "an operator does not know the graph around it")
    if name in FACES:
        more = {"serve"} if name == "tools" else set()
        forbid("R6", names - BESIDE_API - more, "faces use api/ only")
    return faults


def directives(text: str, proto: bool) -> list[tuple[int, str]]:
    """Line number and operand of each include, also of one spread over lines by backslashes."""
    pattern = PROTO_IMPORT if proto else DIRECTIVE
    found, lines, at = [], text.splitlines(), 0
    while at < len(lines):
        first, line = at + 1, lines[at]
        while line.endswith("\\") and at + 1 < len(lines):
            at += 1
            line = line[:-1] + lines[at]
        at += 1
        hit = pattern.match(line)
        if hit:
            found.append((first, hit["what"].strip()))
    return found


def included_path(root: Path, source: Path, operand: str) -> tuple[PurePosixPath | None, str]:
    """The path under root that an operand names, or None when it is none of ours; and a fault of
    spelling, or an empty text."""
    hit = TARGET.match(operand)
    if not hit:
        return None, f"found #include {operand}, expected a literal name, which can be checked"
    name = hit["quoted"] or hit["single"] or hit["angled"]
    if name.startswith("npugraph/") and ".." not in name.split("/"):
        spelled = "" if not hit["angled"] else f'found <{name}>, expected "{name}"'
        return PurePosixPath(name), spelled
    bases = [source.parent, root]
    if name.startswith("npugraph/"):
        bases.reverse()
    for candidate in ((base / name).resolve() for base in bases):
        # A quoted name that lies nowhere is a system header in the wrong quotes; one with `..`
        # is ours even before the file exists.
        if candidate.is_relative_to(root) and (candidate.exists() or ".." in name.split("/")):
            path = PurePosixPath(candidate.relative_to(root).as_posix())
            if name == str(path) and path.parts[0] == "tests" and not hit["angled"]:
                return path, ""
            return path, f'found {operand}, expected the full name "{path}"'
    return None, ""


def check_file(root: Path, source: Path, here: str, allowed: set[str]) -> list[str]:
    faults = []
    text = source.read_text(encoding="utf-8", errors="replace")
    for number, operand in directives(text, source.suffix == ".proto"):
        where = f"{source.relative_to(root)}:{number}"
        path, spelling = included_path(root, source, operand)
        if path and path.parts[0] == "npugraph" and len(path.parts) > 2:
            folder = path.parts[1]
            if folder not in allowed:
                faults.append(f"{where}: {here}/ may not include {folder}/ (layers.txt)")
        elif path and path.parts[0] == "npugraph":
            faults.append(f"{where}: R7: {path} lies in no folder")
        elif path and source.is_relative_to(root / "npugraph"):
            faults.append(f"{where}: npugraph/ may not include {path.parts[0]}/")
        if spelling:
            faults.append(f"{where}: {spelling}")
    return faults


def sources_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in CODE)


def check(root: Path) -> tuple[list[str], int]:
    """All faults of the repository at root, and how many files were read."""
    root = root.resolve()
    tree = root / "npugraph"
    layers = read_layers((tree / "layers.txt").read_text(encoding="utf-8"))
    faults, files = list(layers.faults), 0
    for entry in sorted(tree.iterdir()):
        if entry.is_file() and entry.name not in LOOSE:
            faults.append(f"npugraph/{entry.name}: R7: npugraph/ holds no loose files")
        if not entry.is_dir() or entry.name == "__pycache__":
            continue
        if entry.name not in layers.allowed:
            faults.append(f"npugraph/{entry.name}: the folder has no line in layers.txt")
            continue
        for source in sources_of(entry):
            files += 1
            faults += check_file(root, source, entry.name, layers.allowed[entry.name])
    for folder, allowed in layers.allowed.items():
        for source in sources_of(root / "tests" / folder):
            files += 1
            faults += check_file(root, source, f"tests/{folder}", allowed)
    for folder in WHOLE:
        for source in sources_of(root / "tests" / folder):
            files += 1
            everything = layers.allowed.get("api", set()) | {"api"}
            faults += check_file(root, source, f"tests/{folder}", everything)
    return faults, files


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
    faults, files = check(root)
    print("\n".join(faults) or f"layers: {files} files, all arrows run down")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
