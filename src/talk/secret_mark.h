// The mark that stands in kept texts where a secret was: [secret:1a2b3c4d].
//
// Who takes secrets out writes it (journal); who would act on a text that has lost one looks for it (agent).
#pragma once

#include <string_view>

namespace backedge::talk {

inline constexpr std::string_view kSecretMark = "[secret:";

inline bool has_lost_a_secret(std::string_view text) { return text.find(kSecretMark) != std::string_view::npos; }

}  // namespace backedge::talk
