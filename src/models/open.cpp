// Opening models by name; see open.h.

#include "models/open.h"

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "models/replay.h"
#include "models/scripted.h"

namespace backedge::models {
namespace {

constexpr std::array<std::string_view, 2> kKinds = {"scripted", "replay"};

template <class M>
Result<std::shared_ptr<Model>> as_model(Result<std::shared_ptr<M>> made) {
  if (!made) return made.error();
  return std::shared_ptr<Model>(std::move(*made));
}

Result<std::shared_ptr<Model>> open_replay(std::string_view rest) {
  std::size_t const mark = rest.rfind('#');
  if (mark == std::string_view::npos) return as_model(ReplayModel::load(std::string(rest)));
  std::string_view const digits = rest.substr(mark + 1);
  std::size_t number = 0;
  auto const [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  bool const is_number = !digits.empty() && ec == std::errc() && end == digits.data() + digits.size() && number > 0;
  // Without a number behind it the mark is part of the name.
  if (!is_number) return as_model(ReplayModel::load(std::string(rest)));
  return as_model(ReplayModel::load(std::string(rest.substr(0, mark)), number));
}

}  // namespace

Result<std::shared_ptr<Model>> open_model(std::string_view spec) {
  std::size_t const colon = spec.find(':');
  std::string_view const kind = spec.substr(0, colon);
  std::string_view const rest = colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1);
  if (!rest.empty() && kind == "scripted") return as_model(ScriptedModel::load(std::string(rest)));
  if (!rest.empty() && kind == "replay") return open_replay(rest);
  std::vector<std::string_view> const near = nearest(kind, kKinds, 1);
  std::string const hint = near.empty() ? "" : fmt::format("; did you mean {}:FILE", near.front());
  return Error{ErrorKind::kUsage,
               fmt::format("there is no model {}: known are scripted:FILE, replay:FILE and replay:FILE#N{}",
                           in_quotes(spec, 80), hint),
               {}};
}

}  // namespace backedge::models
