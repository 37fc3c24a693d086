"""`lyre check`: what it says about broken content, good content, and content that means harm.

usage: check_test.py PROGRAM
"""
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import unittest

from program import PROGRAM, ROOT, CommandTest, environment, lyre

BROKEN = ROOT / "tests/broken"
MAP = "bounds = { min = [-10.0, -10.0], max = [10.0, 10.0] }\n"


class Broken(CommandTest):
    """tests/broken has a project per mistake; expected.txt is what `lyre check` says."""

    def cases(self):
        return sorted(path.name for path in BROKEN.iterdir() if path.is_dir())

    def test_every_mistake_is_told_with_its_place(self):
        # C-11, C-12, C-14, X-115
        told = set()
        for case in self.cases():
            with self.subTest(case):
                run = lyre("check", case, folder=BROKEN)
                self.assertEqual((run.returncode, run.stderr), (1, ""))
                expected = BROKEN / case / "expected.txt"
                if os.environ.get("LYRE_GOLDEN") == "write":
                    expected.write_text(run.stdout)
                self.assertEqual(run.stdout, expected.read_text(), f"unlike {expected}")
                self.assertLessEqual(max(map(len, run.stdout.splitlines())), 200)
                told |= {line for line in run.stdout.splitlines() if line.startswith("error LY-")}
        self.assertGreaterEqual(len(told), 60)

    def test_a_project_s_own_file_is_checked_from_inside_of_it_too(self):
        # K-12
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "lyre.toml").write_text('name = "broken"\nfeatures = ["nowhere"]\n')
            run = lyre("check", folder=folder)
            self.assertEqual(run.returncode, 1, run.stdout)
            self.assertIn("LY-2503", run.stdout)

    def test_what_stands_in_the_place_of_a_manifest_is_told_with_its_path(self):
        # F-57, X-115
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "lyre.toml").write_text('name = "broken"\nfeatures = ["game"]\n')
            (root / "game/box/feature.toml").mkdir(parents=True)
            (root / "game/box/code.cpp").write_text("")
            (root / "game/pipe").mkdir()
            os.mkfifo(root / "game/pipe/feature.toml")
            (root / "game/away").mkdir()
            (root / "game/away/feature.toml").symlink_to("/etc/passwd")
            run = lyre("check", folder=folder)
            self.assertEqual(run.returncode, 1, run.stdout)
            self.assertIn("game/box/feature.toml is a folder", run.stdout)
            self.assertIn("game/pipe/feature.toml is no file", run.stdout)
            self.assertIn("game/away/feature.toml is a link that leads out", run.stdout)
            if os.getuid() != 0:
                (root / "game/shut").mkdir()
                (root / "game/shut/feature.toml").write_text('id = "shut"\nversion = "1.0.0"\n')
                (root / "game/shut/feature.toml").chmod(0)
                self.assertIn("game/shut/feature.toml", lyre("check", folder=folder).stdout)

    def test_a_library_is_looked_for_in_the_builds_of_the_project(self):
        # F-65, X-115
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "lyre.toml").write_text('name = "own"\nfeatures = ["game"]\ncontent = ["content"]\n')
            (root / "game/hoop").mkdir(parents=True)
            (root / "game/hoop/feature.toml").write_text(
                'id = "hoop"\nversion = "1.0.0"\n[module]\nname = "hoop"\n[[variable]]\nname = "hoop.Reach"\ndefault = 2.0\n')
            (root / "content").mkdir()
            (root / "content/hoop.experience.toml").write_text(
                'features = ["hoop"]\n[[action]]\nkind = "set_variables"\nvariables = { "hoop.Reach" = 3.0 }\n')
            run = lyre("check", folder=folder)
            self.assertIn("libhoop.so: No such file or directory", run.stdout)
            self.assertIn("build the target feature_hoop (lyre_feature(hoop) in", run.stdout)
            self.assertIn('looked in "game/hoop", "build/features"', run.stdout)
            self.assertTrue(run.stdout.endswith("1 asset, 1 feature: 1 problem in 1 file\n"), run.stdout)  # nothing that follows
            for name in ("zebra", "dev"):
                (root / "build" / name / "features").mkdir(parents=True)
                (root / "build" / name / "features/libhoop.so").write_text("no library")
                for at, words in ((root, ["check"]), ("/", ["check", folder])):
                    self.assertIn(f"build/{name}/features/libhoop.so", lyre(*words, folder=at).stdout)

    def test_a_library_by_another_name_than_its_feature_is_told_with_the_one_that_is_there(self):
        # F-65
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "lyre.toml").write_text('name = "own"\nfeatures = ["game"]\n')
            (root / "game/hoop").mkdir(parents=True)
            (root / "game/hoop/feature.toml").write_text('id = "hoop"\nversion = "1.0.0"\n[module]\nname = "hop"\n')
            (root / "build/features").mkdir(parents=True)
            (root / "build/features/libhoop.so").write_text("no library")
            said = lyre("check", folder=root).stdout
            self.assertIn('build/features/libhoop.so is there: write name = "hoop" under [module]', said)

    def test_json_has_the_same_problems(self):
        # C-13, C-14, K-06
        for case in self.cases():
            run = lyre("check", case, "--json", folder=BROKEN)
            self.assertEqual((run.returncode, run.stderr), (1, ""), case)
            problems = json.loads(run.stdout)["problems"]
            text = (BROKEN / case / "expected.txt").read_text()
            self.assertEqual([f"error {p['code']}: {p['text']}" for p in problems], re.findall(r"(?m)^error .*", text))
            for problem in problems:
                if problem["line"]:
                    self.assertIn("  --> {file}:{line}:{column}\n".format(**problem), text)

    def test_every_code_that_is_told_is_explained(self):
        # C-12
        codes = json.loads(lyre("list", "errors", "--json").stdout)["errors"]
        explained = {code["code"] for code in codes}
        self.assertEqual(len(explained), len(codes))
        self.assertTrue(all(code["title"] and code["help"].endswith((".", "?")) for code in codes))
        for case in self.cases():
            text = (BROKEN / case / "expected.txt").read_text()
            self.assertLessEqual(set(re.findall(r"(?m)^error (LY-\d+)", text)), explained, case)

    def test_several_folders_are_one_answer(self):
        run = lyre("check", "map_unknown_key", "archetype_no_parent", folder=BROKEN)
        self.assertEqual(run.returncode, 1)
        self.assertTrue(run.stdout.endswith("\n2 assets: 2 problems in 2 files\n"), run.stdout)


