"""`lyre plan`: what would be loaded, without loading it.

usage: plan_test.py PROGRAM
"""
import json
import pathlib
import re
import tempfile
import unittest

from program import CommandTest, lyre

FILES = {
    "lyre.toml": 'name = "plans"\ncontent = ["content"]\nfeatures = ["features"]\ndefault_experience = "tag"\n',
    "features/arena_core/feature.toml": 'id = "arena_core"\nversion = "0.2.1"\n',
    "features/tag/feature.toml": """id = "tag"
version = "0.3.0"
[[dependency]]
id = "arena_core"
versions = "^0.2"
""",
    "features/hud/feature.toml": 'id = "hud"\nversion = "1.0.0"\n',
    "features/bots/feature.toml": 'id = "bots"\nversion = "2.0.0"\n',
    "features/chess/feature.toml": """id = "chess"
version = "1.0.0"
[[dependency]]
id = "tag"
kind = "incompatible"
reason = "both own the board"
""",
    "content/yard.map.toml": "bounds = { min = [-9.0, -9.0], max = [9.0, 9.0] }\n",
    "content/cellar.map.toml": "bounds = { min = [-4.0, -4.0], max = [4.0, 4.0] }\n",
    "content/tag.experience.toml": """title = "Tag"
features = ["tag", { id = "hud", side = "client" }, { id = "chat", need = "optional" }]
action_sets = ["yard"]
[[action]]
kind = "add_assets"
assets = ["map:cellar"]
side = "client"
[[action]]
kind = "rain"        # a kind that only a feature's code knows
name = "weather"
need = "optional"
""",
    "content/yard.action_set.toml": """features = ["arena_core"]
[[action]]
kind = "add_assets"
assets = ["map:yard"]
""",
    "content/bots.action_set.toml": """features = ["bots"]
[[action]]
kind = "say"
""",
    "content/chess.experience.toml": """title = "Chess"
features = ["chess"]
action_sets = ["yard"]
""",
    "content/both.experience.toml": 'features = ["chess", "tag", { id = "chat", need = "optional" }]\n',
    "content/broken.experience.toml": "features = 3\n",
}


