// A table for a terminal: whole where it may be as wide as it likes, else with cells cut and columns left out.
//
// Tested in tests/cli/columns_test.cpp.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/journal_file.h"

namespace backedge::cli {

struct Column {
  std::string title;
  std::size_t width = 0;  // characters; a longer cell moves what follows, unless it is cut
  bool right = false;     // numbers: to the right
  std::size_t gap = 1;    // blanks before it
  int keeps = 0;          // columns with less of it go first when there is no room
  std::size_t least = 0;  // it may be cut to that; 0: never
};

struct Cell {
  std::string text;
  std::string note;         // behind the text, dim
  char const* colour = "";  // "red", "yellow"
};

class Columns {
 public:
  /// `most`: characters of a line; 0: as many as it takes. The last column has no width of its own: it takes what its
  /// cells take, `width` of them when that is scarce.
  Columns(std::vector<Column> columns, std::size_t most);

  void head(Paint const& paint, std::ostream& out) const;
  /// As many cells as there are columns.
  void row(std::vector<Cell> const& cells, Paint const& paint, std::ostream& out) const;

 private:
  std::size_t taken() const;
  void make_room();

  std::vector<Column> columns_;
  std::vector<bool> shown_;
  std::size_t most_;
};

}  // namespace backedge::cli
