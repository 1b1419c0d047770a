// Lines of JSON out and in; see exchange.h.

#include "journal/exchange.h"

#include <istream>
#include <ostream>
#include <unordered_map>
#include <unordered_set>

#include "backedge/event.h"
#include "base/json.h"
#include "base/seal.h"
#include "base/sha256.h"
#include "base/text.h"
#include "journal/state.h"

namespace backedge::journal {
namespace {

namespace json = boost::json;

constexpr std::size_t kNameDigits = 64;
constexpr std::size_t kRunDigits = 32;
// Events that are handed to the journal together.
constexpr std::size_t kBatch = 256;

// The start of event_line(), which the run goes behind.
constexpr std::string_view kVersionMember = R"({"v":1,)";

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    std::size_t const size = cut(text, 1).size();
    if (size == 1 && static_cast<unsigned char>(text.front()) >= 0x80) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string text_line(RawText const& raw) {
  std::string out = R"({"raw":")" + raw.sha256 + "\",";
  if (is_utf8(raw.text)) return out + R"("text":)" + json::serialize(json::string_view(raw.text)) + "}";
  return out + R"("base64":")" + base64url(raw.text) + "\"}";
}

std::string kept_line(std::string_view run, KeptEvent const& e) {
  std::string line = event_line(e.event.view());
  line.insert(kVersionMember.size(), R"("run":")" + std::string(run) + "\",");
  line.insert(line.size() - 1, e.extra);
  return line;
}

/// The members of an object as they are written. The line is known to be a JSON object.
struct Written {
  std::string_view name;  // without quotes, escapes as they are
  std::string_view value;
};

std::size_t skip_blanks(std::string_view s, std::size_t at) {
  while (at < s.size() && (s[at] == ' ' || s[at] == '\t' || s[at] == '\r' || s[at] == '\n')) ++at;
  return at;
}

std::size_t string_end(std::string_view s, std::size_t quote) {
  std::size_t at = quote + 1;
  while (s[at] != '"') at += s[at] == '\\' ? 2U : 1U;
  return at + 1;
}

