# SPDX-License-Identifier: Apache-2.0
"""Models of other frameworks, taken through the ONNX exporters of those frameworks. Nothing here is
imported before such a model is given."""
