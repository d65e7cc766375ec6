// SPDX-License-Identifier: Apache-2.0
// Passes of the user in C++: what registers, what guards see and set, what happens when they fail.
#include "npugraph/api/user_passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/text.h"

namespace npugraph {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kRelu6 = R"(graph "g" {
  input %x: float32[2, 3]
  const %six = float32[] [6]
  %r = Relu(%x) name "relu"
  %y = Min(%r, %six) name "limited"
  return %y
})";

UserPass relu6(std::string name = "my_relu6") {
  return {.name = std::move(name),
          .doc = "as exporters write it",
          .rewrites = {{"y = Min(Relu(x), 6)", "y = Clip(x, 0, 6)"}},
          .exact = true};
}

Library library() {
  auto made = Library::create();
  NPU_CHECK(made.has_value(), "the built-in library");
  return *std::move(made);
}

/// The optimised graph; the error's message when there is none.
std::string compiled(const Library& with, const CompileOptions& options = {}) {
  const auto engine = compile_text(with, kRelu6, options);
  return engine ? std::string(engine->graph_text()) : engine.error().message();
}

TEST(UserPasses, run_with_their_library_and_are_switched_by_name) {
  const Library own = library();
  ASSERT_TRUE(own.register_pass(relu6()));
  EXPECT_THAT(compiled(own), HasSubstr("Clip(%x, "));
  EXPECT_THAT(compiled(own, {.passes = {{"my_relu6", false}}}), Not(HasSubstr("Clip")));
  EXPECT_THAT(compiled(own, {.opt_level = 0}), Not(HasSubstr("Clip")));
  EXPECT_THAT(compiled(own, {.opt_level = 0, .passes = {{"my_relu6", true}}}), HasSubstr("Clip"));
  EXPECT_THAT(compiled(library()), Not(HasSubstr("Clip")));
  EXPECT_TRUE(own.remove_pass("my_relu6"));
  EXPECT_FALSE(own.remove_pass("my_relu6"));
  EXPECT_FALSE(own.remove_pass("fuse_gelu"));
  EXPECT_THAT(compiled(own), Not(HasSubstr("Clip")));
}

TEST(UserPasses, stop_after_the_calls_that_are_asked_for) {
  const Library own = library();
  ASSERT_TRUE(own.register_pass(relu6()));
  EXPECT_THAT(compiled(own, {.max_pass_calls = 1}), Not(HasSubstr("Clip")));
}

TEST(UserPasses, guards_see_types_and_constants_and_set_what_the_replacement_needs) {
  const Library own = library();
  UserPass pass = {.name = "halved"};
  pass.rewrites.push_back({"y = Min(Relu(x), #limit)",
                           "y = Clip(LeakyRelu{alpha = $alpha}(x), -, high)",
                           [](PatternMatch& match) -> Result<bool> {
                             EXPECT_EQ(match.root_name(), "limited");
                             EXPECT_EQ(match.type("x")->str(), "float32[2, 3]");
                             EXPECT_FALSE(match.type("nothing"));
                             EXPECT_FALSE(match.constant("x"));
                             EXPECT_FALSE(match.attr("nothing"));
                             const double limit = match.constant("limit")->view().load(0);
                             match.set_constant("high", Tensor::scalar(DType::kF32, limit / 2));
                             match.set_attr("alpha", 0.5);
                             return true;
                           }});
  ASSERT_TRUE(own.register_pass(std::move(pass)));
  const std::string text = compiled(own);
  EXPECT_THAT(text, HasSubstr("{alpha = 0.5}"));
  EXPECT_THAT(text, HasSubstr("float32[] [3]"));
}

TEST(UserPasses, errors_and_exceptions_of_guards_name_pass_and_node) {
  const auto with_guard = [](PatternGuard guard) {
    const Library own = library();
    UserPass pass = relu6("mine");
    pass.rewrites[0].guard = std::move(guard);
    EXPECT_TRUE(own.register_pass(std::move(pass)));
    return compiled(own);
  };
  const std::string refused = with_guard(
      [](PatternMatch&) -> Result<bool> { return fail(ErrorId::kBadOption, "not today"); });
  EXPECT_THAT(refused, HasSubstr("pass 'mine': node 'limited': not today"));
  const std::string thrown =
      with_guard([](PatternMatch&) -> Result<bool> { throw std::runtime_error("out of cheese"); });
  EXPECT_THAT(thrown, HasSubstr("pass 'mine': node 'limited'"));
  EXPECT_THAT(thrown, HasSubstr("out of cheese"));
}

TEST(UserPasses, a_replacement_that_does_not_fit_is_an_error) {
  const Library own = library();
  ASSERT_TRUE(
      own.register_pass({.name = "refused", .rewrites = {{"y = Relu(x)", "y = And(x, x)"}}}));
  EXPECT_THAT(compiled(own), HasSubstr("pass 'refused': node 'relu'"));
}

TEST(UserPasses, what_cannot_be_registered_says_why) {
  const Library own = library();
  ASSERT_TRUE(own.register_pass(relu6()));
  const auto error = [&](UserPass pass) {
    const Status status = own.register_pass(std::move(pass));
    EXPECT_FALSE(status);
    return status ? "" : status.error().message();
  };
  EXPECT_THAT(error(relu6()), HasSubstr("there is a pass of this name already"));
  EXPECT_THAT(error(relu6("fuse_gelu")), HasSubstr("there is a pass of this name already"));
  EXPECT_THAT(error(relu6("a b")), HasSubstr("not the name of a pass"));
  UserPass pass = relu6("other");
  pass.before = "fuse_gelo";
  EXPECT_THAT(error(pass), HasSubstr("did you mean 'fuse_gelu'?"));
  pass = relu6("other");
  pass.level = 9;
  EXPECT_THAT(error(pass), HasSubstr("outside its range"));
  pass = relu6("other");
  pass.rewrites.push_back({"y = Relu(x", "y = x"});
  EXPECT_THAT(error(pass),
              HasSubstr("NPU312: pass 'other': rewrite 2: pattern: line 1, column 11"));
  pass.rewrites.clear();
  EXPECT_THAT(error(pass), HasSubstr("nothing to do"));
}

TEST(UserPasses, keep_their_order_among_the_others) {
  const Library own = library();
  ASSERT_TRUE(own.register_pass(relu6("first")));
  ASSERT_TRUE(own.register_pass(relu6("second")));
  UserPass early = relu6("early");
  early.before = "remove_identity";
  ASSERT_TRUE(own.register_pass(early));
  std::vector<std::string> fusing, all;
  for (const PassDescription& row : own.passes()) {
    all.push_back(row.name);
    if (row.fuses) fusing.push_back(row.name);
    EXPECT_EQ(row.user, row.name == "first" || row.name == "second" || row.name == "early");
  }
  EXPECT_EQ(fusing[0], "first");
  EXPECT_EQ(fusing[1], "second");
  const auto at = std::find(all.begin(), all.end(), "early");
  ASSERT_NE(at, all.end());
  EXPECT_EQ(*(at + 1), "remove_identity");
}

TEST(UserPasses, threads_may_register_while_others_compile) {
  const Library own = library();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&own, i] {
      for (int round = 0; round < 5; ++round) {
        const std::string name = text("pass_", i, "_", round);
        EXPECT_TRUE(own.register_pass(relu6(name)));
        EXPECT_THAT(compiled(own), HasSubstr("Clip(%x, "));
        EXPECT_TRUE(own.remove_pass(name));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace npugraph
