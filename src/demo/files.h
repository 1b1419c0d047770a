// The files of the folder demo/, which the build makes a part of the program: scripts, policies, documents, a database.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace backedge::demo {

/// By path: "1-reader/script.jsonl", "documents/privacy.md". Defined by a source that the build makes.
std::map<std::string, std::string, std::less<>> const& files();

}  // namespace backedge::demo
