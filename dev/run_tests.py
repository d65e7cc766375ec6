#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every check and test of a built repository and adds them up.

Each runner writes a JUnit file or ends with one verdict; the last line printed is the total,
`N passed, N failed, N skipped`. Called by ./test after the set-up.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "build" / "reports"
JOBS = os.environ.get("NPUGRAPH_JOBS") or str(os.cpu_count() or 1)
# Threads meet in the pool, in the kernels that use it, and in the runtime.
TSAN_TESTS = ["test_base", "test_runtime", "test_micro", "test_kernels"]
SANITIZER_ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1:"
    "allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}
TEST_TIMEOUT_S = 1800
FUZZ_S = 30.0  # of all fuzz targets together
# What a target mutates besides fuzz/corpus/<target>.
MORE_SEEDS = {
    "engine": ["build/reports/engines/small"],
    "hardware": ["npugraph/vnpu/configs"],
    "ir_file": ["fuzz/corpus/ir_text"],
}
# Files that are run as they are, or with single bytes changed: name, target, folder, options.
REPLAYS = [
    ("damaged models read", "onnx_import", "build/reports/damaged", ["--runs", "0"]),
    ("damaged models compiled", "compile", "build/reports/damaged", ["--runs", "0"]),
    ("seeds compiled", "compile", "fuzz/corpus/onnx_import", ["--runs", "0"]),
    ("engines with flipped bytes", "engine", "build/reports/engines/real", ["--flips", "600"]),
]


@dataclass
class Tally:
    """What one runner found."""

    name: str
    passed: int = 0
    failures: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    seconds: float = 0.0


def say(text: str) -> None:
    print(f"\n== {text}", flush=True)


def call(command: list[str], **options) -> int:
    """Runs a command in the repository with its output on the screen; returns its exit status."""
    try:
        return subprocess.run(command, cwd=ROOT, check=False, **options).returncode
    except (OSError, subprocess.TimeoutExpired) as error:
        print(error, flush=True)
        return 1


def read_junit(path: Path, tally: Tally) -> bool:
    """Adds the cases of a JUnit file; False when there is none to read."""
    try:
        cases = ET.parse(path).getroot().iter("testcase")
    except (OSError, ET.ParseError):
        return False
    for case in cases:
        group, name = case.get("classname", ""), case.get("name", "")
        name = name if group in ("", name) else f"{group}.{name}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            tally.failures.append(name)
        elif skipped is not None or case.get("status") in ("notrun", "disabled"):
            reason = skipped.get("message", "") if skipped is not None else ""
            tally.skips.append(f"{name}: {' '.join(reason.split())}" if reason else name)
        elif case.get("status") == "fail":
            tally.failures.append(name)
        else:
            tally.passed += 1
    return True


def run_junit(name: str, command: list[str], report: Path, **options) -> Tally:
    """Runs a command that writes `report`. A failure that the report does not show counts too."""
    say(f"{name}: {' '.join(command[:6])}")
    tally, began = Tally(name), time.monotonic()
    report.unlink(missing_ok=True)
    status = call(command, **options)
    found = read_junit(report, tally)
    if not found:
        tally.failures.append(f"{name}: ended with status {status} and no report")
    elif status != 0 and not tally.failures:
        tally.failures.append(f"{name}: ended with status {status} though no case failed")
    elif not (tally.passed or tally.failures or tally.skips):
        tally.failures.append(f"{name}: found no test")
    tally.seconds = time.monotonic() - began
    return tally


def run_commands(group: str, commands: dict[str, list[str]]) -> Tally:
    """One case for each command: passed when its exit status is 0."""
    say(group)
    tally, began = Tally(group), time.monotonic()
    for name, command in commands.items():
        if call(command) == 0:
            tally.passed += 1
        else:
            tally.failures.append(f"{name}: {' '.join(command)}")
    tally.seconds = time.monotonic() - began
    return tally


def run_checks() -> Tally:
    """Format, layers, licences, interface, lint."""
    python = sys.executable
    return run_commands(
        "checks",
        {
            "layers": [python, "dev/check_layers.py"],
            "spdx": [python, "dev/check_spdx.py"],
            "format": ["bash", "dev/format.sh", "--check"],
            "abi": ["bash", "dev/check_abi.sh"],
            "ruff": [python, "-m", "ruff", "check", "-q", "."],
        },
    )


def run_packaging() -> Tally:
    """The manual without a warning, every public declaration documented; a wheel that works."""
    return run_commands(
        "packaging",
        {
            "manual": ["bash", "docs/build"],
            "wheel": ["bash", "dev/make_wheel.sh"],
            "wheel in a fresh venv": ["bash", "dev/check_wheel.sh"],
        },
    )


def run_ctest() -> Tally:
    report = REPORTS / "ctest.xml"
    command = ["ctest", "--test-dir", "build/release", "-j", JOBS, "--output-on-failure"]
    command += ["--no-tests=error", "--timeout", "600", "--output-junit", str(report)]
    return run_junit("C++ release", command, report)


def run_pytest(fast: bool) -> Tally:
    report = REPORTS / "pytest.xml"
    command = [sys.executable, "-m", "pytest", "tests/python", "-q", f"--junitxml={report}"]
    if fast:
        command += ["-m", "not slow"]
    return run_junit("Python", command, report)


def fixed_addresses() -> list[str]:
    """A prefix that turns address randomisation off where that is allowed: TSan of g++ 12 does
    not know the address ranges of newer kernels."""
    prefix = ["setarch", os.uname().machine, "-R"]
    try:
        works = subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        works = False
    return prefix if works else []