class Plan(CommandTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for path, text in FILES.items():
            (cls.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (cls.folder / path).write_text(text)

    def plan(self, *words):
        return lyre("plan", *words, folder=self.folder)

    def test_a_plan_is_a_page_for_each_role(self):
        # E-97, X-39
        for role in ("standalone", "server", "client"):
            run = self.plan("tag", "--role", role)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.is_golden(f"plan_{role}", run.stdout)
            self.assertEqual(self.plan("experience:tag", "--role", role).stdout, run.stdout)
        self.assertEqual(self.plan("tag").stdout, self.plan("tag", "--role", "standalone").stdout)

    def test_features_and_sets_can_be_put_on_top(self):
        #
        run = self.plan("tag", "--with", "bots", "--with-set", "bots", "--role", "server")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.is_golden("plan_with", run.stdout)
        self.assertEqual(self.plan("tag", "--with-feature", "bots", "--with-set", "action_set:bots", "--role", "server").stdout,
                         run.stdout)

    def test_a_switch_says_what_is_kept_removed_and_added(self):
        #
        run = self.plan("tag", "--to", "chess", "--role", "client")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.is_golden("plan_switch", run.stdout)
        document = json.loads(self.plan("tag", "--to", "chess", "--role", "client", "--json").stdout)
        self.assertEqual(document["features"], {"kept": ["arena_core"], "removed": ["tag", "hud"], "added": ["chess"]})

    def test_json_is_one_document(self):
        # K-06
        run = self.plan("tag", "--json")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        plan = json.loads(run.stdout)
        self.assertEqual([f["id"] for f in plan["features"]], ["arena_core", "hud", "tag"])
        self.assertEqual([w["id"] for w in plan["without"]], ["chat"])
        self.assertEqual([a["kind"] for a in plan["actions"]], ["add_assets", "rain", "add_assets"])
        self.assertEqual([f["id"] for f in plan["files"]],
                         ["action_set:yard", "experience:tag", "map:cellar", "map:yard"])
        self.assertEqual(plan["bytes"], sum(f["bytes"] for f in plan["files"]))
        self.assertEqual(plan["bytes"], sum((self.folder / f["path"]).stat().st_size for f in plan["files"]))
        self.assertRegex(plan["content_hash"], r"^[0-9a-f]{16}$")
        hashes = {json.loads(self.plan("tag", "--role", role, "--json").stdout)["content_hash"]
                  for role in ("standalone", "server", "listen_server", "client")}
        self.assertEqual(hashes, {plan["content_hash"]})

    def test_what_cannot_be_is_told_with_its_cause_and_code_1(self):
        # E-41, K-02
        run = self.plan("both")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("experience:both cannot be loaded in a standalone game:\n  DependencyConflict: chess and tag", run.stderr)
        run = self.plan("both", "--json")
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        document = json.loads(run.stdout)
        self.assertEqual([c["code"] for c in document["causes"]], ["DependencyConflict"])
        self.assertEqual([(w["id"], w["wanted_by"]) for w in document["without"]], [("chat", "features[2] in experience:both")])
        run = self.plan("broken")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("error LY-2101", run.stderr)

    def test_unknown_names_are_one_line_with_the_nearest_and_code_2(self):
        # K-03, X-21
        wrong = {
            "tga": 'no experience "tga"; did you mean "tag"?',
            "map:yard": 'map:yard is no experience',
            "soccer": 'no experience "soccer"; there are both, broken, chess and tag',
            "tag --with soccer": 'no feature "soccer"; there are arena_core, bots, chess, hud and tag',
            "tag --with-set soccer": 'no action set "soccer"; there are bots and yard',
            "--feature soccer": 'no feature "soccer"; there are arena_core, bots, chess, hud and tag',
            "tag --role judge": 'no role "judge"; there are client, listen_server, server and standalone',
            "tag --to ches": 'no experience "ches"; did you mean "chess"?',
            "tag --with bts": 'no feature "bts"; did you mean "bots"?',
            "tag --with-feature bts": 'no feature "bts"; did you mean "bots"?',
            "tag --with-set yrad": 'no action set "yrad"; did you mean "yard"?',
            "--feature tga": 'no feature "tga"; did you mean "tag"?',
        }
        for words, said in wrong.items():
            run = self.plan(*words.split())
            self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", f"lyre plan: {said}\n"), words)

    def test_experiences_in_the_content_of_features_are_listed_and_planned(self):
        # F-81, X-39
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "lyre.toml").write_text('name = "inner"\nfeatures = ["game"]\ndefault_experience = "tag"\n')
            (root / "game/tag/stuff").mkdir(parents=True)
            (root / "game/tag/feature.toml").write_text(
                'id = "tag"\nversion = "1.0.0"\ncontent = "stuff"\n[module]\nname = "tag"\n')  # not built
            (root / "game/tag/stuff/tag.experience.toml").write_text('title = "Tag"\nfeatures = ["tag"]\n')
            self.assertRegex(lyre("list", "experiences", folder=root).stdout, r"^tag +Tag +default\n$")
            listed = json.loads(lyre("list", "assets", "--json", folder=root).stdout)["assets"]
            self.assertEqual([(one["id"], one["root"]) for one in listed], [("experience:tag", "tag")])
            run = lyre("plan", "tag", folder=root)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn("game/tag/stuff/tag.experience.toml", run.stdout)

    def test_features_alone_can_be_planned(self):
        #
        run = self.plan("--feature", "tag")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout, "  1  arena_core  0.2.1      needed by tag\n  2  tag         0.3.0      asked for\n")

    def test_several_features_stand_behind_one_option_or_several(self):
        #
        run = self.plan("--feature", "tag", "bots")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout.count("asked for"), 2)
        self.assertEqual(self.plan("--feature", "tag", "--feature", "bots").stdout, run.stdout)

    def test_experiences_are_listed(self):
        run = lyre("list", "experiences", folder=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.is_golden("list_experiences", run.stdout)
        listed = json.loads(lyre("list", "experiences", "--json", folder=self.folder).stdout)["experiences"]
        tag = next(one for one in listed if one["id"] == "experience:tag")
        self.assertEqual((tag["title"], tag["default"], tag["features"], tag["action_sets"]),
                         ("Tag", True, ["tag", "hud", "chat"], ["yard"]))


class Apart(CommandTest):
    """An experience and the features it needs, or not."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("lyre.toml", 'name = "apart"\ncontent = ["content"]\nfeatures = ["game"]\ndefault_map = "yard"\n')
        self.write("content/yard.map.toml", "bounds = { min = [-9.0, -9.0], max = [9.0, 9.0] }\n")
        self.write("game/core/feature.toml", 'id = "core"\nversion = "1.0.0"\ntags = ["Core.Late"]\n'
                   '[[action]]\nkind = "add_tags"\nname = "late"\nto = "Pawn"\ntags = ["Core.Late"]\n'
                   '[[action]]\nkind = "add_assets"\nbefore = ["late"]\nassets = ["map:hall"]\nneed = "optional"\n')
        self.write("game/core/content/hall.map.toml", "bounds = { min = [-9.0, -9.0], max = [9.0, 9.0] }\n")

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def test_what_lies_in_a_feature_that_is_not_planned_is_told_with_its_place(self):
        # E-41, X-39
        self.write("content/lost.experience.toml", 'assets = ["map:yard", "map:hall"]\n')
        said = ('error LY-4014: map:hall for "assets" in experience:lost is of feature core, which the experience does not '
                'bring\n  --> content/lost.experience.toml:1:23\n')
        run = lyre("plan", "lost", folder=self.root)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn(said, run.stderr)
        self.assertIn('^ add "core" to features\n', run.stderr)
        self.assertTrue(run.stderr.endswith("lyre plan: experience:lost cannot be loaded: 1 problem\n"), run.stderr)
        self.assertEqual(json.loads(lyre("plan", "lost", "--json", folder=self.root).stdout)["problems"][0]["code"], "LY-4014")
        self.assertIn(said, lyre("check", folder=self.root).stdout)
        self.assertEqual(lyre("play", "--experience", "lost", "--seconds", "1", folder=self.root).returncode, 1)
        run = lyre("plan", "lost", "--with", "core", folder=self.root)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        run = lyre("play", "--experience", "lost", "--with", "core", "--seconds", "1", folder=self.root)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_a_set_that_lies_in_a_feature_is_refused_though_the_feature_is_planned(self):
        # E-33, X-39
        self.write("game/core/content/kit.action_set.toml", 'features = ["core"]\n')
        self.write("content/lost.experience.toml", 'features = ["core"]\naction_sets = ["kit"]\n')
        said = 'action_set:kit for action_sets[0] in experience:lost is of feature core, which is not there yet when'
        self.assertIn(said, lyre("check", folder=self.root).stdout)
        self.assertEqual(lyre("plan", "lost", folder=self.root).returncode, 1)

    def test_what_features_do_themselves_is_part_of_the_plan(self):
        #
        self.write("content/tag.experience.toml", 'features = ["core"]\n')
        run = lyre("plan", "tag", folder=self.root)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("actions of its features, each when it becomes active:\n"
                      "  add_assets  action 2 in feature core (optional)\n  add_tags    action 1 in feature core\n", run.stdout)
        [feature] = json.loads(lyre("plan", "tag", "--json", folder=self.root).stdout)["features"]
        self.assertEqual([(a["kind"], a["index"]) for a in feature["actions"]], [("add_assets", 1), ("add_tags", 0)])

    def test_what_excludes_a_feature_that_is_active_from_the_start_cannot_be_had(self):
        # X-39, E-41
        self.write("game/always/feature.toml", 'id = "always"\nversion = "1.0.0"\ninitial_state = "active"\n')
        self.write("game/solo/feature.toml",
                   'id = "solo"\nversion = "1.0.0"\n[[dependency]]\nid = "always"\nkind = "incompatible"\n')
        self.write("content/solo.experience.toml", 'features = ["core", "solo"]\n')
        run = lyre("plan", "solo", folder=self.root)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("DependencyConflict: feature solo, wanted by features[1] in experience:solo: always and solo cannot be "
                      "active in one world, as solo says; always is active from the start, by game/always/feature.toml: "
                      "take one of them out", run.stderr)
        said = lyre("check", folder=self.root).stdout
        self.assertIn("error LY-4010: feature solo, wanted by features[1] in experience:solo: always and solo cannot be "
                      "active in one world, as solo says\n  --> content/solo.experience.toml:1:21\n", said)
        self.assertIn("always is active from the start, by game/always/feature.toml: take one of them out", said)
        run = lyre("play", "--experience", "solo", "--seconds", "1", folder=self.root)
        self.assertEqual(run.returncode, 1)
        self.assertIn("always and solo cannot be active in one world", run.stderr)

    def test_a_manifest_that_is_wrong_is_told_once(self):
        self.write("game/bad/feature.toml", 'id = "bad"\nversion = "1"\n')
        for words in (["plan", "--feature", "core"], ["list", "features"]):
            self.assertEqual(lyre(*words, folder=self.root).stderr.count("is no version"), 1)


class FeaturePlan(CommandTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.project()
        self.feature("core")
        self.feature("show", '[[dependency]]\nid = "core"\nside = "client"\n')
        self.feature("bots", '[[dependency]]\nid = "core"\n')
        self.feature(
            "tag",
            '[[dependency]]\nid = "core"\n[[dependency]]\nid = "show"\n'
            '[[dependency]]\nid = "bots"\nkind = "optional"\n',
        )

    def project(self, more=""):
        (self.root / "lyre.toml").write_text(f'name = "plan"\nfeatures = ["game"]\n{more}')

    def feature(self, name, more=""):
        (self.root / "game" / name).mkdir(parents=True)
        (self.root / "game" / name / "feature.toml").write_text(f'id = "{name}"\nversion = "1.0.0"\n{more}')

    def plan(self, *words):
        return lyre("plan", *words, folder=self.root)

    def reasons(self, *words):
        run = self.plan(*words, "--json")
        return {one["id"]: one["reason"] for one in json.loads(run.stdout)["features"]}

    def test_each_is_listed_with_who_needs_it_in_that_role(self):
        # F-42, F-62
        self.assertEqual(
            self.reasons("--feature", "tag", "--role", "client"),
            {"core": "needed by bots, show, tag", "bots": "needed by tag", "show": "needed by tag", "tag": "asked for"},
        )
        self.assertEqual(self.reasons("--feature", "tag", "--role", "server")["core"], "needed by bots, tag")

    def test_what_is_not_allowed_is_left_out_if_it_can_be(self):
        # F-34, X-108
        self.project('allowed_features = ["tag", "core", "show"]\n')
        run = self.plan("--feature", "tag")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, "without bots, wanted by tag: .*allowed_features")
        self.assertNotIn("bots", self.reasons("--feature", "tag"))

    def test_what_is_not_allowed_and_needed_is_an_error(self):
        # F-34, X-108
        self.project('allowed_features = ["tag", "show"]\n')
        run = self.plan("--feature", "tag")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stdout, "^     without bots, wanted by tag: ")
        self.assertRegex(run.stderr, "NotAllowed: .*allowed_features")
        errors = json.loads(self.plan("--feature", "bots", "--json").stdout)["errors"]
        self.assertEqual([(one["feature"], one["code"]) for one in errors], [("core", "NotAllowed"), ("bots", "NotAllowed")])

    def test_what_is_left_out_is_told_of_a_plan_that_does_not_work_out_too(self):
        # F-59, K-06
        self.feature("broken", '[[dependency]]\nid = "nowhere"\n[[dependency]]\nid = "chat"\nkind = "optional"\n')
        run = self.plan("--feature", "broken", "--json")
        self.assertEqual(run.returncode, 1)
        document = json.loads(run.stdout)
        self.assertEqual([one["code"] for one in document["errors"]], ["DependencyMissing"])
        self.assertEqual([(one["id"], one["wanted_by"]) for one in document["without"]], [("chat", "broken")])
        self.assertIn("without chat, wanted by broken", self.plan("--feature", "broken").stdout)


unittest.main()
