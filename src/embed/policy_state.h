// What a Policy holds: the table of values and the book of contracts compiled from it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "backedge/policy.h"
#include "embed/reader_pool.h"
#include "facts/book.h"
#include "policy/table.h"
#include "route/rules.h"

namespace backedge::embed {

struct PolicyState {
  policy::Table table;
  kernel::Settings effective;                  // those of the table, with the limit of turns that `expected` makes
  std::shared_ptr<route::Rules const> routes;  // null without rules and stages
  std::map<std::string, Contract, std::less<>> by_code;
  facts::ContractBook book = facts::ContractBook::blank();
  mutable ReaderPool readers;  // of the book, for all runs under this policy
  mutable std::once_flag contracts_once;
  mutable std::string contracts;

  /// The kernel's settings, kept alive with the policy that holds them.
  static kernel::SharedSettings settings(Policy const& policy) {
    return kernel::SharedSettings({policy.state_, &policy.state_->effective});
  }
  /// A reader of the book, and what a round takes, until the end of the scope.
  ReaderPool::Loan borrow_desk() const { return readers.borrow(book); }

  /// What code declared of tools, as [tool.NAME] of a policy file; made once a policy. Empty when there is none.
  std::string const& contracts_text() const;
  /// The policy with such a text as what code declared. Errors: kPolicy, kUsage.
  static Result<Policy> with_contracts(Policy const& policy, std::string_view text);

  /// `book`: to declare into; its code and policy layers are overwritten tool by tool, never emptied. Errors: kPolicy
  /// or kUsage, when a contract does not compile.
  static Result<Policy> make(policy::Table table, std::map<std::string, Contract, std::less<>> by_code,
                             facts::ContractBook book);
};

}  // namespace backedge::embed
