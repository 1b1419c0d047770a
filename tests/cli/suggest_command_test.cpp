// backedge suggest: on runs that the program itself has recorded, and on the corpus of recorded loops.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "backedge/policy.h"
#include "base/json.h"
#include "cli/commands.h"
#include "inspect/read.h"
#include "inspect/replay.h"
#include "support/temp_folder.h"

namespace backedge::cli {
namespace {

using support::TempFolder;

namespace json = boost::json;

/// Every rule about repetition off, so that what is found is found by suggestions.
constexpr char kOpen[] =
    "[repeat]\nexact = false\nexact_error = false\ncycle = false\nstagnant = false\nstagnant_empty = false\n"
    "stagnant_warn = false\nerror = false\nerror_warn = false\nrange = false\nrange_warn = false\npoll = false\n"
    "poll_warn = false\neffect = false\ntext = false\n";

class SuggestCommand : public testing::Test {
 protected:
  SuggestCommand() { folder_.write("open.toml", kOpen); }

  void record(std::string const& script, std::string const& policy = "open.toml") {
    std::string const command = "cd '" + folder_.path().string() +
                                "' && HOME=. '" BACKEDGE_PROGRAM "' run go --model scripted:" + script +
                                " --journal j.db --policy " + policy + " > out 2> err";
    int const status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status)) << folder_.read("err");
  }

  int suggest(std::vector<std::string> runs, bool as_json = false, std::vector<std::string> against = {}) {
    std::ostringstream out, err;
    SuggestOptions options;
    options.journal.common = {{folder_.path(), "", "", ""}, "open.toml", ""};
    options.journal.journal = (folder_.path() / "j.db").string();
    options.runs = std::move(runs);
    options.against = std::move(against);
    options.json = as_json;
    int const status = run_suggest(options, out, err);
    out_ = out.str();
    err_ = err.str();
    return status;
  }

  /// The real program; its standard output.
  std::string program(std::string const& words) {
    std::string const command =
        "cd '" + folder_.path().string() + "' && HOME=. '" BACKEDGE_PROGRAM "' " + words + " > out 2> err";
    EXPECT_EQ(std::system(command.c_str()), 0) << words << folder_.read("err");
    return folder_.read("out");
  }

  json::object parsed() const { return parse_json(out_)->as_object(); }

  std::size_t caught_after(std::string const& policy) {
    std::ostringstream out, err;
    ReplayOptions options;
    options.journal.common = {{folder_.path(), "", "", ""}, policy, ""};
    options.journal.journal = (folder_.path() / "j.db").string();
    options.run = "last";
    options.json = true;
    EXPECT_EQ(run_replay(options, out, err), kOk) << err.str();
    return static_cast<std::size_t>(parse_json(out.str())->as_object().at("refused_now").as_int64());
  }

  TempFolder folder_;
  std::string out_, err_;
};

std::string call(std::string const& path, std::string const& tool = "list_files") {
  return R"({"calls":[{"tool":")" + tool + R"(","args":{"path":")" + path + R"("}}],"usage":{"in":1000,"out":10}})" +
         "\n";
}

/// The text with what its comments were wrapped for undone.
std::string flat(std::string text) {
  for (std::size_t at = 0; (at = text.find("\n#   ", at)) != std::string::npos;) text.replace(at, 5, " ");
  return text;
}

std::string times(int n, std::string const& line) {
  std::string out;
  for (int i = 0; i < n; ++i) out += line;
  return out;
}

TEST_F(SuggestCommand, WhatItPrintsIsAPolicyThatStopsTheLoopAndLeavesHealthyRunsAlone) {
  folder_.write("sub/a.txt", "a");
  folder_.write("sub/b.txt", "b");
  folder_.write("good.jsonl",
                call("sub/a.txt", "read_file") + call("sub/b.txt", "read_file") + "{\"text\":\"done\"}\n");
  folder_.write("loop.jsonl", times(6, call("sub")) + "{\"text\":\"done\"}\n");
  record("good.jsonl");
  record("good.jsonl");
  record("loop.jsonl");
  ASSERT_EQ(suggest({"last"}), kOk) << err_;
  EXPECT_NE(out_.find("would have caught 5 calls in 1 run"), std::string::npos) << out_;
  EXPECT_NE(flat(out_).find("would have wrongly caught 0 of 10 calls in 1 given run and 2 other runs"),
            std::string::npos)
      << out_;
  EXPECT_NE(out_.find("call 2: list_files {\"path\":\"sub\"}"), std::string::npos) << out_;
  EXPECT_TRUE(Policy::parse(out_, "suggested.toml")) << out_;
  folder_.write("suggested.toml", out_);
  EXPECT_GT(caught_after("suggested.toml"), 0u);
  PolicyCheckOptions check{{{folder_.path(), "", "", ""}, "", ""}, "suggested.toml"};
  std::ostringstream out, err;
  EXPECT_EQ(run_policy_check(check, out, err), kOk) << err.str();
}

