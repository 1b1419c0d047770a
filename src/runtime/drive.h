// Drives one session: carries out what its step commands, and brings back what came of it.
//
// One ordered stream: inputs wait in a mailbox; the thread that finds nobody holding it steps the session through all
// of them. Events are in the journal before commands are carried out. Commands that are declared inline run on the
// holder; of the others the last goes on with the holder's own thread and the rest to the pool, so that a session that
// does one thing at a time never changes threads. Cancellation triggers the stop token of everything that runs, in one
// pass. Tested in tests/runtime/.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/world.h"

namespace backedge::runtime {

/// One run as its handle sees it. Any thread.
class Watch {
 public:
  Watch(std::string id, StartOptions options) : id_(std::move(id)), options_(std::move(options)) {}

  std::string const& id() const { return id_; }
  /// Of the holder, as the end is: so none of the events of what comes back late is told.
  void tell(std::vector<EventView> const& events) const;
  void tell_text(FrameId frame, std::string_view text);
  /// Whoever started the run hears nothing afterwards.
  void finish(RunResult result);
  bool ended() const;
  /// Waits for the end at most `wait`; null when it has not come.
  RunResult const* wait_for(std::chrono::milliseconds wait);
  RunResult const& wait();

 private:
  std::string id_;
  StartOptions options_;
  std::mutex text_mutex_;  // while text is told
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<RunResult> result_;
};

class Drive : public std::enable_shared_from_this<Drive> {
 public:
  /// The session's lock has been taken, when there is a journal; it is let go with the drive.
  Drive(World& world, std::unique_ptr<agent::Session> session);
  ~Drive();
  Drive(Drive const&) = delete;
  Drive& operator=(Drive const&) = delete;

  /// Begins a run; `watch` hears of its end. It starts when the models of the last one have all come back. Errors:
  /// kState while one is under way, kIo after the journal has refused.
  Result<void> begin(std::shared_ptr<Watch> watch, agent::Input first);
  /// Brings an input; a thread of the pool steps the session unless one is at it already.
  void post_later(agent::Input input);
  /// Ends the run that is under way, or that is still to start.
  void cancel();
  /// Nothing is under way: the drive may be let go.
  bool quiet();

 private:
  friend class Context;

  struct Task {  // what is under way for a call or a turn
    std::stop_source stop;
    std::optional<Timer::Id> deadline;
  };

  using Work = std::function<agent::Input()>;

  void pump();
  /// Brings what a piece of work gave, on the thread that did it. True: this thread is now the holder.
  bool bring(agent::Input input);
  void step(agent::Input input);
  bool keep(std::vector<talk::Event> const& events);
  void carry_out(std::vector<agent::Command>& commands);
  void carry_out(agent::AskModel& command);
  void carry_out(agent::StartTool& command);
  void carry_out(agent::AskPerson& command);
  void carry_out(agent::AskHooks& command);
  void carry_out(agent::Judgement& command);
  void carry_out(agent::AnswerTool& command);
  void carry_out(agent::StopTool& command);
  void carry_out(agent::StopModel& command);
  void carry_out(agent::Finish& command);
  void off_holder(Work work);
  agent::Input run_tool(CallId call, FrameId frame, agent::ToolEntry const& tool, std::string_view arguments,
                        std::stop_token stop, bool inline_call);
  void forget(agent::Input const& input);
  void tell_text(FrameId frame, std::string_view text);
  Result<ToolResult> run_agent(CallId by, std::string_view agent, std::string_view task, std::stop_token const& stop);
  void fail(Error const& error);

  World& world_;
  std::unique_ptr<agent::Session> session_;  // of the holder

  std::mutex mutex_;  // of the mailbox and what is below it
  std::vector<agent::Input> mailbox_;
  bool held_ = false;
  bool busy_ = false;                    // a run is under way
  std::size_t under_way_ = 0;            // models and tools
  std::size_t models_ = 0;               // of them, models
  std::vector<agent::Input> next_run_;   // its start, while it waits for the last one's models, and what comes after it
  std::shared_ptr<Watch> next_watch_;    // of that run: until it starts, what comes is still of the last one
  std::atomic<bool> cancelled_ = false;  // seen between two steps, also when inline work never lets the mailbox be read
  std::atomic<bool> failed_ = false;     // the journal has refused
  std::shared_ptr<Watch> watch_;
  std::unordered_map<std::uint64_t, std::function<void(ToolResult)>> tickets_;
  std::uint64_t last_ticket_ = 0;

  // Of the holder.
  std::unordered_map<std::uint32_t, Task> calls_;
  std::unordered_map<std::uint32_t, Task> turns_;
  std::vector<Work> off_;              // of this step, for other threads
  std::vector<agent::Input> at_once_;  // what inline commands brought
  agent::Batch batch_;
};

}  // namespace backedge::runtime
