"""README.md's example prints what README.md says, and its length and links are as promised.

usage: readme_test.py PROGRAM README
"""
import pathlib
import re
import subprocess
import sys
import unittest

from extract import block

README = pathlib.Path(sys.argv.pop(2))
PROGRAM = sys.argv.pop(1)


class Readme(unittest.TestCase):
    def test_the_example_prints_what_the_text_says(self):
        run = subprocess.run([PROGRAM], capture_output=True, text=True, timeout=60)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout, block(README, "output"))

    def test_the_example_stays_short_and_fits_a_page(self):
        lines = block(README, "cpp").splitlines()
        self.assertLessEqual(len([line for line in lines if line.strip()]), 45)
        self.assertLessEqual(max(map(len, lines)), 120)

    def test_sources_it_names_are_there(self):
        text = README.read_text()
        for path in re.findall(r"\b(?:apps|src)/[\w/.]+\w", text):
            self.assertTrue((README.parent / path).is_file(), path)

    def test_it_names_both_commands(self):
        # K-01
        for command in ("./lyre play", "./lyre test"):
            self.assertIn(command, README.read_text())


unittest.main()
