"""The commands that the READMEs of the sample game's features say to try.

usage: readmes_test.py PROGRAM SOURCE
"""
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "command"))
from program import lyre  # takes the first argument

SOURCE = sys.argv[1]


class Readmes(unittest.TestCase):
    def test_each_feature_has_two_commands_and_they_work(self):
        # P-11
        features = sorted(path.parent for path in pathlib.Path(SOURCE).glob("game/*/feature.toml"))
        self.assertGreaterEqual(len(features), 6)
        for feature in features:
            readme = feature / "README.md"
            with self.subTest(feature.name):
                self.assertTrue(readme.is_file(), f"{readme} is missing: what the feature is, and two commands to try")
                commands = re.findall(r"(?m)^\./lyre ([^#\n]+)", readme.read_text())
                self.assertGreaterEqual(len(commands), 2)
                for command in commands:
                    self.works(command)

    def works(self, command):
        short = ["--seconds", "1"] if command.startswith("play") else []
        with self.subTest(command):
            run = lyre(*command.split(), *short, folder=SOURCE)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertTrue(run.stdout)


unittest.main(argv=sys.argv[:1])
