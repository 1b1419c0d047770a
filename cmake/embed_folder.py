#!/usr/bin/env python3
"""Writes the files of a folder as a C++ source: embed_folder.py FOLDER OUT.

OUT defines what src/demo/files.h declares: every file below FOLDER but its README.md, by its path, in the order of the
paths. Pieces are short, because compilers need not take literals beyond 65,536 characters.
"""
import pathlib
import sys

PIECE = 16000


def literal(piece):
    out = []
    for byte in piece:
        if byte in (0x22, 0x5C):
            out.append("\\" + chr(byte))
        elif 0x20 <= byte < 0x7F and byte != 0x3F:
            out.append(chr(byte))
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def main():
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "README.md")
    lines = ["// Made by cmake/embed_folder.py; not to be edited.", "", '#include "demo/files.h"', "",
             "namespace backedge::demo {", "", "std::map<std::string, std::string, std::less<>> const& files() {",
             "  static std::map<std::string, std::string, std::less<>> const all = [] {",
             "    std::map<std::string, std::string, std::less<>> out;"]
    for path in files:
        data = path.read_bytes()
        lines.append(f'    std::string& f{len(lines)} = out["{path.relative_to(folder).as_posix()}"];')
        name = f"f{len(lines) - 1}"
        for at in range(0, len(data), PIECE):
            piece = data[at:at + PIECE]
            lines.append(f"    {name}.append({literal(piece)}, {len(piece)});")
    lines += ["    return out;", "  }();", "  return all;", "}", "", "}  // namespace backedge::demo", ""]
    out.write_text("\n".join(lines), encoding="ascii")


main()
