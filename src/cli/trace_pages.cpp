// Pages and their index; see trace_pages.h.

#include "cli/trace_pages.h"

#include <algorithm>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "base/text.h"
#include "graph/cost.h"
#include "graph/dot.h"
#include "graph/page.h"
#include "graph/shares.h"
#include "inspect/call_tree.h"
#include "inspect/replay.h"

namespace backedge::cli {
namespace {

constexpr std::size_t kNameCharacters = 40;
constexpr std::size_t kTitleCharacters = 120;
constexpr std::size_t kKeyWords = 8;  // of 32 bits

constexpr std::string_view kIndexHead =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Backedge: recorded sessions</title>\n<style>\n"
    ":root { --ink: #1d2530; --soft: #5d6775; --line: #e3e2dd; --paper: #f7f6f3; --surface: #fff; --link: #2c5cc5; "
    "--bad: #c2203e }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b3; --line: #262e39; --paper: #11151b; "
    "--surface: #181e26; --link: #86a9ff; --bad: #ff7387 } }\n"
    "body { margin: 0; padding: 32px; background: var(--paper); color: var(--ink); font: 14px/1.5 system-ui, "
    "sans-serif }\n"
    "main { max-width: 1100px; margin: auto }\nh1 { font-size: 20px; margin: 0 0 20px }\n"
    ".scroll { overflow-x: auto; background: var(--surface); border: 1px solid var(--line); border-radius: 12px }\n"
    "table { border-collapse: collapse; width: 100% }\n"
    "th { text-align: left; font-size: 12px; font-weight: 500; color: var(--soft) }\n"
    "th, td { padding: 9px 16px; border-bottom: 1px solid var(--line); vertical-align: top }\n"
    "tr:last-child td { border-bottom: 0 }\n"
    ".n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }\n.bad { color: var(--bad) }\n"
    "a { color: var(--link); text-decoration: none }\na:hover { text-decoration: underline }\n"
    "small { display: block; color: var(--soft); overflow-wrap: anywhere }\n</style>\n</head>\n<body>\n<main>\n";

std::string html(std::string_view text) {
  std::string out;
  for (char const c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

// What may stand in a file's name everywhere.
std::string file_name(std::string_view session) {
  std::string out;
  for (char const c : session.substr(0, kNameCharacters)) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    out += plain ? c : '-';
  }
  return out;
}

}  // namespace

graph::CallTree tree_of(inspect::Trace const& trace, Policy const& watching_policy, journal::Redactor const& redactor) {
  return inspect::call_tree(trace, inspect::replay(trace, watching_policy, inspect::Keep::kAll), redactor);
}

journal::Redactor fresh_redactor() {
  std::random_device random;
  std::string key;
  for (std::size_t i = 0; i < kKeyWords; ++i) {
    std::uint32_t const word = random();
    for (unsigned shift = 0; shift < 32; shift += 8) key += static_cast<char>((word >> shift) & 0xffU);
  }
  return journal::Redactor(std::move(key));
}

Result<void> write_file(std::filesystem::path const& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out)
    return Error{ErrorKind::kIo, "it cannot be written; is its folder there, and not full?", {file.string(), 0, 0}};
  return {};
}

TracePages::TracePages(std::filesystem::path target, Policy watching_policy, prices::Table prices)
    : target_(std::move(target)),
      one_file_(target_.extension() == ".html"),
      policy_(std::move(watching_policy)),
      prices_(std::move(prices)),
      redactor_(fresh_redactor()) {}

void TracePages::add(inspect::Trace const& trace) {
  if (!state_) return;
  if (one_file_ && !entries_.empty()) {
    state_ = Error{ErrorKind::kUsage,
                   fmt::format("there are several sessions and {} names one page; name a folder for them",
                               in_quotes(target_.string())),
                   {}};
    return;
  }
  graph::CallTree tree = tree_of(trace, policy_, redactor_);
  graph::price(tree, prices_);
  Entry entry;
  entry.file = one_file_ ? target_.filename().string()
                         : fmt::format("{:04}-{}.html", entries_.size() + 1,
                                       file_name(std::filesystem::path(tree.run).filename().string()));
  entry.title = cut(tree.title.empty() ? tree.run : tree.title, kTitleCharacters);
  entry.source = tree.source;
  entry.path = trace.path;
  entry.calls = std::ssize(tree.calls);
  entry.back = std::ssize(tree.back_edges);
  entry.refused =
      std::count_if(tree.calls.begin(), tree.calls.end(), [](auto const& c) { return c.verdict.refuses(); });
  graph::Spend all;
  for (graph::Spend const& own : graph::shares_of(tree).frame_own) graph::add(all, own);
  entry.took = graph::spend_text(all);
  if (!one_file_) {
    std::error_code error;
    std::filesystem::create_directories(target_, error);
  }
  state_ = write_file(one_file_ ? target_ : target_ / entry.file, graph::page(tree));
  entries_.push_back(std::move(entry));
}

std::string TracePages::index() const {
  std::string out(kIndexHead);
  out += fmt::format(
      "<h1>{} recorded sessions</h1>\n<div class=\"scroll\"><table>\n<tr><th>session</th><th "
      "class=\"n\">calls</th><th class=\"n\">go back</th><th class=\"n\">would be refused</th><th "
      "class=\"n\">took</th></tr>\n",
      entries_.size());
  for (Entry const& e : entries_) {
    out += fmt::format(
        "<tr><td><a href=\"{0}\">{1}</a><small>{2} · {3}</small></td><td class=\"n\">{4}</td><td "
        "class=\"n\">{5}</td><td class=\"n{6}\">{7}</td><td class=\"n\">{8}</td></tr>\n",
        html(e.file), html(e.title), html(e.source), html(e.path), e.calls, e.back, e.refused > 0 ? " bad" : "",
        e.refused, e.took);
  }
  return out + "</table></div>\n</main>\n</body>\n</html>\n";
}

Result<std::filesystem::path> TracePages::finish() {
  if (!state_) return state_.error();
  if (entries_.empty()) return Error{ErrorKind::kInput, "there is no session to make a page of", {}};
  if (one_file_) return target_;
  if (entries_.size() == 1) return target_ / entries_.front().file;
  Result<void> const written = write_file(target_ / "index.html", index());
  if (!written) return written.error();
  return target_ / "index.html";
}

}  // namespace backedge::cli
