#!/usr/bin/env python3
"""Does what a page of docs/ says and holds what comes of it against the page.

    pages_test.py BACKEDGE PAGE.md…

A fenced block ```LANGUAGE FILE is written to that file. In a block ```console, each line that begins with "$ " is run by
bash in the page's folder, and the lines below it must stand in its output, in their order; "…" stands for anything, within
a line or as a line of its own. Standard error is part of the output. A command that fails must say so: "$? N" as its last
line. Paths that begin with cases/ or examples/ are those of the sources.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def blocks(text):
    """(info, lines, number of the first line) of each fenced block."""
    info, lines, start = None, [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if info is None:
                info, lines, start = line[3:].strip(), [], number + 1
            else:
                yield info, lines, start
                info = None
        elif info is not None:
            lines.append(line)
    if info is not None:
        sys.exit(f"a block that begins in line {start} does not end")


def commands(lines, start):
    """(command, expected lines, line number) of a console block."""
    current = None
    for number, line in enumerate(lines, start):
        if line.startswith("$ "):
            if current:
                yield current
            current = (line[2:], [], number)
        elif current and current[0].endswith("\\") and not current[1]:
            current = (current[0][:-1] + line.strip(), [], current[2])
        elif current:
            current[1].append(line)
    if current:
        yield current


def pattern(line):
    return re.compile(".*?".join(re.escape(part) for part in line.rstrip().split("…")) + r"\s*$")


def missing(expected, output):
    """The first expected line that does not stand in the output behind those before it."""
    at = 0
    for line in expected:
        if line.strip() in ("", "…"):
            continue
        wanted = pattern(line)
        while at < len(output) and not wanted.match(output[at]):
            at += 1
        if at == len(output):
            return line
        at += 1
    return None


def run(page, backedge):
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cases", "examples"):
            os.symlink(SOURCE / name, pathlib.Path(folder) / name)
        environment = {"PATH": f"{pathlib.Path(backedge).resolve().parent}:{os.environ['PATH']}", "HOME": folder, "LC_ALL": "C.UTF-8",
                       "XDG_STATE_HOME": f"{folder}/state", "XDG_CONFIG_HOME": f"{folder}/config"}
        for info, lines, start in blocks(page.read_text(encoding="utf-8")):
            words = info.split()
            if words[:1] == ["console"]:
                for command, expected, number in commands(lines, start):
                    status = 0
                    if expected and expected[-1].startswith("$? "):
                        status = int(expected.pop()[3:])
                    result = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, timeout=120,
                                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                    if result.returncode != status:
                        sys.exit(f"{page.name}:{number}: status {result.returncode} instead of {status}: {command}\n"
                                 f"{result.stdout}")
                    line = missing(expected, result.stdout.splitlines())
                    if line is not None:
                        sys.exit(f"{page.name}:{number}: {command}\ndoes not print (or not there): {line}\n{result.stdout}")
                    done += 1
            elif len(words) == 2:
                file = pathlib.Path(folder) / words[1]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if done == 0:
        sys.exit(f"{page.name}: no command in it")
    print(f"{page.name}: {done} commands")


def main():
    for page in sys.argv[2:]:
        run(pathlib.Path(page), sys.argv[1])


main()