TEST_F(SuggestCommand, ASuggestionThatWouldHaveStoppedGoodWorkIsCommentedOutAndSaysWhichCalls) {
  folder_.write("sub/a.txt", "a");
  folder_.write("loop.jsonl", times(6, call("gone", "read_file")) + "{\"text\":\"done\"}\n");
  // Fails twice, then finds what somebody has put there meanwhile: a rule on failures would have stopped it.
  folder_.write("good.jsonl", call("late.txt", "read_file") + call("late.txt", "read_file") +
                                  R"({"calls":[{"tool":"write_file","args":{"path":"late.txt","content":"x"}}]})" +
                                  "\n" + call("late.txt", "read_file") + "{\"text\":\"done\"}\n");
  record("good.jsonl --allow-write");
  record("loop.jsonl");
  ASSERT_EQ(suggest({"last"}, true), kOk) << err_;
  json::object const all = parsed();
  for (json::value const& one : all.at("suggestions").as_array())
    EXPECT_TRUE(one.at("wrongly_caught").as_array().empty()) << out_;
  EXPECT_TRUE(parsed().at("together").at("wrongly_caught").as_array().empty()) << out_;
}

TEST_F(SuggestCommand, WithNothingInVainItSaysSoAndIsStillAPolicy) {
  folder_.write("sub/a.txt", "a");
  folder_.write("good.jsonl", call("sub/a.txt", "read_file") + "{\"text\":\"done\"}\n");
  record("good.jsonl");
  ASSERT_EQ(suggest({"last"}), kOk) << err_;
  EXPECT_EQ(out_.find("# nothing to suggest for 1 run: no call was in vain"), 0u) << out_;
  EXPECT_TRUE(Policy::parse(out_, "x"));
}

TEST_F(SuggestCommand, WhatIsNoRunAndNoSessionIsAnErrorOfOneLine) {
  record("none.jsonl");
  EXPECT_NE(suggest({"nosuchrun"}), kOk);
  EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
  folder_.write("empty.txt", "nothing");
  EXPECT_NE(suggest({"empty.txt"}), kOk);
  EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
}

/// A failure that is like no other one, so that no rule on repetition has anything to say.
std::string failing(int n) {
  char const* const words[] = {"alpha", "bravo",  "gamma", "delta", "omega", "sigma",
                               "kappa", "lambda", "theta", "zebra", "quark", "ocean"};
  std::string const word = words[n % 12];
  return R"({"calls":[{"tool":"run_command","args":{"command":"echo no )" + word + R"( there; exit )" +
         std::to_string(n + 1) + R"("}}],"usage":{"in":1000,"out":10}})" + "\n";
}

TEST_F(SuggestCommand, ARunThatWentOnLongAfterOthersWereDoneIsGivenALimit) {
  folder_.write("sub/a.txt", "a");
  folder_.write("limited.toml", std::string("[limits]\nmax_turns = 12\n") + kOpen);
  folder_.write("good.jsonl", call("sub") + call("sub/a.txt", "read_file") + "{\"text\":\"done\"}\n");
  std::string lost;
  for (int i = 0; i < 12; ++i) lost += failing(i);
  folder_.write("lost.jsonl", lost + "{\"text\":\"gave up\"}\n");
  for (int i = 0; i < 3; ++i) record("good.jsonl");
  record("lost.jsonl --allow-run", "limited.toml");
  std::string const said = program("suggest last --journal j.db --policy open.toml");
  EXPECT_NE(said.find("[limits]\n"), std::string::npos) << said;
  EXPECT_NE(said.find("no run that finished"), std::string::npos) << said;
  EXPECT_NE(flat(said).find("would have wrongly caught 0 of"), std::string::npos) << said;
  EXPECT_NE(flat(said).find("called on until a limit ended it: it lacks an exit, not steps"), std::string::npos)
      << said;
  ASSERT_TRUE(Policy::parse(said, "suggested.toml")) << said;
  // What it prints, tried as it says.
  folder_.write("suggested.toml", said);
  EXPECT_GT(caught_after("suggested.toml"), 0u);
}

