// The shop's database; see shop.h.

#include "demo/shop.h"

#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <sqlite3.h>

#include "base/json.h"

namespace backedge::demo {
namespace {

namespace json = boost::json;

// One connection, used by one call at a time.
struct Shop {
  std::mutex mutex;
  sqlite3* db = nullptr;

  Shop() = default;
  Shop(Shop const&) = delete;
  Shop& operator=(Shop const&) = delete;
  ~Shop() { sqlite3_close(db); }
};

std::string column_text(sqlite3_stmt* row, int i) {
  unsigned char const* const text = sqlite3_column_text(row, i);
  return text == nullptr ? std::string() : std::string(reinterpret_cast<char const*>(text));
}

/// The one row that `sql` finds for `key`.
ToolResult find_row(Shop& shop, std::string_view sql, std::string const& key, std::string_view what) {
  std::lock_guard const lock(shop.mutex);
  sqlite3_stmt* found = nullptr;
  if (sqlite3_prepare_v2(shop.db, sql.data(), static_cast<int>(sql.size()), &found, nullptr) != SQLITE_OK)
    return ToolResult::error(sqlite3_errmsg(shop.db));
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> const row(found, sqlite3_finalize);
  sqlite3_bind_text(row.get(), 1, key.data(), static_cast<int>(key.size()), SQLITE_TRANSIENT);
  int const step = sqlite3_step(row.get());
  if (step == SQLITE_DONE) return ToolResult::error(fmt::format("there is no {} {}", what, key));
  if (step != SQLITE_ROW) return ToolResult::error(sqlite3_errmsg(shop.db));
  json::object out;
  for (int i = 0; i < sqlite3_column_count(row.get()); ++i)
    out[sqlite3_column_name(row.get(), i)] = column_text(row.get(), i);
  return {CallStatus::kOk, json::serialize(out)};
}

ToolFn finder(std::shared_ptr<Shop> shop, std::string_view sql, std::string_view argument) {
  return [shop = std::move(shop), sql, argument](ToolContext& context) -> ToolResult {
    Result<json::value> const args = parse_json(context.arguments());
    if (!args) return ToolResult::error(args.error().text());
    json::value const* const key = args->as_object().if_contains(argument);
    if (key == nullptr) return ToolResult::error(fmt::format("the argument {} is missing", argument));
    std::string const text = key->is_string() ? std::string(key->get_string()) : json::serialize(*key);
    return find_row(*shop, sql, text, argument);
  };
}

}  // namespace

Result<std::vector<std::pair<ToolSpec, ToolFn>>> shop_tools(std::filesystem::path const& file, std::string const& sql) {
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  auto shop = std::make_shared<Shop>();
  int const opened = sqlite3_open_v2(file.c_str(), &shop->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  bool const good = opened == SQLITE_OK && sqlite3_exec(shop->db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  if (!good) return Error{ErrorKind::kIo, sqlite3_errmsg(shop->db), {file.string(), 0, 0}};
  std::vector<std::pair<ToolSpec, ToolFn>> out;
  out.emplace_back(
      ToolSpec{.name = "find_order",
               .about = "The row of an order: customer, item, state.",
               .schema_json = R"({"type":"object","properties":{"order":{"type":"integer"}},"required":["order"]})"},
      finder(shop, "SELECT * FROM orders WHERE id = CAST(?1 AS INTEGER)", "order"));
  out.emplace_back(
      ToolSpec{
          .name = "find_shipment",
          .about = "The row of a shipment: order, carrier, state.",
          .schema_json = R"({"type":"object","properties":{"shipment":{"type":"string"}},"required":["shipment"]})"},
      finder(shop, "SELECT * FROM shipments WHERE id = ?1", "shipment"));
  return out;
}

}  // namespace backedge::demo
