"""A feature of the sample game is its folder: one more, or one less, and nothing else has to know.

usage: folders_test.py PROGRAM SOURCE BUILD COMPILER

Works in a copy of the whole tree in BUILD/pages/tree, which is configured and not built.
"""
import filecmp
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "command"))
from program import PROGRAM, environment  # takes the first argument

SOURCE, BUILD, COMPILER = sys.argv[1:]  # whole paths
TREE = pathlib.Path(BUILD) / "pages/tree"


def files(folder):
    """Of a tree, without what is built in it."""
    return {path.relative_to(folder) for path in pathlib.Path(folder).rglob("*")
            if path.is_file() and not {"build", ".git", "__pycache__"} & set(path.relative_to(folder).parts)}


def changed():
    both = files(TREE) & files(SOURCE)
    return {str(path) for path in (files(TREE) ^ files(SOURCE))
            | {path for path in both if not filecmp.cmp(TREE / path, pathlib.Path(SOURCE) / path, shallow=False)}}


def run(*words):
    return subprocess.run(words, cwd=TREE, env=environment(), capture_output=True, text=True, timeout=300)


class Folders(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(TREE, ignore_errors=True)
        shutil.copytree(SOURCE, TREE, ignore=shutil.ignore_patterns("build", ".git"))

    def works(self, *words):
        done = run(*words)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout

    def targets(self):
        self.works("cmake", "-G", "Ninja", "-S", ".", "-B", "build/t", f"-DCMAKE_CXX_COMPILER={COMPILER}")
        return {line.partition(":")[0] for line in self.works("ninja", "-C", "build/t", "-t", "targets", "all").splitlines()}

    def test_one_more_is_its_folder_and_one_line_of_an_experience(self):
        self.works(PROGRAM, "new", "feature", "glow")
        experience = TREE / "game/content/control_points.experience.toml"
        text = experience.read_text()
        experience.write_text(text.replace('["control_points"]', '["control_points", "glow"]'))
        with open(TREE / "game/glow/feature.toml", "a") as manifest:
            manifest.write('\n[[variable]]\nname = "glow.Watts"\ndefault = 60\nhelp = "how bright"\n')
        others = {path for path in changed() if not path.startswith("game/glow/")}
        self.assertEqual(others, {"game/content/control_points.experience.toml"})
        self.assertIn("feature_glow", self.targets())
        self.assertIn("glow", self.works(PROGRAM, "plan", "control_points"))

    def test_one_less_is_its_folder(self):
        for name in ("sprint", "nameplates"):
            shutil.rmtree(TREE / "game" / name)
        targets = self.targets()
        self.assertNotIn("feature_sprint", targets)
        self.assertTrue({"test_feature_tag", "test_game", "game_features"} <= targets)
        self.assertEqual({path.split("/")[1] for path in changed()}, {"sprint", "nameplates"})
        self.assertRegex(self.works(PROGRAM, "plan", "control_points"), r"\n +nameplates +wanted by .*arena_match")
        self.assertIn("ledger: empty", self.works(PROGRAM, "play", "--seconds", "2", "--bots", "2"))


unittest.main(argv=sys.argv[:1])