class Good(CommandTest):
    def test_the_content_of_this_repository_is_right(self):
        # C-14, K-02
        run = lyre("check")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertRegex(run.stdout, r"^\d+ assets, \d+ features: no problems\n$")
        self.assertEqual(json.loads(lyre("check", "--json").stdout)["problems"], [])

    def test_a_folder_of_a_project_is_checked_with_its_project(self):
        run = lyre("check", "game/content")
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
        self.assertRegex(run.stdout, r"^\d+ assets: no problems\n$")
        self.assertEqual(lyre("check", folder=ROOT / "game/content").stdout, lyre("check").stdout)

    def test_defaults_in_a_feature_that_is_not_there_from_the_start_are_told(self):
        #
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "lyre.toml").write_text(
                'name = "late"\nfeatures = ["game"]\ndefault_experience = "tag"\ndefault_map = "yard"\n')
            (root / "game/tag/content").mkdir(parents=True)
            manifest = 'id = "tag"\nversion = "1.0.0"\n'
            (root / "game/tag/feature.toml").write_text(manifest)
            (root / "game/tag/content/tag.experience.toml").write_text('features = ["tag"]\n')
            (root / "game/tag/content/yard.map.toml").write_text(MAP)
            said = lyre("check", folder=root).stdout
            self.assertIn('error LY-2510: default_experience: experience "tag" lies in the feature tag, which is not there '
                          "from the start\n  --> lyre.toml:3:22\n", said)
            self.assertIn('^ write initial_state = "registered" in game/tag/feature.toml\n', said)
            self.assertIn('error LY-2510: default_map: map "yard" lies in the feature tag', said)
            (root / "game/tag/feature.toml").write_text(manifest + 'initial_state = "registered"\n')
            run = lyre("check", folder=root)
            self.assertEqual(run.returncode, 0, run.stdout)

    def test_a_missing_folder_or_project_is_one_line(self):
        # K-02, K-03
        run = lyre("check", "nowhere")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", 'lyre check: no folder "nowhere"\n'))
        run = lyre("check", "game/content/arena.map.toml")
        said = 'lyre check: "game/content/arena.map.toml" is no folder; say the one it is in: "game/content"\n'
        self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", said))
        with tempfile.TemporaryDirectory() as folder:
            run = lyre("check", folder=folder)
            wanted = "lyre check: no lyre.toml here or above; say which folder\n"
            self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", wanted))


