// What differs, whether the record can carry it, and which loop it belongs to; see judge.h.

#include <algorithm>

#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "agent/judge.h"
#include "base/hash.h"
#include "base/json.h"

namespace backedge::agent {
namespace {

namespace json = boost::json;

bool is_limit(std::string_view code) { return code.starts_with("budget."); }

}  // namespace

Difference Judge::difference_of(std::uint32_t id, DifferenceKind kind, Entered const& entered) const {
  CallNow const& call = calls_.at(id);
  Difference out;
  out.kind = kind;
  out.seq = call.seq;
  out.frame = call.frame;
  out.call = CallId{id};
  out.tool = call.tool;
  out.arguments = call.arguments;
  out.then = record_.call(id).said;
  out.now = {std::string(word_text(entered.word)), entered.code, entered.text};
  return out;
}

// The index of the difference of this loop, which is new or has been met before. `agreed`: the record's own policy
// comes to what was recorded here.
std::size_t Judge::differ(Difference d, Digest about, bool agreed) {
  std::string_view const code = d.now.code.empty() ? d.then.code : d.now.code;
  if (out_.texts_missing && !is_limit(code)) {
    d.why = "its texts were not kept";
  } else if (!agreed) {
    d.why = "the recorded policy does not account for the recorded verdict";
  }
  if (!d.why.empty()) d.kind = DifferenceKind::kCannotJudge;
  about = combine(about, digest_name(fmt::format("{} {} {}", static_cast<int>(d.kind), d.then.code, d.now.code)));
  auto const [at, fresh] = known_.try_emplace(about, out_.differences.size());
  if (!fresh) {
    ++out_.differences[at->second].count;
    return at->second;
  }
  d.path = path(d.frame);
  out_.differences.push_back(std::move(d));
  return at->second;
}

std::size_t Judge::differ_at_turn(Difference d, bool at_end) {
  std::uint32_t const turn = d.turn.value;
  bool const agreed = own_ == nullptr || (at_end ? own_->turns_left : own_->turns_entered).contains(turn);
  return differ(std::move(d), digest_name(fmt::format("turn {}", turn)), agreed);
}

std::size_t Judge::differ_at_call(Difference d, Digest about) {
  bool const agreed = own_ == nullptr || own_->calls.contains(d.call.value);
  return differ(std::move(d), about, agreed);
}

// What the loop is about: of a cycle its members, of a limit the frame, of other arguments with the same answer the
// tool, else the call itself. A re-entry is the same one in every activation of the agent.
Digest Judge::loop_of(CallNow const& call, Entered const& entered, std::string_view code) {
  FrameNow const& frame = frames_.at(call.frame);
  Digest const here = digest_name(fmt::format("frame {}", call.frame.value));
  if (code.starts_with("reentry.") || code == "delegate.passthrough")
    return combine(digest_name(frame.agent), digest_name(call.tool));
  if (is_limit(code) || code == "conservative" || code == "repeat.error") return here;
  if (code.starts_with("route.") || code.starts_with("stage.") || code == "repeat.stagnant" || code == "repeat.range" ||
      code == "repeat.novelty")
    return combine(here, digest_name(call.tool));
  if (code == "repeat.cycle" || code == "livelock") {
    Result<json::value> const parsed = parse_json(entered.json);
    boost::system::error_code none;
    json::value const* const period = parsed ? parsed->find_pointer("/backedge/evidence/period", none) : nullptr;
    std::size_t const n = period != nullptr && period->is_int64() ? static_cast<std::size_t>(period->get_int64()) : 0;
    std::vector<Digest> members(frame.rounds.end() - static_cast<std::ptrdiff_t>(std::min(n, frame.rounds.size())),
                                frame.rounds.end());
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    Digest sum;
    for (Digest const member : members) sum = add(sum, member);
    if (n > 0) return combine(here, finish(sum));
  }
  return combine(here, reader_.call(call.tool, call.arguments).key);
}

Lot Judge::resolve(Lot lot) const {
  if (lot.kind != Lot::Kind::kWaits) return lot;
  CallNow const& call = calls_.at(static_cast<std::uint32_t>(lot.of));
  if (call.lot.kind == Lot::Kind::kFollowed) return {Lot::Kind::kUnknown};  // it began while the call waited
  return call.lot;
}

void Judge::note_not_run(std::uint32_t call, Lot lot) {
  lot = resolve(lot);
  bool const saved = lot.kind == Lot::Kind::kSaved;
  if (saved && out_.differences[lot.of].kind != DifferenceKind::kCannotJudge) out_.not_run.push_back(CallId{call});
}

void Judge::count(Lot lot, Amounts const& amounts) {
  lot = resolve(lot);
  switch (lot.kind) {
    case Lot::Kind::kFollowed: return;
    case Lot::Kind::kSaved: out_.differences[lot.of].saved += amounts; return;
    case Lot::Kind::kUnknown: out_.unknown += amounts; return;
    case Lot::Kind::kWaits: calls_.at(static_cast<std::uint32_t>(lot.of)).below += amounts; return;
  }
}

// The text that the body names; where only its digest was kept, something that differs where the text does.
std::string Judge::text_of(talk::Event const& e, std::string_view sha) {
  if (sha.empty() || sha == empty_sha_) return {};
  for (RawText const& raw : e.raws)
    if (raw.sha256 == sha) return raw.text;
  out_.texts_missing = true;
  return fmt::format(R"({{"sha256":"{}"}})", sha);
}

std::string Judge::path(FrameId id) const {
  std::vector<std::string_view> names;
  for (auto at = frames_.find(id); at != frames_.end(); at = frames_.find(at->second.parent))
    names.push_back(at->second.agent.empty() ? std::string_view("main") : std::string_view(at->second.agent));
  std::reverse(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, " > "));
}

}  // namespace backedge::agent
