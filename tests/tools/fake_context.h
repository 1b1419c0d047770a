// What a tool is given, by hand.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backedge/tool.h"
#include "support/temp_folder.h"
#include "tools/builtin.h"

namespace backedge::tools {

using support::TempFolder;

class FakeContext final : public ToolContext {
 public:
  explicit FakeContext(std::string arguments, std::stop_token stop = {})
      : arguments_(std::move(arguments)), stop_(std::move(stop)) {}

  std::string_view arguments() const override { return arguments_; }
  CallId call() const override { return CallId{7}; }
  std::stop_token stop() const override { return stop_; }
  void progress(std::string_view) override {}
  Result<ToolResult> run_agent(std::string_view, std::string_view) override {
    return Error{ErrorKind::kNotFound, "there are no agents here", {}};
  }
  Result<std::string> token() const override { return std::string("the-token"); }

 private:
  std::string arguments_;
  std::stop_token stop_;
};

/// The tools of one temporary folder.
class Bench {
 public:
  explicit Bench(BuiltinOptions options = {.folder = {}, .allow_write = true, .allow_run = true}) {
    options.folder = folder.path();
    Result<std::vector<BuiltinTool>> made = builtin_tools(options);
    if (made) tools_ = std::move(*made);
  }

  ToolResult call(std::string_view tool, std::string arguments, std::stop_token stop = {}) const {
    for (auto const& [spec, run] : tools_) {
      if (spec.name != tool) continue;
      FakeContext context(std::move(arguments), std::move(stop));
      return run(context);
    }
    return {CallStatus::kUnknown, "no such tool"};
  }
  std::vector<BuiltinTool> const& tools() const { return tools_; }

  TempFolder folder;

 private:
  std::vector<BuiltinTool> tools_;
};

}  // namespace backedge::tools
