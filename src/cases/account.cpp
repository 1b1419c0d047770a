// Decisions, counts and properties of a case; see account.h.

#include "cases/account.h"

#include <algorithm>

namespace backedge::cases {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

std::string_view end_reason(std::string_view code) {
  if (code.starts_with("repeat.") || code.starts_with("delegate.") || code == "livelock" || code == "compact.no_gain")
    return "no_progress";
  if (code == "budget.turns") return "max_turns";
  if (code.starts_with("budget.")) return "budget";
  return code == "stopped" ? "stopped" : "refused";
}

void Account::decided(std::string_view id, std::string_view word, std::string_view code, std::string_view text) {
  auto const [it, fresh] = decision_of_.emplace(std::string(id), out_.decisions.size());
  Decision decision{std::string(id), std::string(word), std::string(code), std::string(text)};
  if (fresh) {
    out_.decisions.push_back(std::move(decision));
  } else {
    out_.decisions[it->second] = std::move(decision);
  }
}

void Account::call(std::string const& id, CallNews news) {
  Note& note = notes_[id];
  if (!note.asked && !(decision_of_.contains(id) && news.runs)) decided(id, word_text(news.word), news.code, {});
  if (refused(news.word) && !news.runs) ++refused_;
  if (news.word == CallWord::kReject) out_.properties["rejects_are_counted"] = true;
  note.asked = note.asked || news.word == CallWord::kAsk;
  note.last = std::move(news);
}

void Account::told(std::string const& id, std::string_view text) {
  auto const at = notes_.find(id);
  if (at == notes_.end()) return;
  CallNews const& last = at->second.last;
  Decision& decision = out_.decisions[decision_of_.at(id)];
  if (decision.word == word_text(last.word)) decision.text = text;
  if (last.code == "reentry.cycle") {
    holds("error_names_ancestor_frame", last.names_earlier && has(text, "call "));
    holds("chain_in_message", has(text, " > "));
  }
  if (last.code == "reentry.depth") holds("error_names_function_and_cap", has(text, "limit is"));
  if (last.code == "livelock") holds("livelock_named", true);
  if (last.word == CallWord::kReuse) holds("reuse_note_points_to_earlier_result", has(text, "call "));
  if (last.code.starts_with("budget.")) holds("refusal_states_remaining", has(text, "left "));
  if (last.code == "deadlock") holds("cycle_named", has(text, " > "));
}

bool Account::refused_call(std::string const& id) const {
  auto const at = notes_.find(id);
  return at != notes_.end() && refused(at->second.last.word) && !at->second.last.runs;
}

void Account::judged(boost::json::object const& event, Judged const& j) {
  boost::json::value const* const id = event.if_contains("id");
  if (id != nullptr && id->is_string() && !id->get_string().empty())
    decided(id->get_string(), word_text(j.word), j.code, j.text);
}

void Account::tokens(std::int64_t input, std::int64_t output) {
  tokens_ += input + output;
  has_usage_ = true;
}

void Account::spent(std::int64_t nano_usd) { spent_nano_ += nano_usd; }

void Account::forced_final(std::string_view code, bool has_note) {
  holds("forced_final_answer", true);
  if (code.starts_with("budget.")) holds("limit_notice", has_note);
}

void Account::frame_ended(std::string const& by, std::string_view reason) {
  if (by.empty()) return;
  out_.status[by] = reason == "max_turns" ? std::string("incomplete:turn_limit")
                    : reason == "budget"  ? std::string("incomplete:budget")
                                          : "stopped:" + std::string(reason);
}

Played Account::finish(std::vector<std::int64_t> const& requests, std::int64_t descendants, Micros time) {
  if (!requests.empty()) {
    auto const [fewest, most] = std::minmax_element(requests.begin(), requests.end());
    out_.numbers["child_turns_spread"] = static_cast<double>(*most - *fewest);
  }
  if (has_spend_) out_.numbers["subtree_usd"] = static_cast<double>(spent_nano_) / 1e9;
  out_.numbers["seconds"] = static_cast<double>(time.count()) / 1e6;
  out_.numbers["spawned"] = static_cast<double>(descendants);
  out_.numbers["model_requests"] = static_cast<double>(requests_);
  out_.numbers["total_turns"] = static_cast<double>(requests_);
  out_.numbers["refused_before_end"] = static_cast<double>(refused_);
  if (has_usage_) out_.numbers["tokens"] = static_cast<double>(tokens_);
  return std::move(out_);
}

}  // namespace backedge::cases