class Hostile(CommandTest):
    """Made here, because git would not keep it or nobody would want it to."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()
        self.content = self.top / "content"
        self.content.mkdir()
        (self.top / "lyre.toml").write_text('name = "hostile"\ncontent = ["content"]\n')
        (self.content / "good.map.toml").write_text(MAP)

    def check(self, code=1):
        run = lyre("check", folder=self.top)
        self.assertEqual((run.returncode, run.stderr), (code, ""), run.stdout)
        self.assertNotIn("\033", run.stdout)
        self.assertNotIn("good.map.toml", run.stdout)  # what is right is not blamed
        return run.stdout

    def write(self, data, name="bad.map.toml"):
        (self.content / name).write_bytes(data)

    def test_bytes_that_are_no_text(self):
        # C-11
        self.write(bytes(range(256)) * 64)
        self.assertIn("error LY-2003", self.check())
        self.write(b"experience = \"\xff\xfe\"\n")
        self.assertRegex(self.check(), r"error LY-2002[\s\S]*content/bad.map.toml:1:15\n")
        self.write(b"experience = \"\x1b[2Jx\"\n")
        self.check()

    def test_a_truncated_file(self):
        # C-11
        whole = (ROOT / "game/content/yard.map.toml").read_bytes()
        for size in range(40, len(whole), 37):
            self.write(whole[:size])
            run = lyre("check", folder=self.top)
            self.assertIn(run.returncode, (0, 1), run.stderr)

    def test_a_file_of_a_hundred_megabytes_is_not_read(self):
        # C-11
        with open(self.content / "bad.map.toml", "wb") as file:
            file.truncate(100 << 20)
        self.assertRegex(self.check(), r"bad\.map\.toml")

    def test_deep_nesting(self):
        # C-11
        self.write(b"a = " + b"[" * 100_000 + b"]" * 100_000)
        self.assertIn("error LY-2004", self.check())

    def test_links_that_lead_out_and_around(self):
        # C-02
        (self.content / "out.map.toml").symlink_to("/etc/passwd")
        self.assertIn("out.map.toml", self.check())
        (self.content / "out.map.toml").unlink()
        (self.content / "around").symlink_to(self.content)
        (self.content / "above").symlink_to(self.top)
        self.assertNotIn("root:", lyre("check", folder=self.top).stdout)

    def test_a_pipe_and_an_unreadable_file_do_not_hang_it(self):
        # C-11
        os.mkfifo(self.content / "pipe.map.toml")
        run = lyre("check", folder=self.top)
        self.assertIn(run.returncode, (0, 1))

    def test_links_that_lead_nowhere_and_pipes_that_are_called_like_assets_are_told(self):
        # C-02, C-11
        (self.content / "gone.map.toml").symlink_to("nothing.map.toml")
        (self.content / "loop.map.toml").symlink_to("loop.map.toml")
        os.mkfifo(self.content / "pipe.map.toml")
        os.mkfifo(self.content / ".hidden.map.toml")
        os.mkfifo(self.content / "pipe")
        said = self.check()
        for name in ("gone", "loop", "pipe"):
            self.assertIn(f"{name}.map.toml is no file: a link that leads nowhere, or a pipe", said)
        self.assertTrue(said.endswith("1 asset: 3 problems in 3 files\n"), said)

    def test_a_thousand_mistakes_are_counted(self):
        # C-11, C-12
        self.write("".join(f"wrong_{n} = {n}\n" for n in range(3000)).encode())
        said = self.check()
        self.assertTrue(said.endswith("and 2,000 more\n\n2 assets: 3,000 problems, the 1,000 shown in 1 file\n"), said[-200:])

    def test_ctrl_c_ends_it_with_130(self):
        # K-02
        for n in range(2000):
            (self.content / f"m{n}.map.toml").write_text(MAP + "[[point]]\nname = \"a\"\nat = [0.0, 0.0]\n" * 50)
        run = self.on_terminal("check", str(self.top))
        run.until(r"\rlyre check|\r\033\[Klyre check: ")
        run.send(signal.SIGINT)
        self.assertEqual(run.finish(), 130)

    def test_long_work_says_its_stage_how_much_of_how_much_for_how_long_and_what(self):
        # K-04
        for n in range(2000):
            (self.content / f"m{n}.map.toml").write_text(MAP + "[[point]]\nname = \"a\"\nat = [0.0, 0.0]\n" * 50)
        run = self.on_terminal("check", str(self.top), columns=70)
        self.assertEqual(run.finish(), 1)  # points of one name
        said = re.findall(r"\r\033\[K([^\r]+)", run.text)
        self.assertRegex(said[0], r"^lyre check: content ([\d.]+ of )?[\d.]+ MB, \d+\.\d s: map:m\d+: ")
        self.assertLess(max(map(len, said[:-1])), 70)
        run = subprocess.Popen([PROGRAM, "check", str(self.top)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=environment(), text=True)
        self.addCleanup(run.kill)
        self.assertFalse(select.select([run.stderr], [], [], 0.1)[0])  # it reads by now
        run.send_signal(signal.SIGSTOP)
        self.assertFalse(select.select([run.stderr], [], [], 5)[0])  # on a machine that is that slow
        run.send_signal(signal.SIGCONT)
        said = run.communicate(timeout=60)[1]
        self.assertRegex(said, r"\Alyre check: \w+ [^\n]* \d+\.\d s(: [^\n]*)?\n\Z")
        self.assertNotIn("\033", said)


unittest.main()
