// Room for columns; see columns.h.

#include "cli/columns.h"

#include <algorithm>
#include <ostream>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace backedge::cli {
namespace {

std::string cut_to(std::string const& text, std::size_t characters) {
  if (cut(text, characters).size() == text.size()) return text;
  return characters == 0 ? std::string() : std::string(cut(text, characters - 1)) + "…";
}

std::string padded(std::string const& text, Column const& column) {
  return column.right ? fmt::format("{:>{}}", text, column.width) : fmt::format("{:<{}}", text, column.width);
}

std::string painted(std::string text, std::string_view colour, Paint const& paint) {
  if (colour == "red") return paint.red(std::move(text));
  return colour == "yellow" ? paint.yellow(std::move(text)) : text;
}

}  // namespace

Columns::Columns(std::vector<Column> columns, std::size_t most)
    : columns_(std::move(columns)), shown_(columns_.size(), true), most_(most) {
  if (most_ != 0) make_room();
}

std::size_t Columns::taken() const {
  std::size_t out = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (shown_[i]) out += columns_[i].width + (out == 0 ? 0 : columns_[i].gap);
  }
  return out;
}

// Cells are cut first, from the right; then the column that matters least goes, and what is left may be wide again.
void Columns::make_room() {
  std::vector<Column> const wide = columns_;
  while (true) {
    for (std::size_t i = columns_.size(); i > 0 && taken() > most_; --i) {
      Column& column = columns_[i - 1];
      if (!shown_[i - 1] || column.least == 0 || column.least >= column.width) continue;
      column.width = std::max(column.least, column.width - std::min(column.width, taken() - most_));
    }
    if (taken() <= most_ || std::count(shown_.begin(), shown_.end(), true) == 1) return;
    std::size_t least = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (shown_[i] && (least == columns_.size() || columns_[i].keeps < columns_[least].keeps)) least = i;
    }
    columns_ = wide;
    shown_[least] = false;
  }
}

void Columns::head(Paint const& paint, std::ostream& out) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!shown_[i]) continue;
    if (!line.empty()) line.append(columns_[i].gap, ' ');
    bool const last = i + 1 == columns_.size();
    line += last ? columns_[i].title : padded(columns_[i].title, columns_[i]);
  }
  out << paint.bold(most_ == 0 ? line : cut_to(line, most_)) << '\n';
}

void Columns::row(std::vector<Cell> const& cells, Paint const& paint, std::ostream& out) const {
  std::string blanks;  // before the next cell
  for (std::size_t i = 0; i < columns_.size() && i < cells.size(); ++i) {
    if (!shown_[i]) continue;
    Column const& column = columns_[i];
    std::string text = cells[i].text;
    std::string note = cells[i].note;
    bool const last = i + 1 == columns_.size();
    std::string both = text;
    both += note;
    if (most_ != 0 && cut(both, column.width).size() < both.size()) {
      text = cut_to(both, column.width);
      note.clear();
    }
    out << blanks << painted(last ? text : padded(text, column), cells[i].colour, paint) << paint.dim(note);
    std::size_t next = i + 1;
    while (next < columns_.size() && !shown_[next]) ++next;
    blanks = next < columns_.size() ? std::string(columns_[next].gap, ' ') : std::string();
  }
  out << '\n';
}

}  // namespace backedge::cli
