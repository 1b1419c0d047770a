// A hand-written agent loop, guarded: the run is asked before each turn and each call, and told what came back.
//
// The model here is a function that never learns; the run stops it in seven lines of glue. Tested by ctest as
// example_guard_a_loop.

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include <backedge/backedge.h>

using namespace backedge;

struct Wish {
  std::string tool, arguments;
};

// Stands for a model: asks for the same two orders again and again.
Wish model(int turn) {
  return turn % 2 == 0 ? Wish{"order_status", R"({"id": 7})"} : Wish{"shipment", R"({"order": 7})"};
}

// Stands for the tools.
std::string call_tool(Wish const& wish) {
  return wish.tool == "shipment" ? "waiting for the order" : "waiting for the shipment";
}

Micros now() { return std::chrono::duration_cast<Micros>(std::chrono::steady_clock::now().time_since_epoch()); }

int main() {
  Result<Policy> policy = Policy::parse("[limits]\nmax_turns = 20\n", "example");
  if (!policy) return std::cerr << policy.error().text() << '\n', 2;
  Result<Run> run = Run::open(*policy, {.agent = "clerk", .now = now()});
  if (!run) return std::cerr << run.error().text() << '\n', 1;

  for (int n = 0;; ++n) {
    Result<Turn> turn = run->enter_turn(run->root(), {.input_tokens = 900, .cost_nano_usd = 0}, now());
    if (!turn->goes()) {
      std::cout << "end: " << run->standing(run->root())->end << '\n';
      return 0;
    }
    if (turn->word == TurnWord::kFinal) std::cout << "note to the model: " << turn->text << '\n';
    Wish const wish = model(n);
    (void)run->leave_turn(turn->id, {.input_tokens = 900, .output_tokens = 40}, "", true, now());

    Result<Entered> entered = run->enter(run->root(), Call{wish.tool, wish.arguments}, now());
    if (!entered->runs) {
      std::cout << "turn " << n + 1 << ": " << entered->text << '\n';
      continue;
    }
    std::string const answer = call_tool(wish);
    std::cout << "turn " << n + 1 << ": " << wish.tool << " -> " << answer << '\n';
    (void)run->leave(entered->call, {CallStatus::kOk, answer}, now());
  }
}
