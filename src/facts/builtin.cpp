#include "facts/builtin.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "facts/shell_text.h"

namespace backedge::facts {
namespace {

// A row of the table. Lists are separated by spaces; what is empty is undeclared.
struct Row {
  std::string_view tools;
  std::string_view server = {};  // of MCP rows
  std::optional<Effect> effect = {};
  std::optional<Reentry> reentry = {};
  std::string_view targets = {};       // candidates, in order
  std::string_view identity = {};      // alternatives count as one list: what is missing is ignored
  std::string_view offset_limit = {};  // pointers to the first line and the number of lines
  std::string_view first_last = {};    // pointers to the first and the last line, where these are used instead
  std::string_view conflicts = {};
  std::string_view view = {};             // an editor: its `command` view only reads, with these first and last line
  std::string_view shell = {};            // pointers to shell text: the tool is a shell
  std::string_view poll_when_empty = {};  // pointer: a call that sends nothing only asks how it goes
};

constexpr auto kRead = Effect::kRead;
constexpr auto kWrite = Effect::kWrite;
constexpr auto kPoll = Effect::kPoll;
constexpr auto kWait = Effect::kWait;
constexpr auto kDelegate = Effect::kDelegate;
constexpr auto kDistinct = Reentry::kDistinct;

// How tools of different makers name the agent they hand work to.
constexpr std::string_view kAgents =
    "/agent /agent_name /agentName /agent_type /subagent_type /subagent /target_agent /to_agent /to /target /recipient "
    "/coworker /agent_id /agentId /name";

// clang-format off
constexpr auto kRows = std::to_array<Row>({
    // Claude Code.
    {.tools = "Read", .effect = kRead, .identity = "/file_path", .offset_limit = "/offset /limit", .conflicts = "file:{/file_path}"},
    {.tools = "NotebookRead", .effect = kRead, .conflicts = "file:{/notebook_path}"},
    {.tools = "Edit MultiEdit Write", .effect = kWrite, .conflicts = "file:{/file_path}"},
    {.tools = "NotebookEdit", .effect = kWrite, .conflicts = "file:{/notebook_path}"},
    {.tools = "Glob Grep LS WebFetch WebSearch TodoRead ToolSearch ListMcpResourcesTool ReadMcpResourceTool TaskGet TaskList", .effect = kRead},
    {.tools = "TodoWrite TaskCreate TaskUpdate", .effect = kWrite},
    {.tools = "Bash", .reentry = kDistinct, .shell = "/command"},
    {.tools = "BashOutput TaskOutput AgentOutputTool", .effect = kPoll},
    {.tools = "KillShell KillBash TaskStop AskUserQuestion EnterPlanMode ExitPlanMode exit_plan_mode Skill SlashCommand SendMessage"},
    {.tools = "Task Agent dispatch_agent", .effect = kDelegate, .reentry = kDistinct, .targets = "/subagent_type /agent /agent_type /name"},

    // Codex.
    {.tools = "shell local_shell container.exec", .reentry = kDistinct, .shell = "/command"},
    {.tools = "exec_command", .reentry = kDistinct, .shell = "/cmd /command"},
    {.tools = "write_stdin", .poll_when_empty = "/chars"},
    {.tools = "wait_agent wait", .effect = kWait},
    {.tools = "apply_patch update_plan", .effect = kWrite},
    {.tools = "view_image", .effect = kRead},
    {.tools = "send_input close_agent resume_agent request_user_input"},

    // Gemini CLI.
    {.tools = "read_file", .effect = kRead, .identity = "/path /file_path /absolute_path /filename", .offset_limit = "/offset /limit", .first_last = "/start_line /end_line",
     .conflicts = "file:{/path} file:{/file_path} file:{/absolute_path}"},
    {.tools = "read_many_files search_file_content google_web_search", .effect = kRead},
    {.tools = "web_fetch web_search", .effect = kRead},
    {.tools = "list_directory glob grep find ls", .effect = kRead},
    {.tools = "write_file replace", .effect = kWrite, .conflicts = "file:{/path} file:{/file_path}"},
    {.tools = "save_memory write_todos", .effect = kWrite},
    {.tools = "run_shell_command", .reentry = kDistinct, .shell = "/command"},

    // opencode, pi and others with short names.
    {.tools = "read", .effect = kRead, .identity = "/path /filePath /file_path", .offset_limit = "/offset /limit",
     .conflicts = "file:{/path} file:{/filePath} file:{/file_path}"},
    {.tools = "edit write multiedit", .effect = kWrite, .conflicts = "file:{/path} file:{/filePath} file:{/file_path}"},
    {.tools = "webfetch websearch todoread", .effect = kRead},
    {.tools = "todowrite", .effect = kWrite},
    {.tools = "bash execute_bash execute_command run_command run_terminal_cmd run_in_terminal terminal exec", .reentry = kDistinct, .shell = "/command /cmd"},
    {.tools = "list_files list_code_definition_names", .effect = kRead},

    {.tools = "str_replace_editor str_replace_based_edit_tool", .effect = kWrite, .conflicts = "file:{/path}", .view = "/view_range/0 /view_range/1"},

    // MCP servers: filesystem, git, fetch, time, memory, sequential thinking (no effect: a thought may repeat its answer).
    {.tools = "read_text_file", .server = "filesystem", .effect = kRead, .conflicts = "file:{/path}"},
    {.tools = "read_file", .server = "filesystem", .effect = kRead, .conflicts = "file:{/path}"},
    {.tools = "read_media_file get_file_info", .server = "filesystem", .effect = kRead, .conflicts = "file:{/path}"},
    {.tools = "read_multiple_files list_directory list_directory_with_sizes directory_tree search_files list_allowed_directories", .server = "filesystem", .effect = kRead},
    {.tools = "write_file edit_file", .server = "filesystem", .effect = kWrite, .conflicts = "file:{/path}"},
    {.tools = "create_directory", .server = "filesystem", .effect = kWrite, .conflicts = "file:{/path}"},
    {.tools = "move_file", .server = "filesystem", .effect = kWrite, .conflicts = "file:{/source} file:{/destination}"},
    {.tools = "git_status git_diff_unstaged git_diff_staged git_diff git_log git_show", .server = "git", .effect = kRead},
    {.tools = "git_add git_commit git_reset git_create_branch git_checkout git_init", .server = "git", .effect = kWrite, .conflicts = "git:{/repo_path}"},
    {.tools = "fetch", .server = "fetch", .effect = kRead},
    {.tools = "get_current_time convert_time", .server = "time", .effect = kRead},
    {.tools = "read_graph search_nodes open_nodes", .server = "memory", .effect = kRead},
    {.tools = "create_entities create_relations add_observations delete_entities delete_observations delete_relations", .server = "memory", .effect = kWrite},
    {.tools = "sequentialthinking", .server = "sequential-thinking"},

    // Tools of any maker that hand work to an agent.
    {.tools = "task agent subagent delegate delegate_task delegate_work delegate_work_to_coworker ask_question_to_coworker delegate_to_agent "
              "ask_agent call_agent run_agent start_agent invoke_agent spawn_agent run_subagent spawn_subagent sessions_spawn "
              "transfer transfer_to_agent handoff hand_off handoff_to_agent",
     .effect = kDelegate, .reentry = kDistinct, .targets = kAgents},
});

// Commands that only read, and the words that make them do something else. "*": nothing may follow.
struct ReadingCommand {
  std::string_view words;
  std::string_view never = {};
};

constexpr std::string_view kBranchChanges = "-d -D -m -M -c -C -f -u --delete --move --copy --force --set-upstream-to* --unset-upstream --edit-description";

constexpr auto kReadingCommands = std::to_array<ReadingCommand>({
    {"git status"}, {"git diff", "--output* --ext-diff --textconv"}, {"git log", "--output* --ext-diff --textconv"}, {"git show", "--output* --ext-diff --textconv"},
    {"git ls-files"}, {"git ls-tree"}, {"git blame"}, {"git rev-parse"}, {"git describe"}, {"git remote -v"}, {"git remote", "*"}, {"git stash list"},
    {"git tag", "*"}, {"git tag -l"}, {"git tag --list"}, {"git config --get"}, {"git branch", "*"}, {"git branch --show-current"},
    {"git branch --list", kBranchChanges}, {"git branch -a", kBranchChanges}, {"git branch -r", kBranchChanges}, {"git branch -v", kBranchChanges}, {"git branch -vv", kBranchChanges},
    {"ls"}, {"cat"}, {"head"}, {"tail", "-f* -F* --follow* --retry"}, {"wc"}, {"nl"}, {"tac"}, {"cut"}, {"diff"}, {"cmp"}, {"jq"},
    {"grep"}, {"egrep"}, {"fgrep"}, {"rg", "--pre* --hostname-bin*"},
    {"find", "-delete -exec -execdir -ok -okdir -fprint* -fls"},
    {"pwd"}, {"which"}, {"type"}, {"command -v"}, {"stat"}, {"file", "-C --compile"}, {"tree", "-o*"}, {"du"}, {"df"}, {"echo"},
    {"realpath"}, {"readlink"}, {"basename"}, {"dirname"}, {"md5sum"}, {"sha256sum"}, {"whoami"}, {"uname"}, {"ps"}, {"true"},
});
// clang-format on

constexpr std::string_view kSleep = "sleep";

Contract& add_variant(Contract& contract, Condition condition, std::optional<Effect> effect) {
  ConditionalContract variant;
  variant.condition = std::move(condition);
  variant.contract.effect = effect;
  contract.when.push_back(std::move(variant));
  return contract.when.back().contract;
}

// Reading is a read, sleeping a wait, and reading after a sleep asks how something is coming along.
void add_shell_variants(Contract& contract, std::string_view pointers) {
  std::vector<std::string> reading;
  reading.reserve(kReadingCommands.size());
  for (ReadingCommand const& command : kReadingCommands) reading.emplace_back(command.words);
  std::vector<std::string> polling = reading;
  polling.emplace_back(kSleep);
  auto const add = [&](std::string const& pointer, std::vector<std::string> const& commands, Effect effect) {
    add_variant(contract, Condition{.pointer = pointer, .equals = {}, .glob = {}, .commands = commands}, effect);
  };
  for (std::string const& pointer : split_words(pointers)) {
    add(pointer, {std::string(kSleep)}, kWait);
    add(pointer, reading, kRead);
    add(pointer, polling, kPoll);
  }
}

BuiltinContract make(Row const& row) {
  BuiltinContract out;
  Contract& c = out.contract;
  c.effect = row.effect;
  c.reentry = row.reentry;
  out.extras.targets = split_words(row.targets);
  if (!out.extras.targets.empty()) c.target = out.extras.targets.front();
  if (!row.identity.empty()) c.identity = split_words(row.identity);
  if (!row.offset_limit.empty()) {
    std::vector<std::string> const pointers = split_words(row.offset_limit);
    c.range = RangePointers{pointers[0], pointers[1], ""};
  }
  if (!row.conflicts.empty()) c.conflicts = split_words(row.conflicts);
  if (!row.poll_when_empty.empty()) {
    add_variant(c, Condition{.pointer = std::string(row.poll_when_empty), .equals = "", .glob = {}, .commands = {}},
                Effect::kPoll);
  }
  if (!row.first_last.empty()) {
    std::vector<std::string> const pointers = split_words(row.first_last);
    add_variant(c, Condition{.pointer = pointers[0], .equals = {}, .glob = "*", .commands = {}}, row.effect).range =
        RangePointers{pointers[0], "", pointers[1]};
  }
  if (!row.view.empty()) {
    std::vector<std::string> const pointers = split_words(row.view);
    Contract& view =
        add_variant(c, Condition{.pointer = "/command", .equals = "view", .glob = {}, .commands = {}}, kRead);
    view.identity = {"/path"};
    view.range = RangePointers{pointers[0], "", pointers[1]};
  }
  if (!row.shell.empty()) add_shell_variants(c, row.shell);
  return out;
}

}  // namespace

std::vector<BuiltinContract> builtin_contracts() {
  std::vector<BuiltinContract> out;
  auto const known = [&](std::string_view tool) {
    return std::ranges::any_of(out, [&](BuiltinContract const& row) { return row.tool == tool; });
  };
  for (Row const& row : kRows) {
    BuiltinContract const contract = make(row);
    for (std::string const& tool : split_words(row.tools)) {
      // A bare name that two rows share belongs to the first.
      if (!known(tool)) out.push_back({tool, contract.contract, contract.extras});
      if (!row.server.empty())
        out.push_back({"mcp__" + std::string(row.server) + "__" + tool, contract.contract, contract.extras});
    }
  }
  return out;
}

std::string_view builtin_never(std::string_view command) {
  for (ReadingCommand const& reading : kReadingCommands) {
    if (reading.words == command) return reading.never;
  }
  return {};
}

}  // namespace backedge::facts
