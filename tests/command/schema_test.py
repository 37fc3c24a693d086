"""`lyre schema`: what it writes accepts all content of this repository and refuses what is wrong.

usage: schema_test.py PROGRAM
"""
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

# The validator comes from Debian's python3-jsonschema, which another python in the path would not see.
if importlib.util.find_spec("jsonschema") is None and sys.executable != "/usr/bin/python3":
    os.execv("/usr/bin/python3", ["python3", *sys.argv])
import jsonschema
import tomllib

from program import PROGRAM, ROOT, CommandTest, lyre


class Schema(CommandTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name) / "schemas"
        cls.run_of = lyre("schema", str(cls.folder))

    def schema(self, name):
        document = json.loads((self.folder / f"{name}.schema.json").read_text())
        jsonschema.Draft7Validator.check_schema(document)
        return jsonschema.Draft7Validator(document)

    def test_it_says_what_it_wrote(self):
        # C-15
        self.assertEqual(self.run_of.returncode, 0, self.run_of.stderr)
        written = {path.name for path in self.folder.iterdir()}
        self.assertLessEqual({"map.schema.json", "archetype.schema.json", "lyre.schema.json", "taplo.toml"}, written)
        for name in written:
            self.assertIn(name, self.run_of.stdout)

    def test_all_content_of_this_repository_is_accepted(self):
        # C-15
        files = sorted([*ROOT.glob("game/content/**/*.toml"), *ROOT.glob("game/*/content/**/*.toml")])
        self.assertLessEqual({"map", "archetype", "experience", "action_set", "pawn_data"},
                             {path.name.split(".")[-2] for path in files})
        for path in files:
            self.schema(path.name.split(".")[-2]).validate(tomllib.loads(path.read_text()))
        self.schema("lyre").validate(tomllib.loads((ROOT / "lyre.toml").read_text()))
        for path in ROOT.glob("game/*/feature.toml"):
            self.schema("feature").validate(tomllib.loads(path.read_text()))

    def test_wrong_keys_types_and_ranges_are_refused(self):
        # C-15
        wrong = {
            "map": ['bonds = 1', "experience = 3", "[[point]]\nname = 'a'", "[[point]]\nname = 'a'\nat = [1.0]",
                    "[[scatter]]\nclass = 'Prop'\ncount = -1\narea = { min = [0.0, 0.0], max = [1.0, 1.0] }"],
            "archetype": ["tags = []", "parent = 3", "parent = 'Prop'\ntags = 'A.B'", "parent = 'Prop'\n[[component]]"],
            "pawn_data": ["camera = 'near'", "class = 3", "class = 'Pawn'\nspeed = 3", "class = 'Pawn'\n[[context]]\nmap = []"],
            "feature": ["version = '1.0.0'", "id = 'a'\nversion = 1", "id = 'a'\nversion = '1.0.0'\n[[dependency]]\nids = 'b'",
                        "id = 'a'\nversion = '1.0.0'\n[[action]]\nkind = 'add_components'\nto = 3"],
            "lyre": ["content = []", "name = 'a'\ncontents = []", "name = 'a'\ndefault_pawn = 3", "name = 'a'\ngame_mode = 3"],
        }
        for name, texts in wrong.items():
            for text in texts:
                with self.assertRaises(jsonschema.ValidationError, msg=text):
                    self.schema(name).validate(tomllib.loads(text))

    def test_experiences_and_sets_take_known_kinds_of_actions_as_they_are_and_others_whatever_they_say(self):
        # C-15
        good = {
            "experience": [
                "", 'title = "a"\npawn = ""\nfeatures = ["a", { id = "b", need = "optional" }]\naction_sets = ["s"]',
                '[[action]]\nkind = "add_components"\nto = "Pawn"\ncomponent = "Score"', '[[action]]\nkind = "of_a_feature"\nx = 3',
            ],
            "action_set": ['features = ["a"]\n[[action]]\nkind = "add_assets"\nassets = ["map:yard"]'],
            "lyre": ['name = "a"\ndefault_experience = "tag"\n[developer]\nexperience = ""\nbots = 3',
                     'name = "a"\ndefault_pawn = "hero"\ngame_mode = "GameMode"'],
        }
        wrong = {
            "experience": ["titel = 'a'", "features = [{ id = 'a', side = 'sever' }]", "assets = ['yard']",
                           "[failure]\nattempts = 0", "[[action]]\nkind = 'add_components'\nto = 'Pawn'\ncomponent = 3",
                           "[[action]]\nto = 'Pawn'"],
            "action_set": ["title = 'a'", "[[action]]\nkind = 'add_assets'\nassets = 3"],
            "lyre": ["name = 'a'\n[developer]\nbots = -2"],
        }
        for name, texts in good.items():
            for text in texts:
                self.schema(name).validate(tomllib.loads(text))
        for name, texts in wrong.items():
            for text in texts:
                with self.assertRaises(jsonschema.ValidationError, msg=text):
                    self.schema(name).validate(tomllib.loads(text))

    def test_keys_that_are_only_there_to_be_refused_are_not_offered(self):
        # C-15, E-02, E-04
        for name, key in {"experience": "parent", "action_set": "action_sets"}.items():
            self.assertNotIn(key, self.schema(name).schema["properties"])
            with self.assertRaises(jsonschema.ValidationError):
                self.schema(name).validate({key: "a"})

    def test_types_of_content_and_kinds_of_actions_that_features_bring_are_there_too(self):
        # C-15
        with tempfile.TemporaryDirectory() as name:
            own = pathlib.Path(name)
            (own / "lyre.toml").write_text('name = "own"\nfeatures = ["game"]\n')
            (own / "game/trouble").mkdir(parents=True)
            (own / "game/trouble/feature.toml").write_text(
                'id = "trouble"\nversion = "1.0.0"\n[module]\nname = "trouble"\n')
            shutil.copy(pathlib.Path(PROGRAM).parents[2] / "tests/command/libtrouble.so", own / "game/trouble")
            for words, folder in ((("schemas",), own), ((str(own / "others"), "--project", str(own)), "/")):
                run = lyre("schema", *words, folder=folder)
                self.assertEqual(run.returncode, 0, run.stderr)
            manners = json.loads((own / "schemas/manners.schema.json").read_text())
            self.assertEqual(manners, json.loads((own / "others/manners.schema.json").read_text()))
            self.assertEqual(manners["properties"]["guests"]["description"], "how many come")
            self.assertIn("**/*.manners.toml", (own / "schemas/taplo.toml").read_text())
            experience = jsonschema.Draft7Validator(json.loads((own / "schemas/experience.schema.json").read_text()))
            experience.validate(tomllib.loads('[[action]]\nkind = "linger"\nhours = 2'))
            with self.assertRaises(jsonschema.ValidationError):
                experience.validate(tomllib.loads('[[action]]\nkind = "linger"\nours = 2'))
            (own / "game/trouble/libtrouble.so").unlink()  # what is left out is told
            run = lyre("schema", "schemas", folder=own)
            self.assertEqual(run.returncode, 0)
            self.assertIn("trouble", run.stderr)

    def test_the_second_time_it_writes_the_same(self):
        before = {path.name: path.read_text() for path in self.folder.iterdir()}
        self.assertEqual(lyre("schema", str(self.folder)).returncode, 0)
        self.assertEqual({path.name: path.read_text() for path in self.folder.iterdir()}, before)

    def test_a_folder_that_cannot_be_made_is_one_line(self):
        # K-02, K-03
        run = lyre("schema", "/proc/nowhere")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertTrue(run.stderr.startswith("lyre schema: "))
        self.assertEqual(run.stderr.count("\n"), 1)
        run = lyre("schema")
        self.assertEqual((run.returncode, run.stderr), (2, "lyre schema: say where to write the schemas: lyre schema DIR\n"))


unittest.main()
