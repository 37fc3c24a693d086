"""`lyre plan`: what would come up, for whom, and what is left out.

usage: plan_test.py PROGRAM
"""
import json
import pathlib
import tempfile
import unittest

from program import CommandTest, lyre


class Plan(CommandTest):
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
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertRegex(run.stderr, "NotAllowed: .*allowed_features")
        errors = json.loads(self.plan("--feature", "bots", "--json").stdout)["errors"]
        self.assertEqual([(one["feature"], one["code"]) for one in errors], [("core", "NotAllowed"), ("bots", "NotAllowed")])


unittest.main()
