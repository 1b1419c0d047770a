// What a person and a program read of the demonstration; see demo.h.

#include <algorithm>
#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/plain_numbers.h"
#include "demo/demo.h"
#include "embed/message.h"

namespace backedge::demo {
namespace {

namespace json = boost::json;

constexpr std::size_t kWidth = 80;
constexpr std::size_t kIndent = 3;

// 1234567 as "1,234,567".
std::string grouped(std::int64_t n) {
  std::string out = std::to_string(n);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

std::string money(std::int64_t nano) { return fmt::format("{:.4f} USD", static_cast<double>(nano) / 1e9); }

std::string end_words(Outcome const& o) {
  std::string const end(end_text(o.end));
  std::string const& why = o.code.empty() ? o.pressed_by : o.code;
  return why.empty() ? end : fmt::format("{}, {}", end, why);
}

std::string row(std::string_view name, std::string_view left, std::string_view right) {
  return fmt::format("   {:<12}{:>28}{:>28}\n", name, left, right);
}

std::string wrapped(std::string_view text, std::string_view first) {
  std::string out(first);
  std::size_t column = first.size();
  while (!text.empty()) {
    std::size_t const end = std::min(text.find_first_of(" \n"), text.size());
    std::string_view const word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (column + 1 + word.size() > kWidth && column > first.size()) {
      out += '\n' + std::string(first.size(), ' ');
      column = first.size();
    }
    if (column > first.size()) out += ' ', ++column;
    out += word;
    column += word.size();
  }
  return out + '\n';
}

std::string_view answer(Outcome const& o) { return o.answer.empty() ? std::string_view("(none)") : o.answer; }

std::string one(Played const& p) {
  Outcome const& u = p.unguarded;
  Outcome const& g = p.guarded;
  std::string const pad(kIndent, ' ');
  std::string out = fmt::format("{}. {}\n", p.incident.number, p.incident.title);
  out += wrapped(p.incident.reported, p.incident.healthy ? pad + "recorded: " : pad + "reported: ");
  out += wrapped(p.incident.guard, pad + "guard:    ") + '\n';
  out += row("", "unguarded", "guarded");
  out += row("calls", grouped(u.calls), grouped(g.calls));
  out += row("turns", grouped(u.turns), grouped(g.turns));
  out += row("tokens", grouped(u.tokens), grouped(g.tokens));
  out += row("cost", money(u.nano_usd), money(g.nano_usd));
  out += row("refused", grouped(u.refused), grouped(g.refused));
  out += row("end", end_words(u), end_words(g)) + '\n';
  std::string const deep(kIndent + 2, ' ');
  if (g.first_refusal) out += pad + "what came in its way first\n" + wrapped(g.first_refusal->text, deep);
  if (u.answer == g.answer) {
    out += pad + "the answer, both times\n" + wrapped(answer(u), deep);
  } else {
    out += pad + "the answer, unguarded\n" + wrapped(answer(u), deep);
    out += pad + "the answer, guarded\n" + wrapped(answer(g), deep);
  }
  out += fmt::format("{}the call graphs\n{}{}\n{}{}\n", pad, deep, u.page.string(), deep, g.page.string());
  return out;
}

std::string sum(Demo const& demo) {
  Outcome u;
  Outcome g;
  int looping = 0;
  for (Played const& p : demo.played) {
    if (p.incident.healthy) continue;
    ++looping;
    u.calls += p.unguarded.calls, g.calls += p.guarded.calls;
    u.turns += p.unguarded.turns, g.turns += p.guarded.turns;
    u.tokens += p.unguarded.tokens, g.tokens += p.guarded.tokens;
    u.nano_usd += p.unguarded.nano_usd, g.nano_usd += p.guarded.nano_usd;
  }
  if (looping < 2) return {};
  std::string out = fmt::format("The {} that go wrong, together\n\n", looping);
  out += row("", "unguarded", "guarded");
  out += row("calls", grouped(u.calls), grouped(g.calls));
  out += row("turns", grouped(u.turns), grouped(g.turns));
  out += row("tokens", grouped(u.tokens), grouped(g.tokens));
  return out + row("cost", money(u.nano_usd), money(g.nano_usd)) + '\n';
}

json::object json_of(Outcome const& o) {
  json::object out{{"end", end_text(o.end)},      {"calls", o.calls},           {"turns", o.turns},
                   {"refused", o.refused},        {"pressed_by", o.pressed_by}, {"tokens", o.tokens},
                   {"cost_nano_usd", o.nano_usd}, {"answer", o.answer},         {"run", o.run},
                   {"page", o.page.string()}};
  if (!o.code.empty()) out["code"] = o.code;
  if (o.first_refusal) out["first_refusal"] = {{"code", o.first_refusal->code}, {"text", o.first_refusal->text}};
  return out;
}

}  // namespace

std::string demo_text(Demo const& demo, std::filesystem::path const& folder) {
  std::string out;
  for (Played const& p : demo.played) out += one(p) + '\n';
  out += sum(demo);
  out += wrapped(fmt::format("Unguarded is one limit for each agent, 50 turns, and a stack of at most 12 calls; what "
                             "it refuses is beyond those. Every figure is counted from the runs. Their models follow "
                             "scripts or repeat what was "
                             "recorded; the tools are real. A token is counted as four bytes and costs what {} does "
                             "without a cache ({}).",
                             demo.model, demo.prices),
                 "");
  out += fmt::format("\nOpen a page in a browser, or ask the journal:\n  backedge runs --journal {}\n",
                     (folder / "journal.db").string());
  return out;
}

std::string demo_json(Demo const& demo) {
  json::array incidents;
  for (Played const& p : demo.played) {
    incidents.push_back({{"number", p.incident.number},
                         {"title", p.incident.title},
                         {"reported", p.incident.reported},
                         {"healthy", p.incident.healthy},
                         {"unguarded", json_of(p.unguarded)},
                         {"guarded", json_of(p.guarded)}});
  }
  return plain_numbers(json::serialize(
      json::object{{"incidents", std::move(incidents)}, {"prices", demo.prices}, {"model", demo.model}}));
}

}  // namespace backedge::demo
