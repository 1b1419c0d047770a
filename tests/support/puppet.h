// A session played to its end on one thread: a function for a model, functions for tools, nothing else.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "agent/session.h"

namespace backedge::test {

inline Reply says(std::string text, std::string stop = "end_turn") {
  return {{Role::kAssistant, {TextBlock{std::move(text)}}}, std::move(stop), {}};
}

struct Asks {
  std::string tool;
  std::string arguments = "{}";
  std::string id = {};
};

/// Not for a branch of ?: there g++ 12 takes the strings of the braced list for uninitialized.
inline Reply calls(std::vector<Asks> const& all, std::string text = {}, std::string stop = "tool_use") {
  static std::uint64_t last = 0;  // ids differ within a process, as a provider's do
  Reply out{{Role::kAssistant, {}}, std::move(stop), {}};
  if (!text.empty()) out.message.blocks.emplace_back(TextBlock{std::move(text)});
  for (Asks const& one : all)
    out.message.blocks.emplace_back(
        CallBlock{one.id.empty() ? "id" + std::to_string(++last) : one.id, one.tool, one.arguments});
  return out;
}

/// What a request was, kept after its views are gone.
struct Seen {
  std::string agent;
  std::string system;
  std::vector<ToolOffer> tools;
  std::vector<Message> messages;
  bool may_call = true;
  FrameId frame;
  std::int64_t turn = 0;
};

class Puppet {
 public:
  using ModelFn = std::function<Result<Reply>(Request const&)>;
  using ToolPart = std::function<ToolResult(std::string_view arguments)>;

  explicit Puppet(std::string_view policy = {}) {
    if (!policy.empty()) setup_->policy = *Policy::parse(policy, "test.toml");
    setup_->policy_text = std::string(policy);
  }

  agent::Setup& setup() { return *setup_; }
  void tool(ToolSpec const& spec, ToolPart part) {
    setup_->policy = *setup_->policy.with(spec.name, spec.contract);
    ASSERT_TRUE(setup_->tools.add(spec).ok());
    parts_[spec.name] = std::move(part);
  }
  void plain_tool(std::string name, ToolPart part) { tool(ToolSpec{.name = std::move(name)}, std::move(part)); }
  void function(AgentSpec spec) {
    Contract contract = spec.contract;
    if (!contract.effect) contract.effect = Effect::kDelegate;
    setup_->policy = *setup_->policy.with(spec.name, contract);
    ASSERT_TRUE(setup_->tools.add(spec).ok());
  }

  agent::Session& session() {
    if (!session_) session_ = *agent::Session::open(setup_, "test", now_);
    return *session_;
  }

  /// One run of the session, to its end.
  RunResult run(std::string task, ModelFn model) {
    return go_on(agent::Begin{std::string(32, 'a'), std::move(task)}, std::move(model));
  }
  /// From this input on to the end of the run.
  RunResult go_on(agent::Input input, ModelFn model) {
    model_ = std::move(model);
    feed(std::move(input));
    while (!inputs_.empty() && !result_) next();
    while (!inputs_.empty()) next();
    EXPECT_TRUE(result_) << "the run came to no end";
    RunResult out = result_.value_or(RunResult{});
    result_.reset();
    return out;
  }

  /// Steps the session with one input; what it commands is done later, by next().
  void feed(agent::Input input) {
    batch_.clear();
    now_ += Micros{1};
    session().step(std::move(input), now_, batch_);
    for (talk::Event& e : batch_.events) events.push_back(std::move(e));
    for (agent::Command& command : batch_.commands) std::visit([this](auto& one) { carry_out(one); }, command);
  }
  void next() {
    auto make = std::move(inputs_.front());
    inputs_.pop_front();
    feed(make());
  }

  std::vector<Seen> seen;
  std::vector<talk::Event> events;
  std::vector<std::string> ran;  // "tool arguments"
  std::vector<agent::Command> stops;
  std::vector<Judged> judged;
  std::function<Approval(ApprovalRequest const&)> person;
  std::function<agent::HookAnswered(FrameId)> hooks;

 private:
  void carry_out(agent::AskModel const& c) {
    inputs_.push_back([this, c]() -> agent::Input {
      Request const r = session().request(c.frame);
      seen.push_back({std::string(r.agent),
                      std::string(r.system),
                      {r.tools.begin(), r.tools.end()},
                      {r.messages.begin(), r.messages.end()},
                      r.may_call,
                      r.frame,
                      r.turn});
      return agent::ModelAnswered{c.frame, c.turn, model_(r)};
    });
  }
  void carry_out(agent::StartTool const& c) {
    std::string arguments(c.arguments);
    ran.push_back(c.tool->name + " " + arguments);
    inputs_.push_back([this, call = c.call, name = c.tool->name, arguments]() -> agent::Input {
      return agent::ToolReturned{call, parts_.at(name)(arguments)};
    });
  }
  void carry_out(agent::AskPerson const& c) {
    Approval const answer = person ? person(c.request) : Approval::kDeny;
    inputs_.push_back(
        [call = c.request.call, answer]() -> agent::Input { return agent::PersonAnswered{call, answer}; });
  }
  void carry_out(agent::AskHooks const& c) {
    agent::HookAnswered const answer = hooks ? hooks(c.frame) : agent::HookAnswered{c.frame, {}, {}};
    inputs_.push_back([answer]() -> agent::Input { return answer; });
  }
  void carry_out(agent::Judgement const& c) { judged.push_back(c.judged); }
  void carry_out(agent::AnswerTool const&) {}
  void carry_out(agent::StopTool const& c) { stops.emplace_back(c); }
  void carry_out(agent::StopModel const& c) { stops.emplace_back(c); }
  void carry_out(agent::Finish const& c) { result_ = c.result; }

  std::shared_ptr<agent::Setup> setup_ = std::make_shared<agent::Setup>();
  std::unique_ptr<agent::Session> session_;
  std::map<std::string, ToolPart> parts_;
  ModelFn model_;
  std::deque<std::function<agent::Input()>> inputs_;
  std::optional<RunResult> result_;
  agent::Batch batch_;
  Micros now_{1'000'000};
};

/// The text of all results in a message, one per line.
inline std::string results_of(Message const& message) {
  std::string out;
  for (Block const& block : message.blocks) {
    if (auto const* result = std::get_if<ResultBlock>(&block))
      out += (result->failed ? "! " : "") + result->text + "\n";
  }
  return out;
}

/// Every assistant message with calls is followed by the message that answers each of them once, in order.
inline void expect_whole(std::vector<Message> const& messages) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    std::vector<std::string> asked;
    for (Block const& block : messages[i].blocks)
      if (auto const* call = std::get_if<CallBlock>(&block)) asked.push_back(call->id);
    std::vector<std::string> answered;
    if (!asked.empty() && i + 1 < messages.size())
      for (Block const& block : messages[i + 1].blocks)
        if (auto const* result = std::get_if<ResultBlock>(&block)) answered.push_back(result->id);
    EXPECT_EQ(asked, answered) << "message " << i;
    if (i > 0) {
      EXPECT_NE(messages[i].role == Role::kAssistant, messages[i - 1].role == Role::kAssistant) << "message " << i;
    }
  }
}

}  // namespace backedge::test
