// Suggestions as a policy file with comments, and as JSON; see suggest.h.
#include <algorithm>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "suggest/suggest.h"

namespace backedge::suggest {
namespace {

namespace json = boost::json;

constexpr std::size_t kShownCalls = 3;
constexpr std::size_t kArguments = 60;
constexpr std::size_t kWhy = 300;
constexpr std::size_t kWidth = 100;

std::string many(std::int64_t n, std::string_view one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); }

class Writer {
 public:
  Writer(Suggestions const& all, std::span<Subject const> given, std::span<Subject const> others)
      : all_(all), given_(given), others_(others) {}

  std::string toml() {
    head();
    // A table stands once in a file, so what belongs to one section stands together, at the place of its first line.
    std::vector<std::string> sections;
    for (Suggestion const& one : all_.taken) {
      for (Setting const& s : one.candidate.settings) {
        if (std::find(sections.begin(), sections.end(), s.section) == sections.end()) sections.push_back(s.section);
      }
    }
    for (std::string const& section : sections) {
      out_ += "\n[" + section + "]\n";
      std::vector<std::string> written;
      for (Suggestion const& one : all_.taken) in_section(one, section, written);
    }
    for (Freed const& one : all_.freed) freed(one);
    for (Suggestion const& one : all_.refused) refused(one);
    return std::move(out_);
  }

  std::string as_json() const {
    json::object out;
    json::array& taken = out["suggestions"].emplace_array();
    for (Suggestion const& one : all_.taken) taken.push_back(suggestion(one));
    json::array& refused = out["would_catch_wrongly"].emplace_array();
    for (Suggestion const& one : all_.refused) refused.push_back(suggestion(one));
    json::array& freed = out["lets_run"].emplace_array();
    for (Freed const& one : all_.freed) {
      json::array calls;
      for (CaughtCall const& c : one.calls) calls.push_back(call_json(c));
      freed.push_back(json::object{
          {"toml", toml_of(one.candidate.settings)}, {"why", one.candidate.why}, {"calls", std::move(calls)}});
    }
    out["together"] = figures(all_.together);
    out["stopped_already"] = all_.stopped_already;
    out["given_runs"] = std::ssize(given_);
    out["given_calls"] = all_.given_calls;
    out["other_finished_runs"] = all_.other_runs;
    out["other_calls"] = all_.other_calls;
    json::array& exits = out["lacks_an_exit"].emplace_array();
    for (std::string const& name : all_.without_exit) exits.push_back(json::string_view(name));
    return json::serialize(out);
  }

 private:
  Subject const& subject(std::size_t i) const { return i < given_.size() ? given_[i] : others_[i - given_.size()]; }

  void comment(std::string const& text, std::string_view mark = "# ") {
    std::string line;
    std::size_t at = 0;
    while (at < text.size()) {
      std::size_t const end = std::min(text.find(' ', at), text.size());
      std::string const word = text.substr(at, end - at);
      if (!line.empty() && line.size() + 1 + word.size() > kWidth) {
        out_ += std::string(mark) + line + "\n";
        line = "  ";
        line += word;
      } else {
        line += (line.empty() ? "" : " ") + word;
      }
      at = end + 1;
    }
    out_ += std::string(mark) + line + "\n";
  }

  void head() {
    std::string const runs = many(std::ssize(given_), "run");
    if (all_.taken.empty() && !all_.freed.empty()) {
      comment(fmt::format("nothing to stop in {}, but something to let run", runs));
    } else if (all_.taken.empty()) {
      comment(fmt::format("nothing to suggest for {}: {}", runs, why_nothing()));
    } else {
      comment(fmt::format("together: would have caught {}", figures_text(all_.together)));
    }
    if (all_.other_runs == 0)
      comment("held only against what the given runs brought, no other run finished: name some with --against");
    for (std::string const& name : all_.without_exit)
      comment(fmt::format("{} called on until a limit ended it: it lacks an exit, not steps", one_line(name)));
  }

  std::string why_nothing() const {
    if (all_.stopped_already > 0)
      return fmt::format("the policy that counts here already stops {}", many(all_.stopped_already, "call"));
    if (!all_.refused.empty()) return "everything that helps would have caught calls wrongly";
    return "no call was in vain that a rule or a contract could have stopped";
  }

