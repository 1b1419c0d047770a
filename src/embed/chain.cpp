// Chains as names: digests of links go to the kernel, its verdict comes back in words. See backedge/chain.h.

#include "backedge/chain.h"

#include "base/hash.h"
#include "embed/message.h"
#include "kernel/chain.h"

namespace backedge {
namespace {

std::vector<Digest> digests(std::vector<std::string> const& links) {
  std::vector<Digest> out;
  out.reserve(links.size());
  for (std::string const& link : links) out.push_back(digest_name(link));
  return out;
}

Judged judged(kernel::EventVerdict const& v, std::string_view what, std::vector<std::string> const& links) {
  Judged out{v.word, std::string(kernel::code_text(v.code)), embed::event_text(v, what)};
  if (!out.text.empty() && !links.empty()) out.text += "; chain " + embed::path_text(links);
  return out;
}

}  // namespace

Judged Chain::hook(std::string_view name, std::string_view phase) const {
  std::string const link = "hook:" + std::string(name) + (phase.empty() ? "" : ":" + std::string(phase));
  return judged(kernel::check_hook(digests(links), digest_name(link)), link, links);
}

Judged Chain::start(std::string_view link) const {
  return judged(kernel::check_start(digests(links), digest_name(link)), link, links);
}

Judged Chain::process(std::string_view program, bool allowed, bool attended) const {
  auto const attendance = attended ? kernel::Attendance::kAttended : kernel::Attendance::kUnattended;
  return judged(kernel::check_process(digests(links), digest_name(program), allowed, attendance), program, links);
}

Judged judge_trigger(std::string_view author, std::string_view self) {
  Digest const writer =
      author.empty() ? Digest{} : digest_name(author);  // nobody known is not the same as nobody named
  return judged(kernel::check_trigger(writer, digest_name(self)), author, {});
}

}  // namespace backedge
