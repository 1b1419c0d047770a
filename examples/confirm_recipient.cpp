// Conditional routing with tools of one's own: no mail is sent until the person has confirmed this very recipient.
//
// The rule stands in the policy; two callbacks say what no rule can: no mail to more than three, and what a reader may
// not see. The model is scripted and does it wrong at first, as models do. Tested by ctest as
// example_confirm_recipient.

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <backedge/backedge.h>

using namespace backedge;

constexpr std::string_view kPolicy = R"(
[[route]]
name = "confirmed"
then = "reject"
tool = "send_email"
unless_seen = "confirm_recipient"
seen_where = [{ pointer = "/address", same = "/to" }]
hint = "let the user confirm this address with confirm_recipient first"
)";

// One message after the other; the last is the answer.
class Scripted : public Model {
 public:
  Result<Reply> ask(Request const& request, DeltaSink&, std::stop_token) override {
    struct Step {
      std::string tool;
      std::string arguments;
    };
    static std::vector<Step> const kSteps = {
        {"send_email", R"({"to":"anna@example.org","text":"the figures"})"},  // not confirmed
        {"confirm_recipient", R"({"address":"ana@example.org"})"},            // another one
        {"send_email", R"({"to":"anna@example.org","text":"the figures"})"},
        {"confirm_recipient", R"({"address":"anna@example.org"})"},
        {"send_email", R"({"to":"anna@example.org","text":"the figures"})"},  // now it is
        {"send_email", R"({"to":"anna@example.org","text":"the figures","copies":["a","b","c","d"]})"},
    };
    auto const at = static_cast<std::size_t>(request.turn - 1);
    if (at < kSteps.size() && request.may_call)
      return Reply{
          {Role::kAssistant, {CallBlock{std::to_string(at), kSteps[at].tool, kSteps[at].arguments}}}, "tool_use", {}};
    return Reply{{Role::kAssistant, {TextBlock{"One mail is sent."}}}, "end_turn", {}};
  }
  bool inline_ok() const override { return true; }
};

int main() {
  Result<Policy> policy = Policy::parse(kPolicy, "confirm_recipient.toml");
  if (!policy) return std::cerr << policy.error().text() << '\n', 1;
  RuntimeOptions options{.model = std::make_shared<Scripted>()};
  options.before_call = [](CallSight const& call) -> CallRoute {
    bool const many = call.tool == "send_email" && std::count(call.arguments.begin(), call.arguments.end(), ',') > 3;
    if (many) return {CallRouteWord::kReject, "few_readers", "send it to one reader"};
    return {};
  };
  options.after_result = [](ResultSight const& result) -> ResultRoute {
    if (result.text.find("key=") == std::string_view::npos) return {};
    return {ResultRouteWord::kReplace, "no_keys", "sent", {}, 0};
  };
  Result<Runtime> runtime = Runtime::create(*policy, std::move(options));
  if (!runtime) return std::cerr << runtime.error().text() << '\n', 1;

  int sent = 0;
  Result<void> added = runtime->add(ToolSpec{.name = "confirm_recipient", .about = "Asks the user about an address"},
                                    [](ToolContext&) { return ToolResult{CallStatus::kOk, "the user says yes"}; });
  if (added) {
    added = runtime->add(ToolSpec{.name = "send_email", .about = "Sends a mail"}, [&sent](ToolContext&) {
      ++sent;
      return ToolResult{CallStatus::kOk, "sent, key=4711"};
    });
  }
  if (!added) return std::cerr << added.error().text() << '\n', 1;

  StartOptions watch;
  watch.on_event = [](EventView const& e) {
    if (e.type == "verdict") std::cout << e.body << '\n';
  };
  Result<RunHandle> run = runtime->start("", "Send Anna the figures", std::move(watch));
  if (!run) return std::cerr << run.error().text() << '\n', 1;
  RunResult const result = run->wait();
  std::cout << result.answer << ' ' << sent << " sent, " << result.refused << " refused\n";
  return sent == 1 && result.refused == 3 ? 0 : 1;
}
