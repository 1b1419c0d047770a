// The quick yes: an object of plain arguments against a flat schema, without the validator.
//
// Flat is an object whose properties are told by nothing but type, a list of strings (enum), minimum, maximum, and the
// type of items; most tools are that. What this accepts, the validator accepts; what it does not accept, the validator
// judges again and explains. Immutable. Tested in tests/facts/schema_test.cpp, against the validator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

namespace backedge::facts {

class FlatSchema {
 public:
  /// None when the schema says more than a flat one. `schema` comes from read_schema.
  static std::optional<FlatSchema> from(boost::json::object const& schema);

  /// True: valid. False: perhaps not. Cost: about 20 ns a member.
  bool accepts(boost::json::value const& arguments) const;

  /// True when every object is accepted.
  bool takes_any_object() const { return properties_.empty() && required_ == 0 && open_; }

 private:
  using Types = std::uint8_t;  // one bit a type

  struct Property {
    std::string name;
    Types types = 0;
    Types item_types = 0;
    std::vector<std::string> choices;  // empty: any
    std::optional<double> minimum;
    std::optional<double> maximum;
  };

  static std::optional<Property> read_property(std::string_view name, boost::json::value const& schema);
  static bool fits(Property const& property, boost::json::value const& value);
  static Types read_types(boost::json::value const& type);
  static Types type_of(boost::json::value const& value);

  std::vector<Property> properties_;
  std::uint64_t required_ = 0;  // one bit a property
  bool open_ = true;            // takes members that no property names
};

}  // namespace backedge::facts
