"""README.md's length and links are as promised.

usage: readme_test.py README
"""
import pathlib
import re
import sys
import unittest

from examples import examples

README = pathlib.Path(sys.argv.pop(1))


class Readme(unittest.TestCase):
    def test_the_example_stays_short(self):
        [(code, _)] = examples(README)
        self.assertLessEqual(len([line for line in code.splitlines() if line.strip()]), 45)

    def test_sources_it_names_are_there(self):
        text = README.read_text()
        for path in re.findall(r"\b(?:apps|src)/[\w/.]+\w", text):
            self.assertTrue((README.parent / path).is_file(), path)

    def test_it_names_both_commands(self):
        # K-01
        for command in ("./lyre play", "./lyre test"):
            self.assertIn(command, README.read_text())


unittest.main()
