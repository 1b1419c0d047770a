#!/usr/bin/env python3
"""Writes files as C++ sources, so that the program needs none of them at run time.

    embed.py text FILE NAMESPACE FUNCTION OUT   std::string NAMESPACE::FUNCTION(): the text of the file
    embed.py page FILE OUT                      what src/graph/page.h declares as PagePart: the page, cut at the mark
                                                where the data goes
    embed.py folder FOLDER OUT                  what src/demo/files.h declares: every file below the folder but its
                                                README.md, by its path

Bytes stand there in pieces, because compilers need not take literals beyond 65,536 characters.
"""
import pathlib
import sys

MARK = b"@BACKEDGE_DATA@"
PIECE = 16000
HEAD = "// Made by cmake/embed.py; not to be edited."


def literals(data):
    """Bytes as (C++ string literal, length); what is not plain ASCII in octal, which needs no end; ? for no trigraphs."""
    for at in range(0, len(data), PIECE):
        piece = data[at:at + PIECE]
        out = []
        for byte in piece:
            if byte in (0x22, 0x5C):
                out.append("\\" + chr(byte))
            elif 0x20 <= byte < 0x7F and byte != 0x3F:
                out.append(chr(byte))
            else:
                out.append(f"\\{byte:03o}")
        yield '"' + "".join(out) + '"', len(piece)


def text(file, namespace, function):
    data = pathlib.Path(file).read_bytes()
    lines = [HEAD, "#include <string>", "", f"namespace {namespace} {{", "", f"std::string {function}();",
             f"std::string {function}() {{", "  std::string out;", f"  out.reserve({len(data)});"]
    lines += [f"  out.append({literal}, {length});" for literal, length in literals(data)]
    return lines + ["  return out;", "}", "", f"}}  // namespace {namespace}"]


def page(file):
    parts = pathlib.Path(file).read_bytes().split(MARK)
    if len(parts) != 2:
        sys.exit(f"embed: {file} has the mark {MARK.decode()} {len(parts) - 1} times, it must stand there once")
    lines = [HEAD, '#include "graph/page.h"', "", "namespace backedge::graph {", "namespace {", ""]
    for name, part in zip(("kBefore", "kAfter"), parts):
        lines.append(f"constexpr std::string_view {name}[] = {{")
        # The length stands beside it, so that a zero byte would do no harm.
        lines += [f"    {{{literal}, {length}}}," for literal, length in literals(part)]
        lines += ["};", ""]
    return lines + ["}  // namespace", "", "std::span<std::string_view const> page_part(PagePart part) {",
                    "  if (part == PagePart::kBeforeData) return kBefore;", "  return kAfter;", "}", "",
                    "}  // namespace backedge::graph"]


def folder(top):
    lines = [HEAD, '#include "demo/files.h"', "", "namespace backedge::demo {", "",
             "std::map<std::string, std::string, std::less<>> const& files() {",
             "  static std::map<std::string, std::string, std::less<>> const all = [] {",
             "    std::map<std::string, std::string, std::less<>> out;"]
    for path in sorted(p for p in pathlib.Path(top).rglob("*") if p.is_file() and p.name != "README.md"):
        name = path.relative_to(top).as_posix()
        lines += [f'    out["{name}"].append({literal}, {length});' for literal, length in literals(path.read_bytes())]
    return lines + ["    return out;", "  }();", "  return all;", "}", "", "}  // namespace backedge::demo"]


def main():
    kind, *words, out = sys.argv[1:]
    lines = {"text": text, "page": page, "folder": folder}[kind](*words)
    file = pathlib.Path(out)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n", encoding="ascii")


main()
