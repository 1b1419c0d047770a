#!/usr/bin/env python3
"""Writes a built page as a C++ source: embed_page.py PAGE OUT.

The page is cut at the mark where the data goes; OUT defines what src/graph/page.h declares as PagePart. Pieces are
short, because compilers need not take literals beyond 65,536 characters.
"""
import pathlib
import sys

MARK = b"@BACKEDGE_DATA@"
PIECE = 16000


def literal(piece):
    """Bytes as a C++ string literal: everything that is not plain ASCII in octal, which needs no end."""
    out = []
    for byte in piece:
        if byte in (0x22, 0x5C):
            out.append("\\" + chr(byte))
        elif byte == 0x3F:
            out.append("\\?")  # no trigraphs
        elif 0x20 <= byte < 0x7F:
            out.append(chr(byte))
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def main():
    page = pathlib.Path(sys.argv[1]).read_bytes()
    parts = page.split(MARK)
    if len(parts) != 2:
        sys.exit(f"embed_page: {sys.argv[1]} has the mark {MARK.decode()} {len(parts) - 1} times, it must stand there once")
    lines = ["// The call-graph page, made by cmake/embed_page.py of web/; not to be edited.", "",
             '#include "graph/page.h"', "", "namespace backedge::graph {", "namespace {", ""]
    names = []
    for p, part in enumerate(parts):
        pieces = [part[i:i + PIECE] for i in range(0, len(part), PIECE)]
        names.append(f"kPart{p}")
        lines.append(f"constexpr std::string_view kPart{p}[] = {{")
        # The length stands beside it, so that a zero byte would do no harm.
        lines += [f"    {{{literal(piece)}, {len(piece)}}}," for piece in pieces]
        lines += ["};", ""]
    lines += ["}  // namespace", "",
              f"std::span<std::string_view const> page_part(PagePart part) {{",
              f"  return part == PagePart::kBeforeData ? std::span<std::string_view const>({names[0]})",
              f"                                       : std::span<std::string_view const>({names[1]});", "}", "",
              "}  // namespace backedge::graph", ""]
    pathlib.Path(sys.argv[2]).write_text("\n".join(lines), encoding="ascii")


main()
