// From a model's name on the command line or in the policy to the model.
//
// Tested in tests/models/open_test.cpp.
#pragma once

#include <memory>
#include <string_view>

#include "backedge/model.h"
#include "backedge/result.h"

namespace backedge::models {

/// `scripted:FILE`, `replay:FILE`, or `replay:FILE#N` for the N-th of several conversations. Errors: kUsage for any
/// other name; those of reading the file.
Result<std::shared_ptr<Model>> open_model(std::string_view spec);

}  // namespace backedge::models
