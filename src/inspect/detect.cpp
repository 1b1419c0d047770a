// Looks at documents until one of them decides. Tested in tests/inspect/detect_test.cpp.
#include "inspect/detect.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "inspect/messages.h"
#include "inspect/text.h"

namespace backedge::inspect {
namespace {

constexpr std::size_t kWhole = std::size_t{1} << 31;  // bytes of one document that are looked at
constexpr int kDeepest = 3;                           // as the reader of messages goes
constexpr int kUndecidedElements = 50;                // of a list; records without messages may come first
constexpr int kForeignLines = 20;                     // so many lines of something else decide, too
constexpr std::size_t kShownMembers = 6;

bool is_role(std::string_view role) {
  constexpr std::array<std::string_view, 7> kRoles{"assistant", "developer", "function", "model",
                                                   "system",    "tool",      "user"};
  return std::binary_search(kRoles.begin(), kRoles.end(), role);
}

/// The members of one object that tell formats apart.
struct Look {
  std::string type;
  std::string role;
  std::string session;
  std::string agent;
  std::string call_id;
  std::vector<std::string> members;
  bool body = false;     // content or calls
  bool message = false;  // an object with a role and content
  bool entry = false;    // fields of a Claude Code entry
  bool silent = false;   // fields of its lines without a message
  bool sidechain = false;
  bool pi_header = false;
  bool foreign = false;   // another format that also holds messages
  bool messages = false;  // a list of messages, somewhere below
};

// How deep lists are nested is a template parameter, so that the compiler sees where the descent ends: at kDeepest.
template <int Level>
bool holds_messages(Json& json, JsonValue list);

void look_at_message(Json& json, JsonValue value, Look& look) {
  bool role = false;
  bool content = false;
  json.members(value, [&](std::string_view name, JsonValue member) {
    if (name == "role") role = !json.text(member).empty();
    content = content || name == "content" || name == "command";
    look.foreign = look.foreign || name == "parts";
  });
  look.message = role && content;
}

/// What the name alone tells.
void look_at_name(std::string_view name, Look& look) {
  look.body = look.body || name == "content" || name == "tool_calls" || name == "function_call";
  look.entry = look.entry || name == "uuid" || name == "parentUuid" || name == "parent_tool_use_id" ||
               name == "sessionId" || name == "session_id";
  look.silent = look.silent || name == "leafUuid" || name == "snapshot" || name == "isSidechain";
  look.pi_header = look.pi_header || name == "cwd";
  look.foreign = look.foreign || name == "trajectory_format" || name == "schema_version" || name == "observation";
}

template <int Level>
void look_at(Json& json, JsonValue object, Look& look) {
  json.members(object, [&](std::string_view name, JsonValue value) {
    if (look.members.size() <= kShownMembers) look.members.emplace_back(name);
    if (name == "type") look.type = json.text(value);
    if (name == "role") look.role = json.text(value);
    if (name == "message") look_at_message(json, value, look);
    if (name == "sessionId" || name == "session_id") look.session = json.text(value);
    if (name == "agentId") look.agent = json.text(value);
    if (name == "call_id") look.call_id = json.text(value);
    if (name == "isSidechain") look.sidechain = json.truth(value);
    look_at_name(name, look);
    if constexpr (Level < kDeepest) {
      if (is_message_list(name)) look.messages = holds_messages<Level + 1>(json, value) || look.messages;
    }
  });
}

bool is_messages(Look const& look) {
  bool const item = (look.type == "function_call" || look.type == "function_call_output") && !look.call_id.empty();
  return !look.foreign && ((is_role(look.role) && look.body) || item || look.messages);
}

/// True when one of the first elements is or holds messages.
template <int Level>
bool holds_messages(Json& json, JsonValue list) {
  int undecided = 0;
  bool yes = false;
  json.elements(list, [&](JsonValue value) {
    if (yes || undecided++ >= kUndecidedElements) return;
    JsonType const type = json.type(value);
    if (type == JsonType::kObject) {
      Look look;
      look_at<Level>(json, value, look);
      yes = is_messages(look);
    }
    if constexpr (Level < kDeepest) {
      if (type == JsonType::kArray) yes = holds_messages<Level + 1>(json, value);
    }
  });
  return yes;
}

std::string_view without_blanks(std::string_view line) {
  std::size_t const first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : line.substr(first);
}

enum class Guess : std::uint8_t { kNothing, kMaybeClaudeCode, kMaybePi, kDecided };

Guess decide(Look const& look, Detected& out) {
  bool const turn = look.type == "user" || look.type == "assistant";
  if (look.foreign) return Guess::kNothing;
  if (turn && look.message && look.entry) {
    out.kind = Kind::kClaudeCode;
    out.session = look.session;
    out.subagent = look.sidechain && !look.agent.empty();
    return Guess::kDecided;
  }
  if (look.type == "message" && look.message) {
    out.kind = Kind::kPi;
    return Guess::kDecided;
  }
  if (is_messages(look)) {
    out.kind = Kind::kMessages;
    return Guess::kDecided;
  }
  if (look.silent && !look.type.empty()) return Guess::kMaybeClaudeCode;
  if (look.type == "session" && look.pi_header) return Guess::kMaybePi;
  return Guess::kNothing;
}

std::string described(Look const& look) {
  if (look.members.empty()) return "an empty JSON object";
  std::string out = "a JSON object with the members ";
  for (std::size_t i = 0; i < std::min(look.members.size(), kShownMembers); ++i) {
    if (i > 0) out += ", ";
    out += in_quotes(look.members[i], 40);
  }
  return look.members.size() > kShownMembers ? out + ", …" : out;
}

std::string described(std::string_view line) {
  bool const binary =
      std::any_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(line.size(), 200)),
                  [](char c) { return static_cast<unsigned char>(c) < 9; });
  return binary ? "binary data" : "text that starts with " + in_quotes(line, 40);
}

