// Trying candidates and choosing among them; see suggest.h.
#include "suggest/suggest.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace backedge::suggest {
namespace {

using Key = std::pair<std::size_t, std::uint32_t>;
using Keys = std::set<Key>;

constexpr char kName[] = "suggestion";

class Chooser {
 public:
  Chooser(std::span<Subject const> given, std::span<Subject const> others, Policy const& policy)
      : given_(given), others_(others), policy_(policy) {
    for (std::size_t i = 0; i < count(); ++i) useful_.push_back(useful_calls(subject(i).tree));
  }

  Result<Suggestions> run() {
    for (std::size_t i = 0; i < count(); ++i) {
      Result<Held> held = subject(i).judge(policy_);
      if (!held) return held.error();
      base_.push_back(*std::move(held));
    }
    note_runs();
    std::vector<Suggestion> tried;
    for (Candidate& candidate : candidates(given_, others_)) {
      bool of_use = false;
      Result<Figures> figures = figures_of(candidate.settings, of_use);
      if (!figures) return figures.error();
      if (!of_use) continue;
      tried.push_back({std::move(candidate), *std::move(figures)});
      if (Result<void> const more = with_polls(tried); !more) return more.error();
    }
    best_of_choices(tried);
    std::stable_sort(tried.begin(), tried.end(), [](Suggestion const& a, Suggestion const& b) {
      return std::pair(a.figures.tokens, a.figures.caught.size()) >
             std::pair(b.figures.tokens, b.figures.caught.size());
    });
    take(std::move(tried));
    if (Result<void> const held = hold_together(); !held) return held.error();
    if (Result<void> const freed = free_polls(); !freed) return freed.error();
    return std::move(out_);
  }

 private:
  std::size_t count() const { return given_.size() + others_.size(); }
  Subject const& subject(std::size_t i) const { return i < given_.size() ? given_[i] : others_[i - given_.size()]; }

  static std::int64_t calls_that_ran(Subject const& subject) {
    return std::count_if(subject.tree.calls.begin(), subject.tree.calls.end(),
                         [](graph::Call const& c) { return !c.status.empty() && !c.verdict.refused(); });
  }

  void note_runs() {
    for (std::size_t i = 0; i < given_.size(); ++i) {
      out_.given_calls += calls_that_ran(given_[i]);
      out_.stopped_already += std::ssize(base_[i].calls);
      if (given_[i].near_limit) out_.without_exit.push_back(given_[i].name);
    }
    for (Subject const& other : others_) {
      if (!other.finished) continue;
      ++out_.other_runs;
      out_.other_calls += calls_that_ran(other);
    }
  }

  /// `of_use`: it can be read, catches something and lets nothing go.
  Result<Figures> figures_of(std::vector<Setting> const& settings, bool& of_use) {
    Figures out;
    of_use = false;
    Result<Policy> const policy = policy_.with(toml_of(settings), kName);
    if (!policy) return out;
    for (std::size_t i = 0; i < count(); ++i) {
      Result<Held> const held = subject(i).judge(*policy);
      if (!held) return held.error();
      bool const milder = held->releases && !base_[i].releases;
      bool const lets_go =
          !std::includes(held->calls.begin(), held->calls.end(), base_[i].calls.begin(), base_[i].calls.end());
      if (milder || lets_go) return out;
      add(i, *held, out);
      // What helps nowhere need not be held against anything.
      if (i + 1 == given_.size() && out.caught.empty()) return out;
    }
    of_use = !out.caught.empty();
    return out;
  }

  /// The last one tried, with the tools that it catches wrongly declared as polls, if they are few: a tool that repeats
  /// in runs that went well waits for something. Such a declaration may show other tools that do.
  Result<void> with_polls(std::vector<Suggestion>& tried) {
    constexpr std::size_t kMostPolls = 6;
    Suggestion next = tried.back();
    if (next.candidate.settings.front().section != "repeat") return {};
    std::set<std::string> polls;
    while (!next.figures.wrong.empty()) {
      std::set<std::string> tools;
      for (CaughtCall const& c : next.figures.wrong) {
        graph::Call const& call = subject(c.subject).tree.calls[c.call];
        if (call.status != "ok" && call.status != "empty") return {};  // who tries again does not wait
        tools.insert(call.tool);
      }
      std::size_t const before = polls.size();
      for (std::string const& tool : tools) {
        if (!polls.insert(tool).second) continue;
        next.candidate.settings.push_back({"tool." + toml_key(tool), "effect", "\"poll\""});
        next.candidate.why += fmt::format("; {} repeats where all goes well", tool);
      }
      if (polls.size() == before || polls.size() > kMostPolls) return {};
      bool of_use = false;
      Result<Figures> figures = figures_of(next.candidate.settings, of_use);
      if (!figures) return figures.error();
      if (!of_use) return {};
      next.figures = *std::move(figures);
    }
    if (!polls.empty()) tried.push_back(std::move(next));
    return {};
  }

  void add(std::size_t i, Held const& held, Figures& out) const {
    bool const given = i < given_.size();
    std::size_t const before = out.caught.size();
    for (std::uint32_t const call : held.calls) {
      if (base_[i].calls.contains(call)) continue;
      bool const useful = useful_[i][call];
      if (useful && (given || subject(i).finished)) out.wrong.push_back({i, call});
      if (!useful && given) out.caught.push_back({i, call});
    }
    if (out.caught.size() == before) return;
    ++out.caught_runs;
    out.tokens += std::max<std::int64_t>(0, held.tokens - base_[i].tokens);
  }

