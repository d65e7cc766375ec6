// SPDX-License-Identifier: Apache-2.0
#include "npugraph/frontends/onnx/survey.h"

#include <algorithm>
#include <array>
#include <set>

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/names.h"
#include "npugraph/frontends/onnx/node_order.h"
#include "npugraph/frontends/onnx/upgrade/upgrade.h"

namespace npugraph::onnx {
namespace {

constexpr std::array<std::string_view, 3> kControlFlow = {"If", "Loop", "Scan"};
constexpr std::array<std::string_view, 5> kDataSized = {"NonZero", "NonMaxSuppression", "Unique",
                                                        "Compress", "StringSplit"};
constexpr std::array<std::string_view, 6> kRandom = {"RandomNormal",  "RandomNormalLike",
                                                     "RandomUniform", "RandomUniformLike",
                                                     "Bernoulli",     "Multinomial"};

template <class Names>
bool is_one_of(std::string_view name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string nearest_op(std::string_view domain, std::string_view op) {
  constexpr size_t kLongestOp = 64;  // the search compares each letter with each
  if (op.size() > kLongestOp) return {};
  std::vector<std::string_view> names;
  for (const OpSchema& schema : all_ops())
    if (schema.domain == domain) names.push_back(schema.name);
  for (const Upgrade& row : upgrades())
    if (row.domain == domain) names.push_back(row.op);
  return nearest(op, names);
}

std::string why_unknown(std::string_view domain, std::string_view op) {
  const std::string close = nearest_op(domain, op);
  std::string reason = text("no operator ", full_op(domain, op), " is known");
  if (!close.empty() && close != op) reason += text("; the nearest is ", close);
  return reason;
}

class Surveyor {
 public:
  Surveyor(const FunctionTable& functions, const SurveyVisit& visit)
      : functions_(functions), visit_(visit) {}

  void nodes(const NodeProtos& protos, const std::string& path, const Opsets& opsets) {
    for (const NodeProto& proto : protos) node(proto, path, opsets);
  }

  /// Functions that were called and not yet looked at; looking may find more.
  void called_functions() {
    while (!waiting_.empty()) {
      const Function* function = waiting_.back();
      waiting_.pop_back();
      const FunctionProto& proto = *function->proto;
      nodes(proto.node(), text("function ", full_op(proto.domain(), proto.name()), "/"),
            function->opsets);
    }
  }

 private:
  void node(const NodeProto& proto, const std::string& path, const Opsets& opsets) {
    SurveyedNode out;
    out.name = std::string(node_name(proto));
    out.path = path + std::string(cut(node_name(proto)));
    out.domain = std::string(plain_domain(proto.domain()));
    out.op = proto.op_type();
    const auto opset = opset_of(opsets, out.domain);
    out.opset = opset ? *opset : 0;
    judge(proto, opset.has_value(), out);
    const std::string inner = out.path;
    visit_(proto, std::move(out));
    for (const auto& attribute : proto.attribute()) {
      if (attribute.has_g())
        nodes(attribute.g().node(), text(inner, "/", cut(attribute.name()), "/"), opsets);
      for (const auto& graph : attribute.graphs())
        nodes(graph.node(), text(inner, "/", cut(attribute.name()), "/"), opsets);
    }
  }

  void judge(const NodeProto& proto, bool imported, SurveyedNode& out) {
    if (const Function* function = functions_.find(proto); function != nullptr) {
      out.supported = true;
      out.call = true;
      out.signs.push_back("function of the model, inlined");
      if (seen_.insert(function).second) waiting_.push_back(function);
      return;
    }
    if (out.domain.empty() && is_one_of(out.op, kControlFlow))
      out.signs.push_back(
          "control flow: a nested graph runs or repeats as the data says; it stays on the cpu "
          "unless "
          "its condition is constant: fix it, or fix the shapes that it tests");
    if (out.domain.empty() && is_one_of(out.op, kDataSized))
      out.signs.push_back(
          "size of the output is known only once it has run; bound it, or keep it at the model's "
          "end");
    if (out.domain.empty() && is_one_of(out.op, kRandom))
      out.signs.push_back(
          "random: results differ from run to run; pass the numbers in as an input");
    if (!out.domain.empty() && out.domain != "com.microsoft")
      out.signs.push_back(
          "custom domain: only its own runtime defines it; rewrite it with standard operators or "
          "export it as an ONNX function");
    out.supported = (out.domain.empty() && out.op == "Constant") ||
                    target_op(out.domain, out.op, out.opset) != nullptr;
    if (!out.supported) {
      out.reason = why_unknown(out.domain, out.op);
    } else if (!imported) {
      out.supported = false;
      out.reason = "the model does not say the opset of its domain";
    }
  }

  const FunctionTable& functions_;
  const SurveyVisit& visit_;
  std::set<const Function*> seen_;
  std::vector<const Function*> waiting_;
};

}  // namespace

Status survey_model(const ModelProto& model, const FunctionTable& functions,
                    const SurveyVisit& visit) {
  NPU_LET(const Opsets opsets, read_opsets(model.opset_import()));
  Surveyor surveyor(functions, visit);
  surveyor.nodes(model.graph().node(), {}, opsets);
  surveyor.called_functions();
  return ok();
}

Status check_operators(const ModelProto& model, const FunctionTable& functions) {
  constexpr size_t kMostListed = 50;
  std::vector<std::string> lines;
  size_t count = 0;
  NPU_TRY(survey_model(model, functions, [&](const NodeProto&, const SurveyedNode& node) {
    if (node.supported || count++ >= kMostListed) return;
    lines.push_back(text("node ", shown(node.path), ": ", node.reason));
  }));
  if (count == 0) return ok();
  if (count > lines.size()) lines.push_back(text("and ", count - lines.size(), " more"));
  return fail(ErrorId::kOnnxOperator,
              text(count, count == 1 ? " node is" : " nodes are", " not supported"),
              join(lines, "; "), "operators that `npugraph ops` lists");
}

}  // namespace npugraph::onnx
