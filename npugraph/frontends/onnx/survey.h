// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "npugraph/frontends/onnx/functions.h"
#include "npugraph/frontends/onnx/read.h"

namespace npugraph::onnx {

using SurveyVisit = std::function<void(const NodeProto& proto, SurveyedNode node)>;

/// Calls `visit` for every node of the model: its graph, nested graphs, and each function that is
/// called, once. Errors: kOnnxVersion.
Status survey_model(const ModelProto& model, const FunctionTable& functions,
                    const SurveyVisit& visit);

/// Ok when every node is supported. Errors: kOnnxOperator that lists the nodes which are not.
Status check_operators(const ModelProto& model, const FunctionTable& functions);

}  // namespace npugraph::onnx
