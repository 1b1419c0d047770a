// What a running tool is given; see backedge/tool.h.
#pragma once

#include <string>
#include <string_view>

#include "runtime/drive.h"

namespace backedge::runtime {

class Context : public ToolContext {
 public:
  Context(Drive& drive, CallId call, FrameId frame, std::string_view arguments, std::stop_token stop, std::string token,
          bool inline_call)
      : drive_(drive),
        call_(call),
        frame_(frame),
        arguments_(arguments),
        stop_(std::move(stop)),
        token_(std::move(token)),
        inline_(inline_call) {}

  std::string_view arguments() const override { return arguments_; }
  CallId call() const override { return call_; }
  std::stop_token stop() const override { return stop_; }
  void progress(std::string_view text) override { drive_.tell_text(frame_, text); }
  Result<ToolResult> run_agent(std::string_view agent, std::string_view task) override;
  Result<std::string> token() const override;

 private:
  Drive& drive_;
  CallId call_;
  FrameId frame_;
  std::string_view arguments_;
  std::stop_token stop_;
  std::string token_;  // empty without a key
  bool inline_;
};

}  // namespace backedge::runtime