def sanitizer_targets(preset: str) -> list[str]:
    """The test programs of a configured build tree that a preset runs."""
    programs = (ROOT / "build" / preset / "test_programs.txt").read_text().split()
    return [name for name in programs if preset != "tsan" or name in TSAN_TESTS]


def run_sanitizer(preset: str) -> Tally:
    """Builds the tests under a sanitizer preset and runs each program by itself."""
    say(f"{preset}: building")
    tally, began = Tally(preset), time.monotonic()
    configure = ["cmake", "--preset", preset, f"-DPython_EXECUTABLE={sys.executable}"]
    if call([*configure, "--log-level=WARNING"]) != 0:
        tally.failures.append(f"{preset}: configuring failed")
        return tally
    programs = sanitizer_targets(preset)
    # A program that does not build must not hide the others: -k 0 keeps going.
    build = ["cmake", "--build", f"build/{preset}", "-j", JOBS, "--target", *programs]
    if not programs or call([*build, "--", "-k", "0"]) != 0:
        tally.failures.append(f"{preset}: building the tests failed")
    environment = {**os.environ, **SANITIZER_ENVIRONMENT}
    prefix = fixed_addresses() if preset == "tsan" else []
    for program in programs:
        path, report = ROOT / "build" / preset / program, REPORTS / f"{preset}_{program}.xml"
        if not path.exists():
            continue
        command = [*prefix, str(path), "--gtest_brief=1", f"--gtest_output=xml:{report}"]
        part = run_junit(
            f"{preset} {program}", command, report, env=environment, timeout=TEST_TIMEOUT_S
        )
        tally.passed += part.passed
        tally.failures += [f"{preset}: {failure}" for failure in part.failures]
        tally.skips += part.skips
    if preset == "asan":
        run_fuzzers(tally, environment)
    tally.seconds = time.monotonic() - began
    return tally


def run_fuzzers(tally: Tally, environment: dict[str, str]) -> None:
    """Damaged files through every reader, and mutated seeds for a while, under ASan and UBSan."""
    targets = sorted(path.stem for path in (ROOT / "fuzz").glob("*.cpp") if path.stem != "driver")
    names = [f"fuzz_{target}" for target in targets]
    say("fuzz: building")
    if call(["cmake", "--build", "build/asan", "-j", JOBS, "--target", *names]) != 0:
        tally.failures.append("fuzz: building failed")
        return
    for script, folder in (
        ("tests/python/onnx_damage.py", REPORTS / "damaged"),
        ("fuzz/make_engine_corpus.py", REPORTS / "engines"),
    ):
        shutil.rmtree(folder, ignore_errors=True)
        if call([sys.executable, script, str(folder)]) != 0:
            tally.failures.append(f"fuzz: {script}")
    seeds = {name: [f"fuzz/corpus/{name}", *MORE_SEEDS.get(name, [])] for name in targets}
    seeds = {name: [f for f in folders if (ROOT / f).is_dir()] for name, folders in seeds.items()}
    mutated = {target: folders for target, folders in seeds.items() if folders}
    seconds = str(FUZZ_S / len(mutated))
    runs = []
    for target, folders in mutated.items():
        mutate = ["--seconds", seconds, "--runs", "1000000000"]
        runs.append((f"fuzz {target}", target, [*folders, *mutate]))
    for name, target, folder, options in REPLAYS:
        runs.append((name, target, [folder, "--max-bytes", "1000000000", *options]))
    for name, target, words in runs:
        say(name)
        command = [f"build/asan/fuzz/fuzz_{target}", *words]
        if call(command, env=environment, timeout=TEST_TIMEOUT_S) == 0:
            tally.passed += 1
        else:
            tally.failures.append(name)


def summarise(tallies: list[Tally]) -> int:
    say("summary")
    for tally in tallies:
        counts = f"{tally.passed:6d} passed {len(tally.failures):5d} failed"
        print(f"{tally.name:<14}{counts} {len(tally.skips):5d} skipped {tally.seconds:8.1f} s")
    skips = [skip for tally in tallies for skip in tally.skips]
    for skip in skips[:20]:
        print(f"skipped: {skip}")
    if len(skips) > 20:
        print(f"skipped: and {len(skips) - 20} more")
    failures = [failure for tally in tallies for failure in tally.failures]
    for failure in failures:
        print(f"FAILED: {failure}")
    passed = sum(tally.passed for tally in tallies)
    print(f"{passed} passed, {len(failures)} failed, {len(skips)} skipped", flush=True)
    return 1 if failures else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="./test", description="Runs every check and test.")
    parser.add_argument(
        "--fast", action="store_true", help="leave out tests marked slow and the sanitizers"
    )
    parser.add_argument(
        "--sanitizers",
        action="store_true",
        help="also build the manual and a wheel, and test under ASan+UBSan and TSan",
    )
    options = parser.parse_args()
    REPORTS.mkdir(parents=True, exist_ok=True)
    tallies = [run_checks(), run_ctest(), run_pytest(options.fast)]
    in_ci = os.environ.get("CI", "").lower() in ("1", "true")
    if options.sanitizers or (in_ci and not options.fast):
        tallies += [run_packaging(), run_sanitizer("asan"), run_sanitizer("tsan")]
    return summarise(tallies)


if __name__ == "__main__":
    sys.exit(main())