  std::string figures_text(Figures const& f) const {
    std::string out = fmt::format("{} in {}", many(std::ssize(f.caught), "call"), many(f.caught_runs, "run"));
    if (f.tokens > 0) out += fmt::format(" (at most {} tokens)", f.tokens);
    std::string const others = all_.other_runs > 0 ? " and " + many(all_.other_runs, "other run") : "";
    return out + fmt::format("; would have wrongly caught {} of {} in {}{}", std::ssize(f.wrong),
                             many(all_.given_calls + all_.other_calls, "call"), many(std::ssize(given_), "given run"),
                             others);
  }

  /// Plain text as it is; what does not belong into a comment is escaped.
  static std::string one_line(std::string_view text, std::size_t characters = kArguments) {
    std::string_view const kept = cut(text, characters);
    bool const clean = std::none_of(kept.begin(), kept.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f;
    });
    if (clean) return std::string(kept) + (kept.size() < text.size() ? "…" : "");
    std::string const line = in_quotes(text, characters);
    return line.substr(1, line.size() - 2);
  }

  std::string call_text(CaughtCall const& c) const {
    Subject const& s = subject(c.subject);
    graph::Call const& call = s.tree.calls[c.call];
    return fmt::format("{} call {}: {} {}", one_line(s.name), call.id, one_line(call.tool),
                       one_line(call.arguments.text));
  }

  void calls(std::string_view head, std::vector<CaughtCall> const& calls) {
    for (std::size_t i = 0; i < std::min(calls.size(), kShownCalls); ++i)
      comment(fmt::format("{}{}", i == 0 ? head : "", call_text(calls[i])), "#   ");
    if (calls.size() > kShownCalls) comment(fmt::format("and {} more", calls.size() - kShownCalls), "#   ");
  }

  void figures_comment(Suggestion const& one) {
    comment(one_line(one.candidate.why, kWhy));
    comment(fmt::format("would have caught {}", figures_text(one.figures)));
    calls("", one.figures.caught);
  }

  void in_section(Suggestion const& one, std::string const& section, std::vector<std::string>& written) {
    bool first = one.candidate.settings.front().section == section;
    for (Setting const& s : one.candidate.settings) {
      if (s.section != section || std::find(written.begin(), written.end(), s.key) != written.end()) continue;
      if (first) figures_comment(one);
      first = false;
      out_ += s.key + " = " + s.value + "\n";
      written.push_back(s.key);
    }
  }

  void freed(Freed const& one) {
    out_ += "\n";
    comment(one_line(one.candidate.why, kWhy));
    comment(fmt::format("lets {} run that the policy that counts here would stop before the answer changed",
                        many(std::ssize(one.calls), "call")));
    calls("", one.calls);
    out_ += toml_of(one.candidate.settings);
  }

  void refused(Suggestion const& one) {
    out_ += "\n";
    figures_comment(one);
    calls("wrongly: ", one.figures.wrong);
    std::string const toml = toml_of(one.candidate.settings);
    for (std::size_t at = 0; at < toml.size();) {
      std::size_t const end = toml.find('\n', at);
      out_ += "# " + toml.substr(at, end - at) + "\n";
      at = end + 1;
    }
  }

  json::object call_json(CaughtCall const& c) const {
    Subject const& s = subject(c.subject);
    graph::Call const& call = s.tree.calls[c.call];
    return {{"run", s.name}, {"call", call.id}, {"tool", call.tool}, {"arguments", call.arguments.text}};
  }

  json::object figures(Figures const& f) const {
    json::array caught, wrong;
    for (CaughtCall const& c : f.caught) caught.push_back(call_json(c));
    for (CaughtCall const& c : f.wrong) wrong.push_back(call_json(c));
    return {{"caught", std::move(caught)},
            {"caught_runs", f.caught_runs},
            {"saved_tokens_at_most", f.tokens},
            {"wrongly_caught", std::move(wrong)}};
  }

  json::object suggestion(Suggestion const& one) const {
    json::object out{{"toml", toml_of(one.candidate.settings)}, {"why", one.candidate.why}};
    for (auto const& member : figures(one.figures)) out[member.key()] = member.value();
    return out;
  }

  Suggestions const& all_;
  std::span<Subject const> given_, others_;
  std::string out_;
};

}  // namespace

std::string toml_report(Suggestions const& all, std::span<Subject const> given, std::span<Subject const> others) {
  return Writer(all, given, others).toml();
}

std::string json_report(Suggestions const& all, std::span<Subject const> given, std::span<Subject const> others) {
  return Writer(all, given, others).as_json();
}

}  // namespace backedge::suggest
