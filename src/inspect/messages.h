// Files of message arrays: one array, an object around it, one message or one conversation a line, arrays of
// conversations.
//
// A conversation is found under the members messages, traj, trajectory, conversation, input and output of an object
// (also data, results, simulations and the plurals, for lists of conversations); an array under them or at the root may
// also hold such objects or arrays, and each is then a trace of its own, as in the form of tau-bench: [{task_id, trial,
// reward, traj: [messages], info}, …]. Nesting is followed three levels deep. Of a file that is cut off, everything
// before the cut is read. Tested in tests/inspect/messages_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inspect/conversation.h"
#include "inspect/documents.h"

namespace backedge::inspect {

/// True for members under which messages stand.
bool is_message_list(std::string_view member);

/// Members of an object around messages.
struct MessageRecord {
  std::string task;
  std::string trial;
  std::string id;
  ResultText system;
  std::int64_t tools = -1;  // how many are offered to the model; -1: not said
  std::int64_t tools_chars = 0;
  bool tau_bench = false;
};

class MessagesReader : public DocumentTaker {
 public:
  using Take = std::function<void(Trace&&)>;

  /// `json` outlives the reader.
  MessagesReader(std::string path, Take take, Json& json);

  /// A file with one JSON text a line.
  void read_lines(LineReader& lines);
  /// A file that is one JSON text; it is held in memory. Errors: kInput when it is longer than `limit` bytes.
  Result<void> read_whole(LineReader& lines, std::size_t limit);

  void collect(Json& json, JsonValue root, std::int64_t line) override;
  bool take(std::int64_t line) override;
  void problem(std::string const& what, std::int64_t line) override { conversation_.problem(what, line); }

 private:
  /// What one element of an array turned out to be.
  struct Element {
    std::optional<RawMessage> message;
    std::vector<Trace> traces;
    std::int64_t strangers = 0;  // elements that are neither
  };
  /// Where lines are numbered from: the document itself, or the line that it stands on.
  struct Place {
    bool by_document = false;
    std::int64_t line = 0;
  };

  // How many lists stand around a value is a template parameter, so that the compiler sees where the descent ends.
  template <int Level>
  Element read_element(Json& json, JsonValue value, Place place);
  template <int Level>
  void read_object(Json& json, JsonValue value, Place place, Element& out);
  template <int Level>
  void read_list(Json& json, JsonValue list, Place place, Conversation& conversation, Element& out);
  template <int Level>
  void read_late_list(std::string_view list, Place place, Conversation& conversation, Element& out);
  void take_element(Element&& element, std::int64_t line);
  void take_trace(Trace&& trace);
  /// Reads a text that is the whole file; `last`: nothing better will be tried. False when it is broken.
  bool read_text(std::string_view text, bool last);
  void finish();

  std::string path_;
  Take take_;
  Json& json_;
  Conversation conversation_;  // of messages that stand at the root
  Element element_;
  std::int64_t taken_ = 0;  // elements of the root array that are taken
  std::int64_t traces_ = 0;
  std::optional<Trace>
      held_;  // the last one: whether it needs a number, and what is wrong with the file, is known later
};

}  // namespace backedge::inspect