/// A session of Anthropic's messages in which every call fails in its own words, or every one brings something.
std::string session(int calls, bool fails) {
  json::array out{json::object{{"role", "user"}, {"content", "go"}}};
  char const* const words[] = {"alpha", "bravo",  "gamma", "delta", "omega", "sigma",
                               "kappa", "lambda", "theta", "zebra", "quark", "ocean"};
  for (int i = 0; i < calls; ++i) {
    std::string const id = "c" + std::to_string(i), word = words[i % 12];
    out.push_back(json::object{
        {"role", "assistant"},
        {"content",
         json::array{json::object{
             {"type", "tool_use"}, {"id", id}, {"name", "deploy_" + word}, {"input", json::object{{"to", word}}}}}}});
    out.push_back(json::object{
        {"role", "user"},
        {"content", json::array{json::object{{"type", "tool_result"},
                                             {"tool_use_id", id},
                                             {"content", (fails ? "no such place as " : "went to ") + word},
                                             {"is_error", fails}}}}});
  }
  out.push_back(json::object{{"role", "assistant"}, {"content", "done"}});
  return json::serialize(out);
}

TEST_F(SuggestCommand, LimitsAreHeldAgainstRecordedSessionsToo) {
  folder_.write("lost.json", session(12, true));
  for (int i = 1; i <= 3; ++i) folder_.write("good/" + std::to_string(i) + ".json", session(i, false));
  std::string const said = program("suggest lost.json --against good --policy open.toml");
  EXPECT_NE(said.find("[limits]\n"), std::string::npos) << said;
  EXPECT_NE(flat(said).find("would have wrongly caught 0 of 18 calls in 1 given run and 3 other runs"),
            std::string::npos)
      << said;
  Result<Policy> const with = Policy::parse(said, "suggested.toml");
  ASSERT_TRUE(with) << said;
  Policy const watched = *inspect::watching_new_limits(*with, Policy::defaults());
  std::vector<std::string> const paths{(folder_.path() / "lost.json").string()};
  std::int64_t refused = 0;
  inspect::read_paths(paths, [&](inspect::Trace&& trace) { refused += inspect::replay(trace, watched).refusals; });
  EXPECT_GT(refused, 5);
}

TEST_F(SuggestCommand, AnAgentAtWorkInsideItselfForNothingIsForbiddenToBeSo) {
  folder_.write("nested.toml",
                std::string("[agent.order]\nabout = \"orders\"\n[agent.shipment]\nabout = \"parcels\"\n") +
                    "[tool.order]\neffect = \"delegate\"\nreentry = \"bounded\"\nmax_depth = 3\n" +
                    "[tool.shipment]\neffect = \"delegate\"\nreentry = \"bounded\"\nmax_depth = 3\n" + kOpen);
  auto const asks = [](std::string const& agent, std::string const& tool, std::string const& task) {
    return "{" + agent + R"("calls":[{"tool":")" + tool + R"(","args":{"task":")" + task +
           R"("}}],"usage":{"in":1000,"out":10}})" + "\n";
  };
  // Each time it is started an agent asks the other one, until one may not; then all say the same.
  std::string const nobody = R"("text":"nobody knows"})"
                             "\n";
  folder_.write("nested.jsonl", asks("", "order", "where is parcel forty") +
                                    asks(R"("agent":"order",)", "shipment", "which lorry took the box") +
                                    R"({"agent":"order",)" + nobody +
                                    asks(R"("agent":"shipment",)", "order", "who signed for that crate") +
                                    R"({"agent":"shipment",)" + nobody + "{" + nobody);
  record("nested.jsonl", "nested.toml");
  std::string const said = program("suggest last --journal j.db --policy nested.toml");
  EXPECT_NE(said.find("reentry = \"forbid\""), std::string::npos) << said;
  EXPECT_NE(said.find("was at work inside itself"), std::string::npos) << said;
  EXPECT_NE(flat(said).find("would have wrongly caught 0 of 6 calls in 1 given run"), std::string::npos) << said;
  EXPECT_NE(flat(said).find("held only against what the given runs brought"), std::string::npos) << said;
  EXPECT_TRUE(Policy::parse(said, "suggested.toml")) << said;
}

