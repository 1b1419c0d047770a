// Ids for the calls of a reply that no other call of the conversation has, at a cost that follows what is new.
//
// An id depends on the conversation alone, so that a resumed run gets the same ones. What was read of a long
// conversation is remembered and only what came after it is read at the next reply; whether it is the same conversation
// is told by where its messages lie, and by the ids of some of them. Any thread. Tested in tests/models/reply_test.cpp.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "backedge/message.h"

namespace backedge::models {

class CallIds {
 public:
  /// Gives every call of `reply` an id that neither `conversation` nor a call before it has: its own, if it has one
  /// that is free, else that or "call" with the least free number behind it. Linear in what `conversation` has got
  /// since the last reply to it.
  void make_unique(std::span<Message const> conversation, Message& reply);

 private:
  /// How a message that was read is known again.
  struct Mark {
    std::size_t message = 0;
    void const* blocks = nullptr;
    std::string id;  // of its first call
  };
  /// What is known of one conversation, up to a message.
  struct Known {
    std::size_t messages = 0;
    std::unordered_set<std::string> taken;
    std::unordered_map<std::string, std::size_t> next;  // of a stem: all numbers below it are taken
    std::vector<Mark> marks;                            // of a few messages

    void read(std::span<Message const> conversation);
    bool is_of(std::span<Message const> conversation) const;
    void name(Message& reply);
  };
  struct Entry {
    void const* first = nullptr;  // where the first message's blocks lie
    Known known;
  };

  std::mutex mutex_;
  std::list<Entry> entries_;  // used last first
};

}  // namespace backedge::models
