// What a run cost, and where: money of every turn, own and inclusive spends of calls and frames, what went round in
// circles, and how requests grew.
//
// A turn's cost belongs to the turn, and is divided exactly:
//   carried   what it paid for reading results of earlier calls of its frame. What a round's results added is the
//             growth of the next request beyond the model's own words, at most a token for two of their bytes, divided
//             by bytes; each later request pays for it again, at the price it paid for what it read from the cache as
//             far as it read that much, until the history shrinks. Carried parts belong to the calls that brought them
//   asking    the rest, in equal parts to the calls that it asked for; of a turn without calls it is talk
// So own spends of calls and the talk add up to the turns, and the frames to the whole, to the nano-dollar. Money that
// is recorded counts as recorded; else tokens that a provider reported are priced; estimated tokens never are.
// What is counted as spent in circles is a lower bound: only turns all of whose calls are repeats, and what is below
// repeats; the price is the one that was paid, cache and all. Pure; linear but for a sort. Tested in
// tests/graph/cost_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "graph/call_tree.h"
#include "prices/table.h"

namespace backedge::graph {

/// Where the money of turns comes from. Turns that another session paid for are in none.
struct Priced {
  std::int64_t recorded = 0;
  std::int64_t listed = 0;                      // priced by the table
  std::map<std::string, std::int64_t> unknown;  // turns by models that have no price; empty name: none is recorded
  std::int64_t unreported = 0;                  // turns without tokens that a provider reported

  std::int64_t unpriced() const;
};

/// Fills every nano_usd that is not recorded and can be known, and every `own`, `inclusive` and back edge's `spend`.
/// `tree` is well-formed.
Priced price(CallTree& tree, prices::Table const& table);

/// Why a call was in vain.
enum class Vain : std::uint8_t {
  kNot,
  kRepeat,   // an earlier call with equal arguments had the same answer, and nothing changed in between
  kCycle,    // a step of a period that had gone round
  kRetry,    // the same call had just failed, and nothing changed in between
  kReentry,  // an agent that stands on the path
};

/// The word for people: "repeats", "cycles", "retries", "re-entries".
std::string_view vain_text(Vain why);

struct VainSpend {
  std::int64_t calls = 0;
  Spend spend;
};

struct AgentSpend {
  std::string name;
  std::int64_t frames = 0;
  Spend own;
};

/// Tokens of input a request, in the frame with the most requests.
struct Drift {
  std::int64_t requests = 0;
  std::int64_t early = 0;  // mean of the first quarter
  std::int64_t late = 0;   // mean of the last
  struct List {
    std::int64_t tools = 0;
    std::int64_t requests = 0;
    std::int64_t tokens = 0;  // of all these requests
    std::int64_t sized = 0;   // of them, requests whose list has a known length
    std::int64_t bytes = 0;   // of the lists of those

    std::int64_t mean() const { return requests > 0 ? tokens / requests : 0; }
    /// What the list itself takes of a request, at four bytes a token; -1: not known.
    std::int64_t list_tokens() const { return sized > 0 ? bytes / sized / 4 : -1; }
  };
  std::vector<List> by_tools;  // by the size of the tool list, where it is known; of all frames
};

struct Cost {
  Spend whole;
  Spend talk;                          // of turns without calls
  VainSpend vain[5];                   // by Vain; [kNot]: all of it together
  std::vector<AgentSpend> agents;      // dearest first
  std::vector<std::uint32_t> dearest;  // calls by what they took inclusively, at most kDearest
  Drift drift;
};

inline constexpr std::size_t kDearest = 5;

/// May a call have changed something? A repeat or a retry after such a call is not in vain.
using Changes = std::function<bool(Call const&)>;
/// What well-known tools do is known; any other call that did not fail may have.
Changes changes_by_name();

/// `tree` as price() left it, with its back edges.
Cost cost_of(CallTree const& tree, Changes const& changes);

/// Adds spends, agents and the drift by tool lists; dearest calls, and early and late requests, stay those of one tree.
void add(Cost& sum, Cost const& more);

/// For each call, why it was in vain.
std::vector<Vain> vain_calls(CallTree const& tree, Changes const& changes);

}  // namespace backedge::graph
