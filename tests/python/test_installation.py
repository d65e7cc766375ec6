# SPDX-License-Identifier: Apache-2.0
"""What the installation holds: examples built against it, public headers, exported names."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PREFIX = Path(sys.prefix)
LIBRARY = PREFIX / "lib" / "libnpugraph.so"
INCLUDE = PREFIX / "include"
DEVICES = ["cpu", "vnpu"]


def installed(*parts):
    path = PREFIX.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"npugraph is not installed under {PREFIX}")
    return path


def build(source, folder):
    installed("lib", "cmake", "npugraph")
    configure = ["cmake", "-S", str(source), "-B", str(folder), "-G", "Ninja"]
    for command in (
        [*configure, f"-DCMAKE_PREFIX_PATH={PREFIX}"],
        ["cmake", "--build", str(folder)],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def compiler():
    path = shutil.which("cc") or shutil.which("gcc")
    if path is None:
        pytest.skip("there is no C compiler")
    return path


def test_the_smallest_program_is_small_c_and_right_on_both_devices(tmp_path):
    source = ROOT / "examples" / "c" / "matmul.c"
    assert len(source.read_text().splitlines()) <= 60
    build(source.parent, tmp_path / "out")
    for device in DEVICES:
        done = subprocess.run([tmp_path / "out" / "matmul", device], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, f"{device}: [-4, 3.75; -5.5, 7.5]\n")
    done = subprocess.run([tmp_path / "out" / "matmul", "gpu"], capture_output=True, text=True)
    assert done.returncode == 1 and "NPU401" in done.stderr and "vnpu" in done.stderr


def test_the_smallest_program_builds_with_pkg_config(tmp_path):
    if shutil.which("pkg-config") is None:
        pytest.skip("there is no pkg-config")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(installed("lib", "pkgconfig"))}
    written = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "npugraph"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    flags = shlex.split(written)  # pkg-config quotes blanks in paths, as a shell would read them
    program = tmp_path / "matmul"
    warnings = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    command = [compiler(), *warnings, str(ROOT / "examples/c/matmul.c"), "-o", str(program)]
    subprocess.run([*command, *flags, "-lm"], check=True)
    environment["LD_LIBRARY_PATH"] = str(PREFIX / "lib")
    assert subprocess.run([program, "vnpu"], env=environment, check=False).returncode == 0


def test_the_cpp_example_compiles_saves_opens_and_runs(tmp_path):
    build(ROOT / "examples" / "cpp", tmp_path / "out")
    model = ROOT / "examples/models/ultraface_rfb320.onnx"
    for device in DEVICES:
        done = subprocess.run(
            [tmp_path / "out" / "run_model", model, tmp_path / "m.engine", device],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert "scores: float32 1x4420x2" in done.stdout
        assert "boxes: float32 1x4420x4" in done.stdout
    done = subprocess.run(
        [tmp_path / "out" / "run_model", "/no/such.onnx", tmp_path / "n.engine"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "NPU101" in done.stderr


@pytest.mark.parametrize("device", DEVICES)
def test_the_ctypes_example_is_right(device):
    script = [sys.executable, str(ROOT / "examples/ctypes_matmul.py"), str(LIBRARY), device]
    installed("lib", "libnpugraph.so")
    done = subprocess.run(script, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{device}: [-4.0, 3.75, -5.5, 7.5]\n")


def test_public_headers_stand_alone(tmp_path):
    installed("include", "npugraph")
    c_headers = ["api/npugraph_c.h", "hal/plugin_abi.h", "target/plugin_abi.h"]
    source = tmp_path / "all.c"
    source.write_text("".join(f'#include "npugraph/{header}"\n' for header in c_headers))
    flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{INCLUDE}"]
    subprocess.run([compiler(), "-std=c11", *flags, str(source)], check=True)
    cxx = shutil.which("c++") or pytest.skip("there is no C++ compiler")
    for header in [*c_headers, "api/npugraph.h"]:
        both = tmp_path / "one.cpp"
        both.write_text(f'#include "npugraph/{header}"\n#include "npugraph/api/npugraph.h"\n')
        subprocess.run([cxx, "-std=c++20", *flags, str(both)], check=True)


def test_the_library_exports_what_public_headers_declare_and_nothing_else():
    library = installed("lib", "libnpugraph.so")
    if shutil.which("nm") is None:
        pytest.skip("there is no nm")
    listed = subprocess.run(
        ["nm", "-DC", "--defined-only", str(library)], capture_output=True, text=True, check=True
    ).stdout
    names = {line.split(maxsplit=2)[2] for line in listed.splitlines()}
    functions = {name for name in names if name.startswith("npugraph_")}
    header = (INCLUDE / "npugraph/api/npugraph_c.h").read_text()
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    assert functions == set(re.findall(r"(npugraph_\w+)\([^;]*?NPUGRAPH_NOEXCEPT;", header))
    headers = "\n".join(path.read_text() for path in INCLUDE.joinpath("npugraph").rglob("*.h"))
    for name in sorted(names - functions):
        plain = re.sub(r"^(vtable|typeinfo|typeinfo name) for ", "", name)
        assert plain.startswith("npugraph::"), name
        word = re.match(r"npugraph::(\w+)", plain).group(1)
        if word != "operator":
            assert re.search(rf"\b(class|struct) {word}\b|\b{word}\(", headers), name


def test_only_public_headers_are_installed():
    found = {
        str(path.relative_to(INCLUDE / "npugraph"))
        for path in installed("include", "npugraph").rglob("*")
        if path.is_file()
    }
    assert {"api/npugraph.h", "api/npugraph_c.h", "hal/plugin_abi.h"} <= found
    folders = {name.split("/")[0] for name in found}
    assert folders <= {"api", "base", "hal", "runtime", "target", "tensor"}, folders
    internal = {"api/library.h", "api/engine_state.h", "api/c_handles.h", "hal/driver.h"}
    assert not internal & found
