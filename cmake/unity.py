#!/usr/bin/env python3
"""Which sources of a target can be compiled as one: unity.py FOLDER… -- SOURCE… prints a group's number for each source.

Sources of one group share one scope, so no name that one of them declares for itself may be known to another. The names are
read from the text, which the format makes easy: a declaration at namespace scope begins in the first column. A name too many
costs a group more, a name missed is an error of the compiler, never a program that does something else: then rename it.
FOLDERs are where #include "…" looks.
"""
import pathlib
import re
import sys

MOST = 10  # sources in a group: two processors shall have something to do each, and a compiler has some memory

OWN_TYPE = re.compile(r"^(?:struct|class|union|enum(?: class)?)\s+(\w+)\b(?!\s*;)")
OWN_NAME = re.compile(r"^(?!using |(?:inline )?namespace\b|template|return |typedef |extern |friend |TEST|RC_|BENCHMARK)"
                      r"[A-Za-z_][^({=;]*?[\s>*&]((?:\w+::)*\w+)\s*(?:\[[^]]*\])?\s*[({=;]")
OWN_OTHER = re.compile(r"^(?:using|#define)\s+(\w+)\b(?!::)")
TAKEN = re.compile(r"^using\s+(?:\w+::)+(\w+);")
INCLUDED = re.compile(r'^#include "([^"]+)"')


class Names:
    """What a file declares, what it takes from elsewhere by name, and what its headers declare."""

    def __init__(self, path, folders, headers):
        self.own, self.seen, self.taken = set(), set(), set()
        for line in path.read_text(encoding="utf-8").splitlines():
            if include := INCLUDED.match(line):
                self.seen |= header_names(include[1], path, folders, headers)
            elif taken := TAKEN.match(line):
                self.taken.add(taken[1])
            elif own := OWN_TYPE.match(line) or OWN_OTHER.match(line) or OWN_NAME.match(line):
                if "::" not in own[1]:
                    self.own.add(own[1])
        self.all = set(self.own)
        self.own -= self.seen  # what a header declares and the source defines is the same for all

    def clash(self, other):
        return (self.own & (other.own | other.seen) or other.own & self.seen
                or self.all & other.taken or other.all & self.taken)


def header_names(name, includer, folders, headers):
    """All that a header of the project brings; nothing for one of another library."""
    path = next((f / name for f in [includer.parent, *folders] if (f / name).is_file()), None)
    if path is None:
        return set()
    if path not in headers:
        headers[path] = set()  # a header that includes itself ends here
        names = Names(path, folders, headers)
        headers[path] = names.all | names.seen
    return headers[path]


def main():
    split = sys.argv.index("--")
    folders = [pathlib.Path(f) for f in sys.argv[1:split]]
    groups, headers, numbers = [], {}, []
    for source in sys.argv[split + 1:]:
        names = Names(pathlib.Path(source), folders, headers)
        fits = (i for i, g in enumerate(groups) if len(g) < MOST and not any(names.clash(other) for other in g))
        number = next(fits, len(groups))
        if number == len(groups):
            groups.append([])
        groups[number].append(names)
        numbers.append(str(number))
    print(";".join(numbers))


main()
