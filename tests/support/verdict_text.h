// A verdict as one short text, so that whole verdicts are compared and a failure can be read.
//
//   run
//   warn repeat.range 2/4 #3 warn            the word, the code, count/limit, the earlier call, the ladder's step
//   block budget.calls 4/3 session           the scope where it is not the run
//   block repeat.cycle 5/5 p2 refuse         the period of a cycle
//   block repeat.exact 3/3 #2 refuse observed
#pragma once

#include <string>
#include <vector>

#include "kernel/finding.h"
#include "kernel/verdict.h"

namespace backedge::support {

inline std::string evidence_text(kernel::Code code, kernel::Evidence const& e) {
  std::string out;
  if (code != kernel::Code::kNone) out += " " + std::string(kernel::code_text(code));
  if (e.count != 0 || e.limit != 0) out += " " + std::to_string(e.count) + "/" + std::to_string(e.limit);
  if (e.scope == kernel::Scope::kFrame) out += " frame";
  if (e.scope == kernel::Scope::kSession) out += " session";
  if (e.period != 0) out += " p" + std::to_string(e.period);
  if (e.earlier.valid()) out += " #" + std::to_string(e.earlier.value);
  return out;
}

inline std::string text(kernel::CallVerdict const& v) {
  static constexpr std::string_view kSteps[] = {"", " warn", " refuse", " final", " stop"};
  std::string out(word_text(v.word));
  out += evidence_text(v.code, v.evidence);
  out += kSteps[static_cast<std::size_t>(v.step)];
  if (v.observed) out += " observed";
  return out;
}

inline std::string text(kernel::TurnVerdict const& v) {
  std::string out(word_text(v.word));
  out += evidence_text(v.code, v.evidence);
  if (v.observed) out += " observed";
  return out;
}

inline std::string text(kernel::EventVerdict const& v) {
  return std::string(word_text(v.word)) + evidence_text(v.code, v.evidence);
}

/// "-" for no finding; else "warn" or "act", the code, and the evidence.
inline std::string text(kernel::Finding const& f) {
  if (!f) return "-";
  kernel::Evidence e;
  e.count = f.count;
  e.limit = f.limit;
  e.period = f.period;
  e.earlier = f.earlier;
  return std::string(f.acts ? "act" : "warn") + (f.joins ? " joins" : "") + evidence_text(f.code, e);
}

using Texts = std::vector<std::string>;

inline Texts texts(std::vector<kernel::CallVerdict> const& verdicts) {
  Texts out;
  out.reserve(verdicts.size());
  for (kernel::CallVerdict const& v : verdicts) out.push_back(text(v));
  return out;
}

}  // namespace backedge::support
