#include "facts/schema_document.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/json.h"
#include "base/text.h"

namespace backedge::facts {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxNesting = 64;
constexpr std::size_t kMaxReferenceDepth = 256;
constexpr std::size_t kMaxChain = 64;
constexpr std::size_t kMaxVisits = 4'096;
constexpr std::size_t kMaxLevelFrames = 1'024;
constexpr double kMaxBranches = 100'000;

/// What the value of a keyword is, and which value its schemas judge: the same one, or a part of it.
enum class Form : std::uint8_t {
  kType,
  kAny,
  kList,
  kNames,
  kNumber,
  kPositive,
  kCount,
  kPattern,
  kSame,          // a schema for the same value
  kSameList,      // a list of them
  kPart,          // a schema for a part of the value
  kPartOrList,    // one, or a list of them
  kPartMap,       // name → schema for a part
  kDefinitions,   // name → schema that only a $ref applies
  kDependencies,  // name → list of names, or a schema for the same value
};

struct Keyword {
  std::string_view name;
  Form form;
};

constexpr auto kKeywords = std::to_array<Keyword>({
    {"type", Form::kType},
    {"enum", Form::kList},
    {"const", Form::kAny},
    {"required", Form::kNames},
    {"minimum", Form::kNumber},
    {"maximum", Form::kNumber},
    {"exclusiveMinimum", Form::kNumber},
    {"exclusiveMaximum", Form::kNumber},
    {"multipleOf", Form::kPositive},
    {"minLength", Form::kCount},
    {"maxLength", Form::kCount},
    {"minItems", Form::kCount},
    {"maxItems", Form::kCount},
    {"minProperties", Form::kCount},
    {"maxProperties", Form::kCount},
    {"pattern", Form::kPattern},
    {"not", Form::kSame},
    {"if", Form::kSame},
    {"then", Form::kSame},
    {"else", Form::kSame},
    {"allOf", Form::kSameList},
    {"anyOf", Form::kSameList},
    {"oneOf", Form::kSameList},
    {"items", Form::kPartOrList},
    {"additionalItems", Form::kPart},
    {"contains", Form::kPart},
    {"propertyNames", Form::kPart},
    {"additionalProperties", Form::kPart},
    {"properties", Form::kPartMap},
    {"definitions", Form::kDefinitions},
    {"$defs", Form::kDefinitions},
    {"dependencies", Form::kDependencies},
});

constexpr auto kTypes =
    std::to_array<std::string_view>({"string", "integer", "number", "boolean", "object", "array", "null"});

Keyword const* find_keyword(std::string_view name) {
  auto const found = std::ranges::find(kKeywords, name, &Keyword::name);
  return found == kKeywords.end() ? nullptr : &*found;
}

Error fault(std::string_view pointer, std::string_view what) {
  return {
      ErrorKind::kUsage, fmt::format("schema at {}: {}", in_quotes(pointer.empty() ? "/" : pointer, 200), what), {}};
}

std::string below(std::string_view pointer, std::string_view name) {
  std::string out = fmt::format("{}/", pointer);
  for (char const c : name) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

bool is_schema(json::value const& value) { return value.is_object() || value.is_bool(); }

Error no_schema(std::string_view pointer) { return fault(pointer, "a schema is an object, or true or false"); }

// A schema of the document, what it applies, and what is known of its cost.
struct Node {
  std::string pointer;  // by which it is known: cleaning a schema moves those in it
  bool is_target = false;
  std::size_t around = 0;  // the schema that applies it from around it, or itself
  std::size_t nesting = 0;
  std::vector<std::size_t> same;   // schemas for the same value
  std::vector<std::size_t> parts;  // schemas for parts of the value
  std::size_t descents = 0;        // how often one part may be judged, by this schema itself
  // Of this schema and all that it applies to the same value:
  std::size_t chain = 0;
  std::size_t visits = 0;
  std::size_t branches = 0;
};

class DocumentReader {
 public:
  explicit DocumentReader(json::value root) : root_(std::move(root)) {}

  Result<SchemaDocument> read() {
    if (!root_.is_object()) return fault("", "a schema of arguments is an object");
    add("", 0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (Result<void> const ok = clean(i); !ok) return ok.error();
      if (i + 1 == nodes_.size()) {
        if (Result<void> const ok = resolve(); !ok) return ok.error();
      }
    }
    if (Result<void> const ok = weigh(); !ok) return ok.error();
    return SchemaDocument{std::move(root_), levels()};
  }

 private:
  std::size_t add(std::string const& pointer, std::size_t nesting) {
    auto const [at, fresh] = index_.emplace(pointer, nodes_.size());
    if (fresh) nodes_.push_back({.pointer = pointer, .around = nodes_.size(), .nesting = nesting});
    return at->second;
  }

  // Null when the schema around it has been cleaned of it since.
  json::value* schema(std::string_view pointer) {
    json::error_code ec;
    json::value* const found = root_.find_pointer(pointer, ec);
    return found != nullptr && is_schema(*found) ? found : nullptr;
  }

  Result<void> clean(std::size_t i) {
    if (nodes_[i].nesting > kMaxNesting)
      return fault(nodes_[i].pointer, fmt::format("schemas nest deeper than {} levels", kMaxNesting));
    json::value* const found = schema(nodes_[i].pointer);
    if (found == nullptr) return no_schema(nodes_[i].pointer);
    if (found->is_bool()) return {};
    json::object& object = found->get_object();
    if (json::value const* const reference = object.if_contains("$ref")) {
      if (!reference->is_string()) return fault(below(nodes_[i].pointer, "$ref"), "a reference is a string");
      // Draft 7 ignores what stands beside a $ref, but definitions may stand there.
      open_references_.emplace_back(i, std::string(reference->get_string()));
      keep_only(object, {"$ref", "definitions", "$defs"});
    } else {
      modernise(object);
      if (object.contains("patternProperties")) object.erase("additionalProperties");
      for (json::key_value_pair const& member : object) names_.emplace_back(member.key());
      for (std::string const& name : names_) {
        // Unknown containers stay: a $ref may lead into them.
        bool const container = object.at(name).is_object() && name != "default" && name != "examples" &&
                               name != "patternProperties" && name != kPatternKeyword;
        if (find_keyword(name) == nullptr && !container) object.erase(name);
      }
      names_.clear();
      if (json::value const* const pattern = object.if_contains("pattern")) {
        json::value moved = *pattern;
        object.erase("pattern");
        object[kPatternKeyword] = std::move(moved);
      }
    }
    for (json::key_value_pair& member : object) {
      std::string_view const name = member.key();
      Keyword const* const keyword = find_keyword(name == kPatternKeyword ? std::string_view("pattern") : name);
      if (keyword == nullptr) continue;
      if (Result<void> const ok = judge(i, *keyword, member.value()); !ok) return ok;
    }
    std::size_t descents = object.contains("contains") ? 1 : 0;
    if (object.contains("items") || object.contains("properties") || object.contains("additionalProperties"))
      ++descents;
    nodes_[i].descents = descents;
    return {};
  }

  static void keep_only(json::object& object, std::initializer_list<std::string_view> names) {
    json::object kept(object.storage());
    for (std::string_view const name : names) {
      if (json::value* const value = object.if_contains(name)) kept.emplace(name, std::move(*value));
    }
    object = std::move(kept);
  }

  // Drafts 4 and 2020-12 in the words of draft 7.
  static void modernise(json::object& object) {
    for (auto const& [bound, exclusive] :
         {std::pair{"minimum", "exclusiveMinimum"}, std::pair{"maximum", "exclusiveMaximum"}}) {
      json::value const* const flag = object.if_contains(exclusive);
      if (flag == nullptr || !flag->is_bool()) continue;
      bool const strict = flag->get_bool();
      object.erase(exclusive);
      if (!strict || !object.contains(bound)) continue;
      json::value moved = object.at(bound);
      object.erase(bound);
      object[exclusive] = std::move(moved);
    }
    if (json::value const* const prefix = object.if_contains("prefixItems"); prefix != nullptr && prefix->is_array()) {
      json::value first = *prefix;
      object.erase("prefixItems");
      if (json::value const* const rest = object.if_contains("items")) {
        json::value moved = *rest;
        object["additionalItems"] = std::move(moved);
      }
      object["items"] = std::move(first);
    }
  }

  Result<void> judge(std::size_t i, Keyword const& keyword, json::value& value) {
    std::string const pointer = below(nodes_[i].pointer, keyword.name);
    switch (keyword.form) {
      case Form::kAny: return {};
      case Form::kType: return judge_type(pointer, value);
      case Form::kList:
        if (!value.is_array() || value.get_array().empty()) return fault(pointer, "needs a list of at least one value");
        return {};
      case Form::kNames: return judge_names(pointer, value);
      case Form::kNumber:
        if (!value.is_number()) return fault(pointer, "needs a number");
        return {};
      case Form::kPositive:
        if (!value.is_number() || !(value.to_number<double>() > 0)) return fault(pointer, "needs a number above 0");
        value = value.to_number<double>();  // the validator's integer division knows no fractions
        return {};
      case Form::kCount: return judge_count(pointer, value);
      case Form::kPattern: return judge_pattern(pointer, value);
      default: return judge_schemas(i, keyword.form, pointer, value);
    }
  }

  static Result<void> judge_type(std::string const& pointer, json::value const& value) {
    auto const known = [](json::value const& type) {
      return type.is_string() && std::ranges::find(kTypes, std::string_view(type.get_string())) != kTypes.end();
    };
    bool const good =
        value.is_array() ? !value.get_array().empty() && std::ranges::all_of(value.get_array(), known) : known(value);
    if (!good) {
      return fault(pointer, fmt::format("{} is no type (known: string, integer, number, boolean, object, array, null)",
                                        cut(json::serialize(value), 80)));
    }
    return {};
  }

  static Result<void> judge_names(std::string const& pointer, json::value const& value) {
    bool const good = value.is_array() &&
                      std::ranges::all_of(value.get_array(), [](json::value const& name) { return name.is_string(); });
    if (!good) return fault(pointer, "needs a list of names");
    return {};
  }

  static Result<void> judge_count(std::string const& pointer, json::value& value) {
    if (value.is_double()) {
      double const d = value.get_double();
      if (d >= 0 && d < 9e15 && d == std::floor(d)) value = static_cast<std::int64_t>(d);
    }
    if (!value.is_int64() || value.get_int64() < 0) return fault(pointer, "needs a whole number, 0 or more");
    return {};
  }

  static Result<void> judge_pattern(std::string const& pointer, json::value const& value) {
    if (!value.is_string()) return fault(pointer, "needs a regular expression");
    RE2 const pattern(re2::StringPiece(value.get_string().data(), value.get_string().size()), RE2::Quiet);
    if (pattern.ok()) return {};
    return fault(pointer, fmt::format("RE2 does not take this pattern: {}", cut(pattern.error(), 200)));
  }

  Result<void> judge_schemas(std::size_t i, Form form, std::string const& pointer, json::value const& value) {
    std::size_t const nesting = nodes_[i].nesting + 1;
    auto const take = [&](json::value const& part, std::string const& where, bool same, bool applied) -> Result<void> {
      if (!is_schema(part)) return no_schema(where);
      std::size_t const child = add(where, nesting);
      if (applied) nodes_[child].around = i;
      if (applied) (same ? nodes_[i].same : nodes_[i].parts).push_back(child);
      return {};
    };
    auto const take_list = [&](bool same) -> Result<void> {
      std::size_t n = 0;
      for (json::value const& part : value.get_array()) {
        if (Result<void> const ok = take(part, below(pointer, std::to_string(n++)), same, true); !ok) return ok;
      }
      return {};
    };
    switch (form) {
      case Form::kSame: return take(value, pointer, true, true);
      case Form::kPart: return take(value, pointer, false, true);
      case Form::kSameList:
        if (!value.is_array() || value.get_array().empty())
          return fault(pointer, "needs a list of at least one schema");
        return take_list(true);
      case Form::kPartOrList: return value.is_array() ? take_list(false) : take(value, pointer, false, true);
      default: break;
    }
    if (!value.is_object()) return fault(pointer, "needs an object of schemas");
    for (json::key_value_pair const& member : value.get_object()) {
      std::string const where = below(pointer, member.key());
      if (form == Form::kDependencies && member.value().is_array()) {
        if (Result<void> const ok = judge_names(where, member.value()); !ok) return ok;
        continue;
      }
      Result<void> const ok = take(member.value(), where, form == Form::kDependencies, form != Form::kDefinitions);
      if (!ok) return ok;
    }
    return {};
  }

  // Turns the references seen so far into edges; their targets may be schemas that nobody has looked at yet.
  Result<void> resolve() {
    for (auto const& [i, text] : std::exchange(open_references_, {})) {
      std::string const where = below(nodes_[i].pointer, "$ref");
      if (!text.starts_with('#')) {
        return fault(where, fmt::format("{} leaves the document, and nothing is fetched; copy what it names to /$defs",
                                        in_quotes(text)));
      }
      std::string const pointer = text.substr(1);
      // A closing slash and percent signs are read in more than one way.
      bool const plain = (pointer.empty() || pointer.starts_with('/')) && !pointer.ends_with('/') &&
                         pointer.find('%') == std::string::npos;
      if (!plain || schema(pointer) == nullptr)
        return fault(where, fmt::format("{} names no schema of this document", in_quotes(text)));
      std::size_t const to = add(pointer, nodes_[i].nesting + 1);
      nodes_[i].same.push_back(to);
      nodes_[to].is_target = true;
    }
    return {};
  }

  // The compiler goes down from the root, and once from each target of a reference.
  Result<void> bound_references() const {
    std::vector<std::size_t> heights(nodes_.size(), 0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      std::size_t at = i;
      for (std::size_t height = 1; height <= kMaxNesting + 1; ++height) {
        if (at == 0 || nodes_[at].is_target) heights[at] = std::max(heights[at], height);
        if (at == 0 || nodes_[at].around == at) break;
        at = nodes_[at].around;
      }
    }
    std::size_t const all = std::accumulate(heights.begin(), heights.end(), std::size_t{0});
    if (all <= kMaxReferenceDepth) return {};
    return fault(
        "", fmt::format("the schemas that references lead to have {} levels together, the limit is {}; simplify it",
                        all, kMaxReferenceDepth));
  }

  Result<void> weigh() {
    if (Result<void> const ok = bound_references(); !ok) return ok;
    enum class Mark : std::uint8_t { kNew, kOpen, kDone };
    std::vector<Mark> marks(nodes_.size(), Mark::kNew);
    struct Step {
      std::size_t node;
      std::size_t next;
    };
    std::vector<Step> stack;
    for (std::size_t start = 0; start < nodes_.size(); ++start) {
      if (marks[start] != Mark::kNew) continue;
      marks[start] = Mark::kOpen;
      stack.push_back({start, 0});
      while (!stack.empty()) {
        Step& step = stack.back();
        Node& node = nodes_[step.node];
        if (step.next < node.same.size()) {
          std::size_t const child = node.same[step.next++];
          if (marks[child] == Mark::kOpen)
            return fault(node.pointer,
                         "applies itself to the same value without end; let it go through a property or an item");
          if (marks[child] == Mark::kNew) {
            marks[child] = Mark::kOpen;
            stack.push_back({child, 0});
          }
          continue;
        }
        if (Result<void> const ok = sum(node); !ok) return ok;
        marks[step.node] = Mark::kDone;
        stack.pop_back();
      }
    }
    return {};
  }

  // The figures of a node whose children are known.
  Result<void> sum(Node& node) const {
    node.chain = node.visits = 1;
    node.branches = node.descents;
    for (std::size_t const child : node.same) {
      node.chain = std::max(node.chain, nodes_[child].chain + 1);
      node.visits += nodes_[child].visits;
      node.branches += nodes_[child].branches;
    }
    if (node.chain > kMaxChain)
      return fault(node.pointer, fmt::format("more than {} schemas within each other for one value", kMaxChain));
    if (node.visits > kMaxVisits)
      return fault(node.pointer, fmt::format("more than {} schemas for one value", kMaxVisits));
    return {};
  }

  std::size_t levels() const {
    std::size_t chain = 1;
    std::size_t branches = 1;
    for (Node const& node : nodes_) {
      chain = std::max(chain, node.chain);
      branches = std::max(branches, node.branches);
    }
    std::size_t out = kMaxLevelFrames / chain;
    if (branches > 1) {
      auto const by_work = static_cast<std::size_t>(std::log(kMaxBranches) / std::log(static_cast<double>(branches)));
      out = std::min(out, std::max<std::size_t>(by_work, 2));
    }
    return std::min(out, kMaxJsonDepth);
  }

  json::value root_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::pair<std::size_t, std::string>> open_references_;
  std::vector<std::string> names_;
};

}  // namespace

Result<SchemaDocument> read_schema(std::string_view schema_json) {
  Result<json::value> root = parse_json(schema_json, "schema");
  if (!root)
    return Error{ErrorKind::kUsage, fmt::format("schema is no JSON: {}", root.error().detail), root.error().where};
  return DocumentReader(std::move(*root)).read();
}

json::value const* follow_references(json::value const& document, json::value const& schema) {
  json::value const* at = &schema;
  // A cycle of references was refused, so no walk is longer than the chain.
  for (std::size_t i = 0; i < kMaxChain; ++i) {
    json::object const* const object = at->if_object();
    json::value const* const reference = object == nullptr ? nullptr : object->if_contains("$ref");
    if (reference == nullptr) return at;
    json::error_code ec;
    at = document.find_pointer(std::string_view(reference->get_string()).substr(1), ec);
    if (at == nullptr) return nullptr;
  }
  return nullptr;
}

}  // namespace backedge::facts
