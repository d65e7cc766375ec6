# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration of the manual; `docs/build` makes the pages."""

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))

import docstrings  # noqa: E402
from cxx_reference import write_pages  # noqa: E402

import npugraph  # noqa: E402

project = "npugraph"
release = npugraph.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"npugraph {release}"
myst_heading_anchors = 3
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
# Declarations name types of the standard library and of headers that have no page.
nitpicky = False

# The pages of the C and C++ interfaces, from the comments of their headers.
INTERFACES = {
    "npugraph/api/npugraph.h": "cpp",
    "npugraph/api/user_pass.h": "cpp",
    "npugraph/api/npugraph_c.h": "c",
    "npugraph/hal/plugin_abi.h": "c",
}
VALUES = {"npugraph/base/result.h": "cpp", "npugraph/tensor/tensor.h": "cpp"}
undocumented = write_pages(DOCS.parent, INTERFACES, DOCS / "reference")
write_pages(DOCS.parent, VALUES, DOCS / "reference")
if undocumented:
    raise RuntimeError("declarations without a comment: " + "; ".join(undocumented))


def setup(app):
    app.connect("autodoc-process-docstring", docstrings.process)
