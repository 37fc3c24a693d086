"""`lyre new`: a folder to start a feature from, a file to start an experience from, whole or not at all.

usage: new_test.py PROGRAM
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import tomllib

from program import PROGRAM, ROOT, CommandTest, lyre

FILES = ["CMakeLists.txt", "README.md", "feature.toml", "tests/{0}_test.cpp", "{0}.cpp"]


class New(CommandTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lyre new ")
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name)
        (self.project / "lyre.toml").write_text('name = "new"\nfeatures = ["game"]\n')

    def new(self, *words, **options):
        return lyre("new", "feature", *words, folder=self.project, **options)

    def tree(self):
        return sorted(p.relative_to(self.project).as_posix() for p in self.project.rglob("*") if not p.is_dir())

    def refused(self, run, code, text):
        self.assertEqual((run.returncode, run.stdout), (code, ""))
        self.assertIn(text, run.stderr)
        self.assertTrue(run.stderr.startswith("lyre new: "))
        self.assertEqual(run.stderr.count("\n"), 1)

    def test_it_makes_a_folder_and_says_what_to_do_next(self):
        # K-02
        run = self.new("capture_flag")
        self.assertEqual((run.returncode, run.stdout), (0, "game/capture_flag\n"), run.stderr)
        self.assertIn("add_subdirectory(game/capture_flag)", run.stderr)
        self.assertIn("Play it, once it is built: lyre play --with capture_flag\n", run.stderr)
        self.assertLessEqual((run.stdout + run.stderr).count("\n"), 3)
        self.assertEqual(
            self.tree(), sorted(["lyre.toml", *("game/capture_flag/" + f.format("capture_flag") for f in FILES)])
        )
        folder = self.project / "game/capture_flag"
        manifest = tomllib.loads((folder / "feature.toml").read_text())
        self.assertEqual(manifest["id"], "capture_flag")
        self.assertEqual(manifest["module"]["name"], "capture_flag")
        self.assertEqual((folder / "CMakeLists.txt").read_text(), "lyre_feature(capture_flag)\n")
        code = (folder / "capture_flag.cpp").read_text()
        self.assertIn("LYRE_FEATURE(capture_flag)", code)
        self.assertIn("struct CaptureFlagPart : PawnComponent", code)
        [action] = manifest["action"]
        self.assertEqual((action["to"], action["component"]), ("Pawn", "CaptureFlagPart"))
        self.assertEqual(manifest["title"], "Capture flag")
        self.assertIn("lyre play --with capture_flag\n", (folder / "README.md").read_text())
        for path in folder.rglob("*.*"):
            self.assertNotIn("@", path.read_text(), path)

    def test_the_project_says_where_features_are(self):
        (self.project / "lyre.toml").write_text('name = "new"\nfeatures = ["mods", "game"]\n')
        self.assertEqual(self.new("tag").stdout, "mods/tag\n")
        self.assertIn('tag ', lyre("list", "features", folder=self.project).stdout)
        (self.project / "lyre.toml").write_text('name = "new"\n')
        self.assertIn('features = ["game"] in lyre.toml', self.new("hoop").stderr)

    def test_of_several_at_once_one_makes_it_and_the_others_are_told(self):
        # K-02
        words = [PROGRAM, "new", "feature", "tag"]
        runs = [subprocess.Popen(words, cwd=self.project, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for _ in range(6)]
        said = sorted((run.communicate(timeout=60), run.returncode) for run in runs)
        self.assertEqual([code for _, code in said], [2] * 5 + [0])
        self.assertEqual({text for text, code in said if code == 2}, {("", 'lyre new: "game/tag" is there already\n')})
        self.assertEqual(self.tree(), sorted(["lyre.toml", *("game/tag/" + f.format("tag") for f in FILES)]))

    def test_in_a_project_that_cannot_be_read_nothing_is_made(self):
        # K-02
        (self.project / "lyre.toml").write_text('name = "new\nfeatures = ["game"]\n')
        run = self.new("tag")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertRegex(run.stderr, r"(?s)^error LY-2001: .*lyre\.toml:1:.*\nlyre new: lyre\.toml cannot be read")
        self.assertFalse((self.project / "game/tag").exists())

    def test_class_names_come_from_the_name(self):
        # Another one for each name: two features may not bring classes of one name.
        for name, prefix in {"tag": "Tag", "a_1__b": "A_1_B", "a_1_b": "A_1B", "x2": "X2", "x_2": "X_2", "z_": "Z_"}.items():
            self.assertEqual(self.new(name).returncode, 0)
            code = (self.project / f"game/{name}/{name}.cpp").read_text()
            self.assertEqual(re.findall(r"struct (\w+)Part", code), [prefix])

    def test_where_a_features_folder_finds_its_features_nothing_has_to_be_added(self):
        (self.project / "game").mkdir()
        (self.project / "game/CMakeLists.txt").write_text("")
        self.assertNotIn("add_subdirectory", self.new("tag").stderr)

    def test_in_a_checkout_its_script_builds_and_plays_it(self):
        (self.project / "game").mkdir()
        (self.project / "game/CMakeLists.txt").write_text("")
        (self.project / "lyre").write_text("")
        self.assertEqual(self.new("tag").stderr, "Play it: ./lyre play --with tag\n")
        self.assertIn("\n./lyre play --with tag\n", (self.project / "game/tag/README.md").read_text())
        run = lyre("new", "feature", "hoop", "--project", str(self.project), folder="/")
        self.assertEqual(run.stderr, f"Play it: {self.project}/lyre play --with hoop\n")

    def test_the_project_is_found_upwards_or_told(self):
        # K-03
        inner = self.project / "deep/er"
        inner.mkdir(parents=True)
        run = lyre("new", "feature", "tag", folder=inner)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue((self.project / "game/tag/feature.toml").is_file())
        run = lyre("new", "feature", "hoop", "--project", str(self.project), folder="/")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue((self.project / "game/hoop/feature.toml").is_file())
        self.refused(lyre("new", "feature", "tag", folder="/"), 2, "no lyre.toml here or above")

    def test_what_is_there_is_left_alone(self):
        # K-02
        self.assertEqual(self.new("tag").returncode, 0)
        (self.project / "game/tag/tag.cpp").write_text("mine")
        before = self.tree()
        self.refused(self.new("tag"), 2, '"game/tag" is there already')
        (self.project / "game/leads").symlink_to("nowhere")
        self.refused(self.new("leads"), 2, '"game/leads" is there already')
        (self.project / "game/leads").unlink()
        self.assertEqual(self.tree(), before)
        self.assertEqual((self.project / "game/tag/tag.cpp").read_text(), "mine")

    def test_names_that_could_not_be_built_are_refused(self):
        # K-02, K-03
        for name in ("Tag", "2d", "_x", "a-b", "a b", "../a", "/a", "ä", "a" * 101, "a.b"):
            self.refused(self.new(name), 2, "is no name of a feature")
        self.assertEqual(self.tree(), ["lyre.toml"])

    def test_a_name_may_be_as_long_as_the_id_of_a_manifest(self):
        # K-02, F-53
        self.assertEqual(self.new("a" * 100).returncode, 0)
        run = lyre("list", "features", folder=self.project)
        self.assertIn("a" * 100, run.stdout)

    def test_nothing_is_left_where_it_cannot_be_written(self):
        (self.project / "game").write_text("a file in the way")
        self.refused(self.new("tag"), 1, "cannot write")
        self.assertEqual(self.tree(), ["game", "lyre.toml"])
        if os.getuid() != 0:
            (self.project / "game").unlink()
            (self.project / "game").mkdir(mode=0o500)
            self.refused(self.new("tag"), 1, "cannot write")
            self.assertEqual(self.tree(), ["lyre.toml"])

    def test_what_an_interrupted_one_left_is_no_obstacle(self):
        left = self.project / "game/.new_tag"
        left.mkdir(parents=True)
        (left / "feature.toml").write_text("half")
        self.assertEqual(self.new("tag").returncode, 0)
        self.assertFalse(left.exists())


class NewExperience(CommandTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lyre new ")
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name)
        (self.project / "lyre.toml").write_text('name = "new"\ncontent = ["stuff", "content"]\n')
        for name in ("stuff", "content"):
            (self.project / name).mkdir()

    def new(self, *words):
        return lyre("new", "experience", *words, folder=self.project)

    def test_it_makes_a_file_that_checks_lists_plans_and_plays_as_it_is(self):
        # K-02
        run = self.new("control_points")
        self.assertEqual((run.returncode, run.stdout), (0, "stuff/control_points.experience.toml\n"), run.stderr)
        self.assertEqual(run.stderr, "Play it: lyre play --experience control_points\n")
        text = (self.project / "stuff/control_points.experience.toml").read_text()
        self.assertEqual(tomllib.loads(text)["title"], "Control points")
        check = lyre("check", folder=self.project)
        self.assertEqual((check.returncode, check.stdout), (0, "1 asset: no problems\n"))
        self.assertRegex(lyre("list", "experiences", folder=self.project).stdout, r"^control_points +Control points\n$")
        plan = lyre("plan", "control_points", folder=self.project)
        self.assertEqual((plan.returncode, plan.stderr), (0, ""))
        (self.project / "stuff/yard.map.toml").write_text("bounds = { min = [-9.0, -9.0], max = [9.0, 9.0] }\n")
        play = lyre("play", "--experience", "control_points", "--map", "yard", "--seconds", "1", folder=self.project)
        self.assertEqual((play.returncode, play.stderr), (0, ""))
        # What is commented out in it is right, too, but for the class that is not there.
        lines = [line.removeprefix("# ") for line in text.splitlines()]
        whole = "\n".join(line for line in lines if re.match(r"^(\[|\w+ += )", line)) + "\n"
        (self.project / "stuff/control_points.experience.toml").write_text(whole)
        said = lyre("check", folder=self.project).stdout
        self.assertEqual(re.findall(r"(?m)^error (LY-\d+)", said), ["LY-2108"], said)

    def test_it_begins_as_the_projects_default(self):
        project = 'name = "new"\ncontent = ["stuff", "content"]\ndefault_experience = "brawl"\n'
        (self.project / "lyre.toml").write_text(project)
        (self.project / "content/deep").mkdir()
        model = "# Fists.\n\ntitle    = 'Brawl'\nfeatures = []\n# none\n\n[failure]\npolicy = 'retry'\n"
        (self.project / "content/deep/brawl.experience.toml").write_text(model)
        self.assertEqual(self.new("quick_brawl").returncode, 0)
        text = (self.project / "stuff/quick_brawl.experience.toml").read_text()
        self.assertRegex(text, "^# Begun as a copy of brawl. ")
        self.assertTrue(
            text.endswith("\ntitle    = \"Quick brawl\"\nfeatures = []\n# none\n\n[failure]\npolicy = 'retry'\n"), text
        )
        self.assertEqual(lyre("check", folder=self.project).stdout, "2 assets: no problems\n")

    def test_however_the_default_writes_its_title_the_new_one_is_right(self):
        (self.project / "lyre.toml").write_text('name = "new"\ncontent = ["stuff"]\ndefault_experience = "brawl"\n')
        for i, title in enumerate(("\ufefftitle = 'Bräwl' # ü", "  title = 'Brawl'", '"title" = "Brawl"', "'title'='B'",
                                   'title = """\nBrawl\n"""', "\r\n# Fists\r\ntitle = 'Brawl'")):
            (self.project / "stuff/brawl.experience.toml").write_text(f"{title}\nfeatures = []\n")
            self.assertEqual(self.new(f"quick_{i}").returncode, 0)
            checked = lyre("check", folder=self.project)
            self.assertEqual(checked.stdout, f"{i + 2} assets: no problems\n", title)
            said = (self.project / f"stuff/quick_{i}.experience.toml").read_text()
            self.assertIn(f'"Quick {i}"', said)
            self.assertEqual(said.count("Brawl"), 0, said)

    def test_the_default_may_lie_in_the_content_of_a_feature(self):
        #
        (self.project / "lyre.toml").write_text(
            'name = "new"\ncontent = ["stuff"]\nfeatures = ["game"]\ndefault_experience = "brawl"\n')
        (self.project / "game/fists/content").mkdir(parents=True)
        (self.project / "game/fists/feature.toml").write_text(
            'id = "fists"\nversion = "1.0.0"\ninitial_state = "registered"\ncontent = "content"\n')
        (self.project / "game/fists/content/brawl.experience.toml").write_text("title = 'Brawl'\nfeatures = ['fists']\n")
        self.assertEqual(self.new("duel").returncode, 0)
        text = (self.project / "stuff/duel.experience.toml").read_text()
        self.assertRegex(text, "^# Begun as a copy of brawl. ")
        self.assertTrue(text.endswith("\ntitle = \"Duel\"\nfeatures = ['fists']\n"), text)
        self.assertEqual(lyre("check", folder=self.project).stdout, "2 assets, 1 feature: no problems\n")

    def test_in_the_sample_game_it_plays(self):
        # K-02, K-09
        for name in ("lyre.toml", "game/content", "game/arena_core", "game/bots", "game/control_points", "game/nameplates"):
            (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, self.project / name)
        self.assertEqual(self.new("duel").returncode, 0)
        run = lyre("play", "--experience", "duel", "--seconds", "2", folder=self.project)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("Duel: get ready", run.stdout)
        self.assertIn("8. ", run.stdout)  # bots
        with (self.project / "game/content/duel.experience.toml").open("a") as file:
            file.write('\n[[action]]\nkind = "set_variables"\nvariables = { "bots.Count" = 3 }\n')
        run = lyre("play", "--experience", "duel", "--seconds", "2", folder=self.project)
        self.assertIn(" 3. ", run.stdout)
        self.assertNotRegex(run.stdout, r"(?m)^ +4\. ")

    def test_where_no_content_folder_is_named_it_says_what_to_write(self):
        (self.project / "lyre.toml").write_text('name = "new"\n')
        run = self.new("tag")
        self.assertEqual((run.returncode, run.stdout), (0, "content/tag.experience.toml\n"))
        self.assertIn('content = ["content"] in lyre.toml', run.stderr)

    def test_what_is_there_is_left_alone_and_nothing_half_stays(self):
        # K-02, K-03
        self.assertEqual(self.new("tag").returncode, 0)
        (self.project / "stuff/tag.experience.toml").write_text("title = 'mine'\n")
        run = self.new("tag")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn('"stuff/tag.experience.toml" is there already', run.stderr)
        self.assertEqual([path.name for path in (self.project / "stuff").iterdir()], ["tag.experience.toml"])
        for name in ("Tag", "a-b", "../a", "ä", "a" * 101, "a.b"):
            self.assertEqual(self.new(name).returncode, 2, name)


unittest.main()
