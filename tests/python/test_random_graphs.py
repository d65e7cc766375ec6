# SPDX-License-Identifier: Apache-2.0
"""1,000 random models: engines at every level give what the interpreter gives on the model as it
is written, and what onnxruntime gives where it takes the model. random_check.py makes a failing
one small."""

import pytest
from random_check import problems
from random_graphs import random_model

import npugraph

COUNT = 1000
EACH = 50  # models of one test
QUICK = 200  # models that --fast runs too

CASES = [
    pytest.param(
        first, id=f"{first}-{first + EACH - 1}", marks=[pytest.mark.slow] * (first >= QUICK)
    )
    for first in range(0, COUNT, EACH)
]


@pytest.mark.parametrize("first", CASES)
def test_engines_equal_the_interpreter(first):
    failures = {}
    for seed in range(first, first + EACH):
        found = problems(*random_model(seed))
        if found:
            failures[seed] = found
    assert not failures


def test_every_pass_finds_work():
    """Else the comparison above would say nothing about it."""
    idle = None
    for seed in range(QUICK):
        report = npugraph.compile(random_model(seed)[0], opt_level=3).describe()["passes"]
        names = {row["name"] for row in report}
        idle = names if idle is None else idle
        idle -= {row["name"] for row in report if row["changes"]}
    assert idle <= {"infer_shapes"}  # reading a model has inferred them already


def test_models_are_the_same_for_the_same_seed():
    for seed in (0, 7, 123):
        first, second = random_model(seed), random_model(seed)
        assert first[0].SerializeToString() == second[0].SerializeToString()
        assert all((first[1][name] == second[1][name]).all() for name in second[1])
