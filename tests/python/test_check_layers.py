# SPDX-License-Identifier: Apache-2.0
"""dev/check_layers.py sees a forbidden include however it is spelled."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_spec = importlib.util.spec_from_file_location("check_layers", ROOT / "dev" / "check_layers.py")
check_layers = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check_layers)

LAYERS = """\
base:
tensor: base
ops: tensor base
ir: ops tensor base
api: ir ops tensor base
"""


@pytest.fixture
def repo(tmp_path):
    """A repository of five folders in which all is well."""
    for folder in ("base", "tensor", "ops", "ir", "api"):
        (tmp_path / "npugraph" / folder).mkdir(parents=True)
    (tmp_path / "npugraph/layers.txt").write_text(LAYERS)
    (tmp_path / "npugraph/README.md").write_text("folders\n")
    (tmp_path / "npugraph/base/text.h").write_text("#include <string>\n")
    (tmp_path / "npugraph/ir/graph.h").write_text('#include "npugraph/ops/op.h"\n')
    (tmp_path / "npugraph/ops/op.h").write_text('#include "npugraph/base/text.h"\n')
    return tmp_path


def faults_with(repo, name, text):
    path = repo / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return check_layers.check(repo)[0]


def test_clean_repository_has_no_faults(repo):
    faults, files = check_layers.check(repo)
    assert faults == []
    assert files == 3


@pytest.mark.parametrize(
    "line",
    [
        '#include "npugraph/ir/graph.h"',
        "#include <npugraph/ir/graph.h>",
        '#include "../ir/graph.h"',
        "#include <../ir/graph.h>",
        '#include "npugraph/ops/../ir/graph.h"',
        '#include "npugraph/../npugraph/ir/graph.h"',
        '#include "../../npugraph/ir/graph.h"',
        '  #  include   "npugraph/ir/graph.h"',
        '#include"npugraph/ir/graph.h"',
        '/* why */ #include "npugraph/ir/graph.h"',
        '#include /* why */ "npugraph/ir/graph.h"',
        '%:include "npugraph/ir/graph.h"',
        '#include \\\n  "npugraph/ir/graph.h"',
        '#include "npugraph/ir/graph.pb.h"',
        '#include "../ir/ops.inc"',
        '#include "../ir/not_there_yet.h"',
    ],
)
@pytest.mark.parametrize("source", ["softmax.cpp", "softmax.h", "op_list.inc"])
def test_forbidden_include_is_caught(repo, line, source):
    faults = faults_with(repo, f"npugraph/ops/{source}", f"int a;\n{line}\n")
    assert any(f"npugraph/ops/{source}:2: ops/ may not include ir/" in fault for fault in faults)


def test_forbidden_include_in_a_subfolder_is_caught(repo):
    faults = faults_with(repo, "npugraph/ops/nn/softmax.cpp", '#include "../../ir/graph.h"\n')
    assert any("ops/ may not include ir/" in fault for fault in faults)


def test_forbidden_include_in_a_test_is_caught(repo):
    faults = faults_with(repo, "tests/ops/softmax.cpp", '#include "npugraph/ir/graph.h"\n')
    assert faults == ["tests/ops/softmax.cpp:1: tests/ops/ may not include ir/ (layers.txt)"]


def test_forbidden_proto_import_is_caught(repo):
    faults = faults_with(repo, "npugraph/ops/a.proto", 'import "npugraph/ir/b.proto";\n')
    assert faults == ["npugraph/ops/a.proto:1: ops/ may not include ir/ (layers.txt)"]


def test_computed_include_is_refused(repo):
    faults = faults_with(repo, "npugraph/ops/a.cpp", "#include NPU_HEADER\n")
    assert faults == [
        "npugraph/ops/a.cpp:1: found #include NPU_HEADER, expected a literal name, "
        "which can be checked"
    ]


def test_allowed_include_must_be_spelled_in_full(repo):
    faults = faults_with(repo, "npugraph/ops/a.cpp", '#include "op.h"\n')
    assert faults == [
        'npugraph/ops/a.cpp:1: found "op.h", expected the full name "npugraph/ops/op.h"'
    ]


def test_product_may_not_include_tests(repo):
    (repo / "tests").mkdir()
    (repo / "tests/help.h").write_text("")
    faults = faults_with(repo, "npugraph/ops/a.cpp", '#include "tests/help.h"\n')
    assert any("npugraph/ may not include tests/" in fault for fault in faults)


def test_comment_and_text_are_no_includes(repo):
    text = '// #include "npugraph/ir/graph.h"\nconst char* a = "#include <npugraph/ir/graph.h>";\n'
    assert faults_with(repo, "npugraph/ops/a.cpp", text) == []


def test_loose_file_is_caught(repo):
    faults = faults_with(repo, "npugraph/extra.h", "")
    assert faults == ["npugraph/extra.h: R7: npugraph/ holds no loose files"]


def test_folder_without_a_line_is_caught(repo):
    faults = faults_with(repo, "npugraph/more/a.h", "")
    assert faults == ["npugraph/more: the folder has no line in layers.txt"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("base: tensor\ntensor:", "R1"),
        ("runtime:\npasses: runtime", "R2"),
        ("interp:\nruntime: interp", "R2"),
        ("lower:\ndrivers: lower", "R2"),
        ("drivers:\nruntime: drivers", "R3"),
        ("drivers:\ntools: drivers", "R3"),
        ("base:\ntensor: base\nvnpu: tensor base", "R4"),
        ("ir:\nops: ir", "R5"),
        ("ir:\npython: ir", "R6"),
        ("runtime:\nserve: runtime", "R6"),
    ],
)
def test_table_that_breaks_a_rule_is_refused(text, rule):
    faults = check_layers.read_layers(text).faults
    assert any(f" {rule}: " in fault for fault in faults)


def test_table_lines_must_be_well_formed():
    assert len(check_layers.read_layers("base\nops: \nops:\n").faults) == 2


def test_this_repository_is_clean():
    assert check_layers.check(ROOT)[0] == []