  /// Of values of one key: what makes fewer mistakes, then what catches more, then the milder one. With no
  /// other run to hold it against, the mildest that catches anything.
  void best_of_choices(std::vector<Suggestion>& tried) const {
    std::map<std::string, std::size_t> best;
    std::vector<Suggestion> out;
    for (Suggestion& one : tried) {
      std::string const choice = one.candidate.choice;
      auto const at = choice.empty() ? best.end() : best.find(choice);
      if (at == best.end()) {
        if (!choice.empty()) best[choice] = out.size();
        out.push_back(std::move(one));
        continue;
      }
      Suggestion& held = out[at->second];
      bool const more = one.figures.caught.size() > held.figures.caught.size() && out_.other_runs > 0;
      std::size_t const wrong = one.figures.wrong.size(), wrong_held = held.figures.wrong.size();
      if (wrong < wrong_held || (wrong == wrong_held && more)) held = std::move(one);
    }
    tried = std::move(out);
  }

  static Keys keys_of(Figures const& figures) {
    Keys out;
    for (CaughtCall const& c : figures.caught) out.emplace(c.subject, c.call);
    return out;
  }

  bool clashes(Candidate const& candidate) const {
    return std::any_of(out_.taken.begin(), out_.taken.end(), [&](Suggestion const& taken) {
      return std::any_of(candidate.settings.begin(), candidate.settings.end(), [&](Setting const& mine) {
        return std::any_of(
            taken.candidate.settings.begin(), taken.candidate.settings.end(), [&](Setting const& theirs) {
              return theirs.section == mine.section && theirs.key == mine.key && theirs.value != mine.value;
            });
      });
    });
  }

  void take(std::vector<Suggestion> tried) {
    Keys covered;
    for (int const clean : {1, 0}) {
      for (Suggestion& one : tried) {
        if (one.figures.wrong.empty() != (clean == 1) || (clean == 1 && clashes(one.candidate))) continue;
        Keys const keys = keys_of(one.figures);
        if (std::includes(covered.begin(), covered.end(), keys.begin(), keys.end())) continue;
        if (clean == 1) covered.insert(keys.begin(), keys.end());
        (clean == 1 ? out_.taken : out_.refused).push_back(std::move(one));
      }
    }
  }

  /// Settings that do no harm one by one may do so together; then the least of them goes.
  Result<void> hold_together() {
    while (!out_.taken.empty()) {
      std::vector<Setting> settings;
      for (Suggestion const& one : out_.taken)
        settings.insert(settings.end(), one.candidate.settings.begin(), one.candidate.settings.end());
      std::sort(settings.begin(), settings.end());
      settings.erase(std::unique(settings.begin(), settings.end()), settings.end());
      bool of_use = false;
      Result<Figures> figures = figures_of(settings, of_use);
      if (!figures) return figures.error();
      if (of_use && figures->wrong.empty()) {
        out_.together = *std::move(figures);
        return {};
      }
      out_.taken.pop_back();
    }
    return {};
  }

  /// Of given runs: tools whose useful calls the policy would stop.
  Result<void> free_polls() {
    std::set<std::string> tools;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      for (std::uint32_t const call : base_[i].calls) {
        if (useful_[i][call]) tools.insert(subject(i).tree.calls[call].tool);
      }
    }
    for (std::string const& tool : tools) {
      std::string const section = "tool." + toml_key(tool);
      bool const taken = std::any_of(out_.taken.begin(), out_.taken.end(), [&](Suggestion const& one) {
        return one.candidate.settings.front().section == section;
      });
      if (taken) continue;
      Freed freed{{{{section, "effect", "\"poll\""}}, tool + " was called until its answer changed", {}}, {}};
      Result<bool> const good = frees(freed);
      if (!good) return good.error();
      if (*good) out_.freed.push_back(std::move(freed));
    }
    return {};
  }

  /// Fills its calls; false when it lets a call run that was in vain, stops another one, or frees nothing.
  Result<bool> frees(Freed& freed) {
    Result<Policy> const policy = policy_.with(toml_of(freed.candidate.settings), kName);
    if (!policy) return false;
    for (std::size_t i = 0; i < count(); ++i) {
      Result<Held> const held = subject(i).judge(*policy);
      if (!held) return held.error();
      if (!std::includes(base_[i].calls.begin(), base_[i].calls.end(), held->calls.begin(), held->calls.end()))
        return false;
      for (std::uint32_t const call : base_[i].calls) {
        if (held->calls.contains(call)) continue;
        if (!useful_[i][call]) return false;
        if (i < given_.size()) freed.calls.push_back({i, call});
      }
    }
    return !freed.calls.empty();
  }

  std::span<Subject const> given_, others_;
  Policy const& policy_;
  std::vector<std::vector<bool>> useful_;
  std::vector<Held> base_;
  Suggestions out_;
};

}  // namespace

Result<Suggestions> suggest(std::span<Subject const> given, std::span<Subject const> others, Policy const& policy) {
  return Chooser(given, others, policy).run();
}

}  // namespace backedge::suggest
