// From runs that went wrong, the settings that would have helped: proved by replaying, and held against other runs.
//
// Every candidate is read over the policy that counts and all runs are judged under it. Caught is a call of a given run
// that ran, brought nothing (subject.h) and would not have run now, though it would under the policy that counts.
// Wrongly caught is a call that brought something and would not have run now, of a given run or of another one that
// finished by itself. A candidate that catches nothing, or under which a refused call would run, is dropped. The others
// are taken in the order of tokens saved as long as each catches something that those before it do not; what is taken
// is judged once more together. A tool that repeats until its answer changes, and would be stopped before, is proposed
// as a poll; that is the one thing that makes a policy milder, and only if no call that was in vain would run again.
// Those that catch wrongly are told, and not taken. Tested in tests/cli/suggest_command_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backedge/policy.h"
#include "backedge/result.h"
#include "suggest/candidate.h"
#include "suggest/subject.h"

namespace backedge::suggest {

/// A call by its place.
struct CaughtCall {
  std::size_t subject = 0;  // of all: the given ones first, then the others
  std::uint32_t call = 0;   // of its tree
};

struct Figures {
  std::vector<CaughtCall> caught;
  std::int64_t caught_runs = 0;
  std::int64_t tokens = 0;  // saved at most, in given runs
  std::vector<CaughtCall> wrong;
};

struct Suggestion {
  Candidate candidate;
  Figures figures;
};

/// A declared poll: calls that the policy that counts would stop, and that were about to bring something, run.
struct Freed {
  Candidate candidate;
  std::vector<CaughtCall> calls;
};

struct Suggestions {
  std::vector<Suggestion> taken;          // dearest first
  std::vector<Suggestion> refused;        // they would have caught wrongly
  std::vector<Freed> freed;               // of tools that nothing taken is about
  Figures together;                       // of all that is taken
  std::int64_t stopped_already = 0;       // calls of the given runs that the policy that counts does not let run
  std::int64_t given_calls = 0;           // that ran in the given runs
  std::int64_t other_runs = 0;            // that finished
  std::int64_t other_calls = 0;           // that ran in them
  std::vector<std::string> without_exit;  // given runs that called on until a limit
};

/// `others` are those that are not given. Errors: those of judging a run. Cost: one replay of every run a candidate, of
/// which there are some dozens.
Result<Suggestions> suggest(std::span<Subject const> given, std::span<Subject const> others, Policy const& policy);

/// A policy file with the figures in comments: settings in force for what is taken, commented out for the others.
std::string toml_report(Suggestions const& all, std::span<Subject const> given, std::span<Subject const> others);
std::string json_report(Suggestions const& all, std::span<Subject const> given, std::span<Subject const> others);

}  // namespace backedge::suggest
