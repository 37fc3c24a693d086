"""tools/check_headers finds headers that need another, and an umbrella that is not complete."""
import unittest

from fake_tree import CLEAN, FakeTreeTest


class CheckHeaders(FakeTreeTest):
    tool = "check_headers"

    def test_a_clean_tree_passes(self):
        self.passes({}, "check_headers: 3 headers compile alone, lyre.h names them")

    def test_a_header_that_needs_another_first(self):
        self.finds(
            {"src/lyre/world/actor.h": "#pragma once\n\ninline Name n() { return {}; }\n"},
            "src/lyre/world/actor.h:3: 'Name' does not name a type",
            "src/lyre/world/actor.h:3: 'Name' does not name a type (compiling src/lyre/lyre.h)",
        )

    def test_an_error_in_an_included_header_names_both(self):
        self.finds(
            {"src/lyre/core/name.h": "#pragma once\n#error broken\n"},
            "src/lyre/core/name.h:2: #error broken",
            "src/lyre/core/name.h:2: #error broken (compiling src/lyre/lyre.h)",
            "src/lyre/core/name.h:2: #error broken (compiling src/lyre/world/actor.h)",
        )

    def test_a_header_without_pragma_once(self):
        self.finds({"tests/core/help.h": "// help\n"}, "tests/core/help.h:1: put #pragma once below the essay")

    def test_an_umbrella_that_is_not_complete_and_its_repair(self):
        self.finds(
            {
                "src/lyre/lyre.h": '// all\n#pragma once\n\n#include "lyre/core/name.h"\n#include "lyre/core/gone.h"\n',
                "src/lyre/core/gone.h": "#pragma once\n",
                "src/lyre/core/inner/own.h": "#pragma once\n",
            },
            'src/lyre/lyre.h:1: add #include "lyre/world/actor.h", or run tools/check_headers --fix',
        )
        (self.project / "src/lyre/core/gone.h").unlink()
        gone = 'src/lyre/lyre.h:5: no room has this header: remove #include "lyre/core/gone.h"'
        self.assertIn(gone, self.run_tool().stdout)
        self.assertEqual(self.run_tool("--fix").returncode, 0)
        self.assertEqual((self.project / "src/lyre/lyre.h").read_text(), "// all\n" + CLEAN["src/lyre/lyre.h"])

    def test_what_compiled_is_remembered_until_something_it_reads_changes(self):
        self.passes({}, "check_headers: 3 headers compile alone, lyre.h names them")
        cache = self.project / "build/check/headers"
        before = {path.name: path.stat().st_mtime_ns for path in cache.iterdir()}
        self.assertEqual(len(before), 3)
        self.run_tool()
        self.assertEqual(before, {path.name: path.stat().st_mtime_ns for path in cache.iterdir()})
        self.finds(
            {"src/lyre/core/name.h": "#pragma once\n"},
            "src/lyre/world/actor.h:4: 'string' in namespace 'std' does not name a type",
            "src/lyre/world/actor.h:4: 'string' in namespace 'std' does not name a type (compiling src/lyre/lyre.h)",
        )


unittest.main()
