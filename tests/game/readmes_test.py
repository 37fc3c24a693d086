"""The commands that the READMEs of the sample game's features say to try.

usage: readmes_test.py PROGRAM SOURCE
"""
import pathlib
import re
import subprocess
import sys
import unittest

PROGRAM, SOURCE = sys.argv[1:]


class Readmes(unittest.TestCase):
    def test_each_feature_has_two_commands_and_they_work(self):
        # P-11
        features = sorted(path.parent for path in pathlib.Path(SOURCE).glob("game/*/feature.toml"))
        self.assertGreaterEqual(len(features), 6)
        for feature in features:
            commands = re.findall(r"(?m)^\./lyre ([^#\n]+)", (feature / "README.md").read_text())
            self.assertGreaterEqual(len(commands), 2, feature.name)
            for command in commands:
                with self.subTest(f"{feature.name}: {command}"):
                    short = ["--seconds", "1"] if command.startswith("play") else []
                    run = subprocess.run([PROGRAM, *command.split(), *short], cwd=SOURCE, capture_output=True,
                                         stdin=subprocess.DEVNULL, text=True, timeout=60)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertTrue(run.stdout)


unittest.main(argv=sys.argv[:1])
