// See progress.h.

#include "cli/progress.h"

#include <array>
#include <chrono>
#include <optional>
#include <ostream>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/trace_pages.h"
#include "journal/story.h"

namespace backedge::cli {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 8> kSpinner = {"⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠋"};
constexpr std::chrono::milliseconds kTick{120};
constexpr std::size_t kArguments = 70;  // characters of arguments on a line

std::int64_t number(json::object const& body, std::string_view key) {
  json::value const* const v = body.if_contains(key);
  return v != nullptr && v->is_number() ? v->to_number<std::int64_t>() : 0;
}

std::string_view word(json::object const& body, std::string_view key) {
  json::value const* const v = body.if_contains(key);
  return v != nullptr && v->is_string() ? std::string_view(v->as_string()) : std::string_view();
}

std::uint32_t id(json::object const& body, std::string_view key) {
  return static_cast<std::uint32_t>(number(body, key));
}

// On one line, and cut.
std::string short_arguments(std::string_view text) {
  std::string out(cut(text, kArguments));
  if (out.size() < text.size()) out += "…";
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return out;
}

}  // namespace

Progress::Progress(std::ostream& err, ProgressStyle style) : err_(err), style_(style), redactor_(fresh_redactor()) {
  if (style_.terminal) spinner_ = std::thread([this] { spin(); });
}

Progress::~Progress() { end(); }

void Progress::end() {
  {
    std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    wipe();
  }
  wake_.notify_all();
  if (spinner_.joinable()) spinner_.join();
}

void Progress::spin() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kTick, [this] { return ended_; })) draw();
}

void Progress::wipe() {
  if (drawn_) err_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

void Progress::draw() {
  std::string what = "thinking";
  if (!calls_.empty()) what = calls_.rbegin()->second.text;
  if (calls_.size() > 1) what += fmt::format(" and {} more", calls_.size() - 1);
  err_ << "\r\x1b[K" << kSpinner[tick_++ % kSpinner.size()] << " turn " << turns_ << " · " << cut(what, 100)
       << std::flush;
  drawn_ = true;
}

void Progress::line(std::string_view text) {
  wipe();
  err_ << text << '\n' << std::flush;
}

void Progress::hear(EventView const& e) {
  std::optional<std::string> const clean = redactor_.clean(e.body);
  Result<json::value> const parsed = parse_json(clean ? std::string_view(*clean) : e.body);
  if (!parsed || !parsed->is_object()) return;
  json::object const& body = parsed->as_object();
  std::lock_guard lock(mutex_);
  if (ended_) return;
  int const depth = depth_[e.frame.value];
  std::string const indent(static_cast<std::size_t>(2 * depth), ' ');
  if (e.type == "frame.open") {
    depth_[e.frame.value] = calls_.contains(id(body, "by_call")) ? calls_[id(body, "by_call")].depth + 1 : 1;
  } else if (e.type == "model.reply") {
    ++turns_;
  } else if (e.type == "stage") {
    journal::StoryMove const move{std::string(word(body, "from")), std::string(word(body, "to")),
                                  std::string(word(body, "why"))};
    line(fmt::format("{}= {}", indent, words_of(move)));
  } else if (e.type == "rollback") {
    std::string const stage(word(body, "stage"));
    line(fmt::format("{}= {}", indent, words_of(journal::StoryMove{stage, stage, "rollback"})));
  } else if (e.type == "route" && word(body, "do") != "pass") {
    journal::StoryRoute route;
    route.rule = word(body, "rule");
    route.what = word(body, "do");
    route.stage = word(body, "stage");
    route.size = number(body, "size");
    route.observed = body.contains("observed");
    line(fmt::format("{}= call {}: {}", indent, id(body, "call"), words_of(route)));
  } else if (e.type == "turn.propose" && !word(body, "code").empty()) {
    line(fmt::format("{}! {}: {}", indent, word(body, "code"),
                     word(body, "verdict") == "final" ? "the answer is asked for now" : "no further turn"));
  } else if (e.type == "round.propose") {
    json::array const& calls = body.at("calls").as_array();
    for (std::size_t i = 0; i < calls.size() && i < e.raws.size(); ++i)
      proposed_[id(calls[i].as_object(), "call")] =
          short_arguments(redactor_.clean(e.raws[i].text).value_or(std::string(e.raws[i].text)));
  } else if (e.type == "verdict" && !word(body, "code").empty()) {
    std::string_view const mark = style_.colour ? "\x1b[33m!\x1b[0m" : "!";
    line(fmt::format("{}{} {}: {}", indent, mark, word(body, "tool"), word(body, "text")));
  } else if (e.type == "call.start") {
    std::uint32_t const call = id(body, "call");
    calls_[call] = {fmt::format("{} {}", word(body, "tool"), proposed_[call]), depth};
    proposed_.erase(call);
  } else if (e.type == "call.end") {
    auto const at = calls_.find(id(body, "call"));
    if (at == calls_.end()) return;
    std::string_view const status = word(body, "status");
    bool const bad = status != "ok" && status != "empty";
    std::string_view const mark = !style_.colour ? (bad ? "x" : "-") : bad ? "\x1b[31mx\x1b[0m" : "\x1b[32m-\x1b[0m";
    std::string const size = status == "empty" ? "nothing" : fmt::format("{} bytes", number(body, "bytes"));
    line(fmt::format("{}{} {}: {}{}", indent, mark, at->second.text, bad ? fmt::format("{}, ", status) : "", size));
    calls_.erase(at);
  }
}

}  // namespace backedge::cli