std::vector<Written> written_members(std::string_view line) {
  std::vector<Written> out;
  std::size_t at = skip_blanks(line, skip_blanks(line, 0) + 1);
  while (line[at] == '"') {
    std::size_t const name_end = string_end(line, at);
    std::string_view const name = line.substr(at + 1, name_end - at - 2);
    std::size_t const begin = skip_blanks(line, skip_blanks(line, name_end) + 1);
    std::size_t depth = 0;
    std::size_t end = begin;
    while (depth > 0 || (line[end] != ',' && line[end] != '}')) {
      char const c = line[end];
      if (c == '"') {
        end = string_end(line, end);
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++end;
    }
    std::size_t last = end;
    while (last > begin && skip_blanks(line.substr(0, last), last - 1) == last) --last;
    out.push_back({name, line.substr(begin, last - begin)});
    at = line[end] == ',' ? skip_blanks(line, end + 1) : end;
  }
  return out;
}

/// Reads the lines of one file; `take` writes what is complete.
class Importer {
 public:
  Importer(std::string const& file, Journal::Take const& take) : file_(file), take_(take) {}

  Result<void> line(std::string_view text) {
    ++line_;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (skip_blanks(text, 0) == text.size()) return {};
    Result<json::value> const parsed = parse_json(text);
    if (!parsed) return fault("is damaged: " + parsed.error().detail, parsed.error().where.column);
    if (!parsed->is_object()) return fault("is no event: it is not a JSON object");
    json::object const& o = parsed->get_object();
    return o.contains("raw") && !o.contains("seq") ? raw(o) : event(o, text);
  }

  Result<Imported> end() {
    if (Result<void> done = flush(); !done) return done.error();
    return std::move(out_);
  }

 private:
  Error fault(std::string const& what, int column = 0) const {
    return {ErrorKind::kInput,
            "this line " + what + "; nothing was imported, repair the line or leave its run out",
            {file_, line_, column}};
  }

  static std::string string_of(json::object const& o, char const* key) {
    json::value const* v = o.if_contains(key);
    return v != nullptr && v->is_string() ? std::string(v->get_string()) : std::string();
  }

  static std::optional<std::int64_t> count_of(json::object const& o, char const* key) {
    json::value const* v = o.if_contains(key);
    if (v == nullptr || !v->is_int64() || v->get_int64() < 0) return std::nullopt;
    return v->get_int64();
  }

  Result<void> raw(json::object const& o) {
    std::string const name = string_of(o, "raw");
    std::string text = string_of(o, "text");
    if (!o.contains("text")) {
      Result<std::string> bytes = from_base64url(string_of(o, "base64"));
      if (!bytes || !o.contains("base64")) return fault("names a text but has none");
      text = std::move(*bytes);
    }
    if (sha256_hex(text) != name) return fault("holds another text than its name says");
    texts_[name] = std::move(text);
    return {};
  }

  Result<void> event(json::object const& o, std::string_view text) {
    std::optional<std::int64_t> const version = count_of(o, "v");
    if (version && *version > kLineVersion) {
      return fault("is of version " + std::to_string(*version) + ", this backedge reads up to " +
                   std::to_string(kLineVersion) + ": use a newer one");
    }
    std::optional<std::int64_t> const seq = count_of(o, "seq");
    json::value const* at = o.if_contains("at_us");
    std::optional<std::int64_t> const frame = count_of(o, "frame");
    std::string const run = string_of(o, "run");
    json::value const* body = o.if_contains("body");
    if (!version || !seq || *seq == 0 || at == nullptr || !at->is_int64() || !frame || *frame > UINT32_MAX ||
        body == nullptr || !body->is_object() || string_of(o, "type").empty()) {
      return fault("is no event: v, seq, at_us, frame, type and body are needed");
    }
    if (run.size() != kRunDigits || run.find_first_not_of("0123456789abcdef") != std::string::npos)
      return fault("names no run: that is 32 hexadecimal digits");
    if (Result<void> fits = follows(run, static_cast<std::uint64_t>(*seq)); !fits) return fits;
    KeptEvent kept;
    kept.event.seq = static_cast<std::uint64_t>(*seq);
    kept.event.at = Micros(at->get_int64());
    kept.event.frame = FrameId{static_cast<std::uint32_t>(*frame)};
    kept.event.cause = static_cast<std::uint64_t>(count_of(o, "cause").value_or(0));
    kept.event.type = string_of(o, "type");
    for (Written const& member : written_members(text)) keep(member, kept);
    attach(kept.event);
    pending_.push_back(std::move(kept));
    ++out_.events;
    return pending_.size() < kBatch ? Result<void>() : flush();
  }

  // Runs may stand in any order and between each other's lines; each by itself is without a gap.
  Result<void> follows(std::string const& run, std::uint64_t seq) {
    auto const [last, first] = last_seq_.emplace(run, 0);
    if (first) out_.runs.push_back(run);
    if (seq != last->second + 1) {
      return fault("is event " + std::to_string(seq) + " of run " + run + ", but event " +
                   std::to_string(last->second + 1) + " is next");
    }
    last->second = seq;
    if (run != run_) {
      if (Result<void> done = flush(); !done) return done;
      run_ = run;
    }
    return {};
  }

  static void keep(Written const& member, KeptEvent& kept) {
    constexpr std::string_view kKnown[] = {"v", "run", "seq", "at_us", "frame", "cause", "type"};
    if (member.name == "body") {
      kept.event.body = member.value;
      return;
    }
    for (std::string_view const known : kKnown) {
      if (member.name == known) return;
    }
    kept.extra += ",\"" + std::string(member.name) + "\":" + std::string(member.value);
  }

  void attach(talk::Event& event) {
    std::unordered_set<std::string_view> seen;
    each_name(event.body, [&](std::size_t at) {
      std::string_view const name = std::string_view(event.body).substr(at, kNameDigits);
      auto const found = texts_.find(std::string(name));
      if (found != texts_.end() && seen.insert(name).second) event.raws.push_back({found->first, found->second});
    });
  }

  Result<void> flush() {
    Result<void> done = take_(run_, pending_);
    pending_.clear();
    if (done || done.error().kind != ErrorKind::kState) return done;
    return Error{ErrorKind::kState, done.error().detail + "; nothing was imported", done.error().where};
  }

  std::string const& file_;
  Journal::Take const& take_;
  int line_ = 0;
  std::string run_;
  std::vector<KeptEvent> pending_;
  std::unordered_map<std::string, std::string> texts_;
  std::unordered_map<std::string, std::uint64_t> last_seq_;
  Imported out_;
};

}  // namespace

Result<void> export_run(Journal const& journal, std::string_view run, std::ostream& out) {
  std::unordered_set<std::string> told;
  Result<void> done = journal.each_event(run, [&](KeptEvent const& e) -> Result<void> {
    for (RawText const& raw : e.event.raws) {
      if (told.insert(raw.sha256).second) out << text_line(raw) << '\n';
    }
    out << kept_line(run, e) << '\n';
    if (!out) return Error{ErrorKind::kIo, "the export cannot be written", {}};
    return {};
  });
  if (!done) return done;
  out.flush();
  if (!out) return Error{ErrorKind::kIo, "the export cannot be written", {}};
  return {};
}

Result<Imported> import_runs(Journal& journal, std::istream& in, std::string const& file) {
  Imported out;
  Result<void> const done = journal.together([&](Journal::Take const& take) -> Result<void> {
    Importer importer(file, take);
    std::string line;
    while (std::getline(in, line)) {
      if (Result<void> read = importer.line(line); !read) return read;
    }
    if (in.bad()) return Error{ErrorKind::kIo, "the file cannot be read", {file, 0, 0}};
    Result<Imported> imported = importer.end();
    if (!imported) return imported.error();
    out = std::move(*imported);
    return {};
  });
  if (!done) return done.error();
  return out;
}

}  // namespace backedge::journal
