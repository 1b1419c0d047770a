// A program of a user: the installed headers and the installed library, nothing else. It asks for the same call until
// the run refuses it, and prints each answer.
#include <iostream>

#include <backedge/backedge.h>

int main() {
  auto const policy = backedge::Policy::parse("[repeat]\nexact = 3\n", "consumer.toml");
  if (!policy.ok()) {
    std::cerr << policy.error().text() << "\n";
    return 1;
  }
  auto run = backedge::Run::open(*policy);
  if (!run.ok()) {
    std::cerr << run.error().text() << "\n";
    return 1;
  }
  backedge::Micros now{0};
  for (int i = 0; i < 3; ++i) {
    now += std::chrono::seconds(1);
    auto const entered =
        run->enter(run->root(), backedge::Call{.tool = "search", .arguments = R"({"query":"same"})"}, now);
    if (!entered.ok()) {
      std::cerr << entered.error().text() << "\n";
      return 1;
    }
    std::cout << (entered->runs ? "runs" : "held") << (entered->code.empty() ? "" : " ") << entered->code << "\n";
    if (entered->runs && !run->leave(entered->call, {.text = "nothing new"}, now).ok()) return 1;
  }
  return 0;
}
