"""docs/reference.md is what the program says of itself today.

usage: reference_test.py PROGRAM PAGE TOOL
"""
import pathlib
import subprocess
import sys
import unittest

PROGRAM, PAGE, TOOL = sys.argv[1:]


class Reference(unittest.TestCase):
    def test_it_is_up_to_date(self):
        made = subprocess.run([sys.executable, TOOL, PROGRAM], capture_output=True, text=True, check=True, timeout=120)
        if made.stdout != pathlib.Path(PAGE).read_text():
            self.fail(f"{PAGE} is not what the program says; run: {TOOL} {PROGRAM} > {PAGE}")

    def test_it_has_every_command_and_kind_of_file(self):
        text = pathlib.Path(PAGE).read_text()
        for title in ("### lyre play", "### lyre why", "### lyre.toml", "### feature.toml", "### experience", "### map"):
            self.assertIn(f"\n{title}\n", text)


unittest.main(argv=sys.argv[:1])
