// Texts in pieces and ids that are free.
#include "models/reply.h"

#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/call_ids.h"
#include "models/support.h"

namespace backedge::models {
namespace {

TEST(Reply, ATextIsToldInPiecesThatAreWholeCharacters) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "é";
  Heard heard;
  tell(text, heard);
  ASSERT_EQ(heard.pieces.size(), 2U);
  EXPECT_EQ(heard.pieces[0].size(), 48U);
  EXPECT_EQ(heard.whole, text);
}

TEST(Reply, BytesThatAreNoTextAreToldAsTheyAre) {
  std::string const text("\xff\xfe\0x\xc3", 5);
  Heard heard;
  tell(text, heard);
  EXPECT_EQ(heard.whole, text);
}

TEST(Reply, NothingIsToldOfAnEmptyText) {
  Heard heard;
  tell("", heard);
  EXPECT_TRUE(heard.pieces.empty());
}

TEST(Reply, AWaitIsOverWithItsTimeOrWithTheToken) {
  std::stop_source stop;
  EXPECT_TRUE(wait_for(std::chrono::milliseconds(1), stop.get_token()));
  stop.request_stop();
  EXPECT_FALSE(wait_for(std::chrono::hours(1), stop.get_token()));
  EXPECT_FALSE(wait_for(std::chrono::milliseconds(0), stop.get_token()));
  EXPECT_TRUE(wait_for(std::chrono::milliseconds(0), {}));
}

Message calls(std::vector<std::string> const& ids) {
  Message out{Role::kAssistant, {}};
  for (std::string const& id : ids) out.blocks.emplace_back(CallBlock{id, "t", "{}"});
  return out;
}

std::vector<std::string> ids_of(Message const& message) {
  std::vector<std::string> out;
  for (Block const& block : message.blocks) out.push_back(std::get<CallBlock>(block).id);
  return out;
}

// What must come of it, the slow way.
std::vector<std::string> expected(std::vector<Message> const& conversation, Message const& reply) {
  std::set<std::string> taken;
  for (Message const& m : conversation)
    for (std::string const& id : ids_of(m)) taken.insert(id);
  std::vector<std::string> out;
  for (std::string id : ids_of(reply)) {
    std::string const stem = id.empty() ? "call" : id;
    for (int n = id.empty() ? 1 : 2; id.empty() || taken.contains(id); ++n) id = stem + "_" + std::to_string(n);
    taken.insert(id);
    out.push_back(id);
  }
  return out;
}

TEST(CallIds, AreTheSameWhetherAConversationIsRememberedOrNot) {
  CallIds ids;
  std::mt19937 random(7);
  std::vector<std::string> const words = {"", "", "a", "b", "call", "call_3", "a_2", "x_9"};
  std::vector<std::vector<Message>> all(3);
  for (int i = 0; i < 1500; ++i) {
    std::vector<Message>& conversation = all[random() % all.size()];
    if (random() % 200 == 0 && !conversation.empty()) conversation.resize(conversation.size() / 2);  // set back
    if (random() % 300 == 0) conversation = std::vector<Message>(conversation);                      // lies elsewhere
    if (random() % 100 == 0 && !conversation.empty())  // its last message grows
      conversation.back().blocks.emplace_back(CallBlock{"a_" + std::to_string(random() % 50), "t", "{}"});
    Message reply = calls({words[random() % words.size()], words[random() % words.size()]});
    std::vector<std::string> const right = expected(conversation, reply);
    ids.make_unique(conversation, reply);
    ASSERT_EQ(ids_of(reply), right) << i;
    if (random() % 10 != 0) conversation.push_back(std::move(reply));  // else it was not taken
  }
}

}  // namespace
}  // namespace backedge::models
