// A program of a user: the installed headers and the installed library, nothing else.
#include <iostream>

#include <backedge/result.h>

int main() {
  backedge::Result<int> const calls = 12;
  backedge::Result<int> const failed = backedge::Error{backedge::ErrorKind::kNotFound, "no such run", {}};
  if (!calls.ok() || failed.ok()) return 1;
  std::cout << "calls: " << calls.value() << "; error: " << failed.error().text() << "\n";
  return 0;
}
