// The policy's own documents: the commented file that `init` writes, and the reference page docs/policy.md.
//
// Both are written from the keys, so they name exactly what is parsed. In the commented file a line that begins with
// "#" and no space is a setting at its default: taking the "#" away changes nothing. Tested in
// tests/policy/reference_test.cpp.
#pragma once

#include <string>

namespace backedge::policy {

/// A backedge.toml in which every key stands commented out at its default.
std::string template_file();

/// docs/policy.md.
std::string reference_markdown();

}  // namespace backedge::policy
