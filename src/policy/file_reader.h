// One pass over the tree of a policy file: checks every member against the keys and fills a table.
//
// A reader is used for one file and then thrown away. It never stops at an error: what can be read is read, so that one
// run of `policy check` names everything that is wrong. Tested in tests/policy/table_test.cpp.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "policy/key.h"
#include "policy/table.h"
#include "policy/toml_document.h"
#include "policy/value.h"

namespace backedge::policy {

class FileReader {
 public:
  FileReader(std::string file, Table base);
  Reading read(std::string_view toml) &&;

 private:
  /// Where the keys of a contract stand. An empty path: their sources are not kept one by one.
  struct Scope {
    std::string label;  // "[tool.Bash]", for messages
    std::string path;   // "tool.Bash", for sources
  };
  struct OpenSection {
    Section const* section;
    Node const* node;
  };
  using Names = std::vector<std::string_view>;

  void read_root(Node const& root);
  /// Reads the keys of a section and puts its inner sections on the list.
  void read_section(OpenSection const& section, std::vector<OpenSection>& open);
  void read_per_tool(Node const& node);
  void read_agents(Node const& node);
  void read_agent(Member const& member);
  void read_tools(Node const& node);
  void read_tool(Member const& member);
  void read_contract_member(Scope const& scope, Member const& member, Contract& contract, Names const& also_known);
  void read_contract_group(Scope const& scope, Member const& group, Contract& contract);
  void read_when_list(Scope const& scope, Member const& member, Contract& contract);
  void read_when(Scope const& scope, Node const& node, ConditionalContract& when);

  // route_reader.cpp
  void read_routes(Member const& member);
  void read_route(Node const& node);
  void read_tests(Member const& member, TestList const& list, RouteSettings& rule);
  void read_test(std::string const& label, Node const& node, bool may_be_same, ValueTest& test);
  void check_route(Place place, RouteSettings const& rule);
  void keep_route(Place place, RouteSettings rule);
  void read_stages(Node const& node);
  void read_stage(Member const& member);
  void check_stages();
  void check_stage_name(std::string_view section, std::string_view key, std::string const& name, Place place);
  /// Where a rule or stage stands in this file; else, for what an earlier file said, where this file speaks of any.
  Place place_of(std::string const& path) const;

  void check_thresholds();
  void check_range(Scope const& scope, Place place, Contract const& contract);
  void check_when(Scope const& scope, Place place, ConditionalContract const& when);
  /// What only the book of contracts can tell: patterns that do not compile, too many pointers.
  void check_by_book(Place place, std::string const& tool, Contract const& contract);

  /// Sets one value; false after an error.
  template <class Owner>
  bool take(Key<Owner> const& key, std::string const& label, Member const& member, Owner& owner);
  /// Remembers that `path`.`name` comes from this place of the file.
  void remember(std::string const& path, std::string_view name, Place place);
  bool is_section(std::string const& path, Member const& member);
  void unknown(std::string const& path, std::string const& label, Member const& member, Names const& known);
  void fail(Place place, std::string detail);
  std::string source(Place place) const { return fmt::format("{}:{}", file_, place.line); }

  std::string file_;
  Reading out_;
  std::map<std::string, Place, std::less<>> set_here_;
};

template <class Owner>
bool FileReader::take(Key<Owner> const& key, std::string const& label, Member const& member, Owner& owner) {
  Result<Value> const value = read_value(key.form, member.node);
  if (!value) {
    Where const& where = value.error().where;
    fail({where.line, where.column}, fmt::format("'{}' in {} {}", key.name, label, value.error().detail));
    return false;
  }
  key.set(owner, *value, source(member.place));
  ++out_.settings;
  return true;
}

}  // namespace backedge::policy