/// Looks at the whole file as one document. `mend`: also when it is broken. False when it is no JSON.
bool detect_whole(LineReader& lines, Json& json, bool mend, Detected& out) {
  out.whole = true;
  std::string_view text;
  if (Result<void> const held = lines.whole(kWhole, text); !held) {
    out.found = "one JSON text that is longer than 2 GiB";
    return false;
  }
  // True when the candidate is JSON to its end, or shows messages before it breaks.
  auto const decides = [&](std::string_view candidate) {
    Look look;
    bool const list = json.open(candidate) && candidate[candidate.find_first_of("[{")] == '[';
    if (list) {
      look.messages = holds_messages<1>(json, json.root());
    } else if (!json.failed()) {
      look_at<0>(json, json.root(), look);
    }
    bool const messages = is_messages(look) && (mend || !json.failed());
    if (messages) out.kind = Kind::kMessages;
    out.found = json.failed() ? "broken JSON" : list ? "a JSON list of something else" : described(look);
    return messages || !json.failed();
  };
  if (decides(text) || !mend) return !json.failed();
  PaddedText const mended = repaired(text);
  PaddedText const shorter = closed(mended.view());
  return decides(mended.view()) || decides(shorter.view());
}

/// Looks at one line, repaired if need be; false when it is no JSON.
bool look_at_line(std::string_view bytes, Json& json, Look& look) {
  auto const try_text = [&](std::string_view candidate) {
    look = {};
    if (!json.open(candidate)) return false;
    JsonValue root = json.root();
    if (json.type(root) == JsonType::kArray) {
      look.messages = holds_messages<1>(json, root);
      look.members = {"(a list)"};
    } else {
      look_at<0>(json, root, look);
    }
    return !json.failed();
  };
  if (try_text(bytes)) return true;
  if (!json.repairable()) return false;
  PaddedText const mended = repaired(bytes);
  return try_text(mended.view());
}

/// Goes from line to line until one decides.
Detected detect_by_lines(LineReader& lines, Json& json) {
  lines.rewind();
  Detected out;
  Guess guess = Guess::kNothing;
  Line line;
  Look look;
  for (int count = 0; count < kUndecidedLines && lines.next(line); ++count) {
    bool const readable = look_at_line(line.bytes, json, look);
    if (out.found.empty()) out.found = readable ? described(look) : described(without_blanks(line.bytes));
    Guess const here = readable ? decide(look, out) : Guess::kNothing;
    if (here == Guess::kDecided) return out;
    if (guess == Guess::kNothing) guess = here;
    if (guess == Guess::kNothing && count >= kForeignLines) break;
  }
  if (guess == Guess::kMaybeClaudeCode) out.kind = Kind::kClaudeCode;
  if (guess == Guess::kMaybePi) out.kind = Kind::kPi;
  return out;
}

}  // namespace

std::string_view readable_formats() {
  return "OpenAI and Anthropic message arrays (tau-bench's form included), Claude Code sessions, pi sessions";
}

Detected detect(LineReader& lines, Json& json) {
  lines.rewind();
  Detected out;
  Line line;
  if (!lines.next(line)) {
    out.found = "nothing";
    return out;
  }
  char const first = without_blanks(line.bytes).front();
  Look look;
  bool const one_line = look_at_line(line.bytes, json, look);
  bool const list = first == '[';
  bool const whole = list && (!one_line || !lines.next(line));  // else one list a line
  if (whole) {
    detect_whole(lines, json, true, out);
  } else if (one_line || first != '{') {
    out = detect_by_lines(lines, json);
  } else if (!detect_whole(lines, json, false, out)) {
    out = detect_by_lines(lines, json);
    if (out.kind == Kind::kUnknown) detect_whole(lines, json, true, out);
  }
  lines.rewind();
  return out;
}

}  // namespace backedge::inspect