// ------------------------------------------------------------------------------------------------- the corpus

/// A case of the corpus as a session of Anthropic's messages; empty when it is more than one agent and its tools.
std::string as_messages(json::object const& one) {
  json::array out{json::object{{"role", "user"}, {"content", "go"}}};
  for (json::value const& v : one.at("steps").as_array()) {
    json::object const& step = v.as_object();
    if (step.contains("event") || step.contains("frame")) return {};
    if (json::value const* const user = step.if_contains("user")) {
      out.push_back(json::object{{"role", "user"}, {"content", *user}});
    } else if (json::value const* const model = step.if_contains("model")) {
      json::array content;
      if (json::value const* const text = step.if_contains("text"))
        content.push_back(json::object{{"type", "text"}, {"text", *text}});
      for (json::value const& call : model->as_array()) {
        if (!call.as_object().contains("args")) return {};
        content.push_back(json::object{
            {"type", "tool_use"}, {"id", call.at("id")}, {"name", call.at("tool")}, {"input", call.at("args")}});
      }
      out.push_back(json::object{{"role", "assistant"}, {"content", std::move(content)}});
    } else {
      json::object const& result = step.at("tool_result").as_object();
      if (!result.contains("output") || !result.at("output").is_string()) return {};
      out.push_back(json::object{{"role", "user"},
                                 {"content", json::array{json::object{{"type", "tool_result"},
                                                                      {"tool_use_id", result.at("id")},
                                                                      {"content", result.at("output")},
                                                                      {"is_error", !result.at("ok").as_bool()}}}}});
    }
  }
  return json::serialize(out);
}

std::int64_t refusals(std::filesystem::path const& file, Policy const& policy) {
  std::int64_t out = 0;
  std::vector<std::string> const paths{file.string()};
  Policy const watched = *inspect::watching(policy);
  inspect::read_paths(paths, [&](inspect::Trace&& trace) { out += inspect::replay(trace, watched).refusals; });
  return out;
}

TEST_F(SuggestCommand, OfRecordedLoopsEachIsStoppedByItsSuggestionAndNoHealthySessionIs) {
  std::ifstream corpus(std::string(BACKEDGE_SOURCE_DIR) + "/cases/loop.jsonl");
  std::vector<std::string> stuck;
  int healthy = 0;
  for (std::string line; std::getline(corpus, line);) {
    json::object const one = parse_json(line)->as_object();
    std::string const session = as_messages(one);
    if (session.empty()) continue;
    bool const loops = one.at("expected").at("stuck").as_bool();
    std::string const name = (loops ? "stuck/" : "healthy/") + std::string(one.at("id").as_string()) + ".json";
    folder_.write(name, session);
    if (loops) stuck.push_back(name);
    healthy += loops ? 0 : 1;
  }
  ASSERT_GT(stuck.size(), 30u);
  ASSERT_GT(healthy, 30);
  Policy const open = *Policy::parse(kOpen, "open.toml");
  std::size_t helped = 0;
  std::string unhelped;
  for (std::string const& name : stuck) {
    ASSERT_EQ(suggest({name}, false, {"healthy"}), kOk) << name << err_;
    Result<Policy> const with = open.with(out_, "suggested.toml");
    ASSERT_TRUE(with) << out_;
    if (out_.find("# together") == std::string::npos) {
      unhelped += name + " ";
      continue;
    }
    ++helped;
    EXPECT_GT(refusals(folder_.path() / name, *with), refusals(folder_.path() / name, open)) << name << out_;
    std::string const first = out_.substr(0, out_.find("\n\n"));
    EXPECT_NE(first.find("wrongly caught 0 of"), std::string::npos) << name << first;
  }
  EXPECT_GE(helped * 10, stuck.size() * 7) << helped << " of " << stuck.size() << ", not " << unhelped;
}

}  // namespace
}  // namespace backedge::cli
