#!/usr/bin/env python3
"""scripts/check-floors against small trees: each breach is named with file, line and advice; sound trees pass."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-floors"


def judge(files, *options):
    """Writes the files (path: text) into a fresh tree; the status and the printed lines of the judge."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in ("src", "include/backedge"):
            (root / name).mkdir(parents=True)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, SCRIPT, "--root", root, *options], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()


class Floors(unittest.TestCase):
    def assert_sound(self, files):
        status, lines = judge(files)
        self.assertEqual(0, status, lines)

    def assert_breach(self, files, place, words):
        status, lines = judge(files)
        self.assertEqual(1, status, lines)
        self.assertEqual(1, len(lines), lines)
        self.assertTrue(lines[0].startswith(place + ": "), lines[0])
        self.assertIn(words, lines[0])
        self.assertIn("so ", lines[0])

    def test_an_empty_tree_passes(self):
        self.assert_sound({})

    def test_includes_that_point_down_pass(self):
        self.assert_sound({
            "src/cli/main.cpp": '#include "inspect/a.h"\n#include "base/b.h"\n#include <iostream>\n#include <CLI/CLI.hpp>\n',
            "src/policy/a.cpp": '#include "facts/b.h"\n#include <toml++/toml.h>\n',
            "src/kernel/a.h": '#include <vector>\n#include "kernel/b.h"\n#include "base/digest.h"\n#include "backedge/ids.h"\n',
            "include/backedge/a.h": '#include <string>\n#include "backedge/b.h"\n',
        })

    def test_an_include_of_a_higher_floor_is_a_breach(self):
        status, lines = judge({"src/base/a.h": '#pragma once\n#include "kernel/b.h"\n'})
        self.assertEqual(1, status)
        self.assertEqual(['src/base/a.h:2: base (floor 0) includes "kernel/b.h" of a higher floor (1); includes point down, so '
                          "move what is shared below both, or hand it in from above"], lines)

    def test_an_include_of_a_neighbour_is_a_breach(self):
        for path, header in [("src/facts/a.h", "policy/b.h"), ("src/inspect/a.h", "cases/b.h"), ("src/cases/a.h", "inspect/b.h")]:
            self.assert_breach({path: f'#include "{header}"\n'}, f"{path}:1", "a neighbour on the same floor")

    def test_the_kernel_takes_nothing_but_its_list(self):
        for include in ['"base/json.h"', "<boost/json.hpp>", "<fmt/format.h>", "<unistd.h>", '"facts/a.h"']:
            self.assert_breach({"src/kernel/a.cpp": f"#include {include}\n"}, "src/kernel/a.cpp:1", "the kernel includes")

    def test_a_public_header_takes_nothing_but_the_standard_library(self):
        for include in ['"base/digest.h"', "<boost/json.hpp>", "<unistd.h>", '"kernel/terms.h"']:
            self.assert_breach({"include/backedge/a.h": f"\n#include {include}\n"}, "include/backedge/a.h:2", "a public header includes")

    def test_an_include_without_its_room_is_a_breach(self):
        status, lines = judge({"src/base/a.cpp": '#include "a.h"\n'})
        self.assertEqual(1, status)
        self.assertEqual(['src/base/a.cpp:1: "a.h" names no room; write it from src/ on, as in "base/a.h", or with <> if it is not '
                          "ours"], lines)

    def test_the_pure_floors_do_not_act(self):
        self.assert_breach({"src/policy/a.cpp": "#include <fstream>\n"}, "src/policy/a.cpp:1", "nothing acts")
        self.assert_breach({"src/embed/a.cpp": "auto t = std::chrono::steady_clock::now();\n"}, "src/embed/a.cpp:1", "nothing acts")
        self.assert_sound({"src/inspect/a.cpp": "#include <fstream>\nauto t = std::chrono::steady_clock::now();\n"})

    def test_comments_and_literals_are_not_code(self):
        self.assert_sound({"src/base/a.cpp": '// steady_clock::now()\n/* #include "cli/a.h"\n#include "cli/b.h"\n*/\n'
                                             'char const* a = "steady_clock::now()";\nauto b = R"(\n#include "cli/a.h"\n)";\n'
                                             "int c = 1'000'000;  // it's\n"})

    def test_a_long_file_is_a_breach(self):
        self.assert_sound({"src/base/a.cpp": "\n" * 600, "src/base/a.h": "\n" * 250})
        for path, length in [("src/base/a.cpp", 601), ("src/base/a.h", 251), ("include/backedge/a.h", 251)]:
            status, lines = judge({path: "\n" * length})
            self.assertEqual(1, status)
            self.assertIn(f"{path}:{length}: {length} lines", lines[0])

    def test_a_room_without_a_floor_is_a_breach(self):
        status, lines = judge({"src/attic/a.h": "\n"})
        self.assertEqual(1, status)
        self.assertIn("this room has no floor", lines[0])

    def test_the_kernel_library_needs_the_runtime_only(self):
        sound = "#include <string>\n#include <cstdlib>\nstd::string a(int n) { if (n) std::abort(); return std::to_string(n); }\n"
        foreign = 'extern "C" unsigned long long XXH64(void const*, unsigned long, unsigned long long);\n' \
                  "unsigned long long a() { return XXH64(0, 0, 0); }\n"
        for text, status in [(sound, 0), (foreign, 1)]:
            with tempfile.TemporaryDirectory() as folder:
                library = pathlib.Path(folder) / "libkernel.a"
                source = pathlib.Path(folder) / "a.cpp"
                source.write_text(text, encoding="utf-8")
                subprocess.run(["c++", "-c", source, "-o", source.with_suffix(".o")], check=True)
                subprocess.run(["ar", "rc", library, source.with_suffix(".o")], check=True)
                found, lines = judge({}, "--kernel-library", str(library))
                self.assertEqual(status, found, lines)
                if status:
                    self.assertIn("the kernel needs XXH64", lines[0])


if __name__ == "__main__":
    unittest.main()
