"""`lyre play` and `lyre why` in a pipe and on a terminal: matches of the sample game, one from one seed, a view that
leaves no trace, faults on purpose, signals.

usage: play_test.py PROGRAM
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import tempfile
import time
import termios
import unittest

from program import PROGRAM, ROOT, CommandTest, crash_codes, environment, lyre, without_progress

EXPERIENCES = ("control_points", "frontend", "tag")
MAPS = ("arena", "lobby", "yard")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ENDLESS = ("--set", "lyre.features.StepTimeoutSecs=0", "--set", "lyre.experience.StageTimeoutSecs=0")
KEYS = "q quit"  # the line below the picture when nothing else is shown
SAID = r"(?m)^ \d:\d\d "  # before what is told below the picture
WALL = "\u2593"


def result(text):
    """From the result on, without what depends on the machine."""
    return re.sub(r"\nmemory: .*", "", text[text.index("result of ") :])


def world_hash(text):
    return re.search(r"(?m)^world hash: (0x[0-9a-f]{16})$", text)[1]


def rule(effect, stage="feature_load", match="tag", **more):
    lines = {"stage": stage, "match": match, "effect": effect, **more}
    return "[[rule]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())


class PlayTest(CommandTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def plan(self, text):
        """A file with a fault plan, as words for the command."""
        path = self.folder / "faults.toml"
        path.write_text(text)
        return "--fault-plan", str(path)

    def fits(self, text, columns=80):
        for line in text.splitlines():
            self.assertLessEqual(len(line), columns, line)

    def is_one_line(self, run, pattern, code=2):
        self.assertEqual((run.returncode, run.stdout), (code, ""), run.stderr)
        self.assertRegex(run.stderr, pattern)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)

    def ends_well(self, text):
        self.assertIn("result of ", text)
        self.assertTrue(text.endswith("\nledger: empty\n"), text[-500:])


class InAPipe(PlayTest):
    def test_ten_seconds_are_a_match_with_its_loading_its_news_and_its_result(self):
        # K-04, K-05, K-09
        run = lyre("play", "--seconds", "10")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.ends_well(run.stdout)
        self.assertRegex(run.stdout, r"^plectrum on map arena, seed 1, 60 ticks per second\n")
        loaded = re.findall(r"(?m)^\S*control_points: (\w+)", run.stdout)
        self.assertEqual((loaded[0], loaded[-1]), ("Loading", "Loaded"), run.stdout)
        for stage in ("definition", "bundles", "features", "actions"):
            done, of = re.findall(rf"\b{stage} (\d+)/(\d+)", run.stdout)[-1]
            self.assertEqual(done, of, stage)
            self.assertGreater(int(of), 0, stage)
        self.assertRegex(run.stdout, r"(?m): Loading, definition 0/1 \(0 of \d+ bytes\)")
        self.assertRegex(run.stdout, r"(?m)^ +5\.0 s: Go!$")
        self.assertIn("\nresult of control_points after 10.0 s, 600 ticks, seed 1:\n", run.stdout)
        scores = re.findall(r"(?m)^ +\d+\. (\w+) +(\d+)  (\w+)$", run.stdout)
        self.assertEqual(len(scores), 8)
        self.assertEqual(len({name for name, _, _ in scores}), 8)
        self.assertEqual(sorted((int(score) for _, score, _ in scores), reverse=True), [int(score) for _, score, _ in scores])
        self.assertEqual({team for _, _, team in scores}, {"Red", "Blue"})
        self.assertEqual(re.findall(r"(?m)^ +(Red|Blue) +\d+$", run.stdout), ["Red", "Blue"])
        self.assertNotIn("\033", run.stdout)

    def test_its_lines_fit_80_columns(self):
        # K-04, K-09
        self.fits(lyre("play", "--seconds", "10").stdout)

    def test_ten_seconds_are_what_it_plays_if_nothing_else_is_said(self):
        # K-09
        self.assertEqual(result(lyre("play").stdout), result(lyre("play", "--seconds", "10").stdout))

    def test_everybody_is_ready_to_play(self):
        # K-09
        for name in re.findall(r"(?m)^ +\d+\. (\w+)", lyre("play", "--seconds", "1").stdout):
            run = lyre("why", "actor", name, "--pause-at", "1")
            self.assertRegex(run.stdout, r"\A#\d+\.\d+ \(ArenaHero\) is ready: .* GameplayReady\n", run.stderr)

    def test_the_same_seed_gives_the_same_match_and_another_seed_another(self):
        # W-12
        first, again = (lyre("play", "--seed", "0x2A").stdout for _ in range(2))
        self.assertEqual(first.partition("memory:")[0], again.partition("memory:")[0])
        self.assertNotEqual(world_hash(first), world_hash(lyre("play", "--seed", "43").stdout))
        self.assertNotEqual(world_hash(first), world_hash(lyre("play", "--seed", "42", "--set", "arena.Speed=9").stdout))

    def test_every_experience_plays_on_every_map(self):
        # K-09
        for experience in EXPERIENCES:
            for place in MAPS:
                run = lyre("play", "--experience", experience, "--map", place, "--seconds", "7")
                self.assertEqual((run.returncode, run.stderr), (0, ""), (experience, place))
                self.ends_well(run.stdout)
                self.assertTrue(run.stdout.startswith(f"plectrum on map {place}, "), run.stdout)
                self.assertRegex(run.stdout, rf"(?m)^\S*{experience}: Loaded")
                self.assertEqual(len(re.findall(r"(?m)^ +\d+\. \w", run.stdout)), 8)

    def test_one_match_follows_another(self):
        #
        run = lyre("play", "--seconds", "600")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.ends_well(run.stdout)
        played = re.findall(r"(?m)^(?:experience:)?(\w+): Loaded", run.stdout)
        self.assertEqual(played[:2], ["control_points", "frontend"])
        self.assertGreaterEqual(len(played), 5)
        self.assertIn(played[2], ("control_points", "tag"))

    def test_an_experience_and_a_map_may_be_said_as_they_are_listed(self):
        short = lyre("play", "--seconds", "1", "--experience", "tag", "--map", "lobby")
        long = lyre("play", "--seconds", "1", "--experience", "experience:tag", "--map", "map:lobby")
        self.assertEqual((long.returncode, result(long.stdout)), (0, result(short.stdout)))

    def test_what_is_put_on_top_takes_part(self):
        #
        plain = lyre("play", "--seconds", "10")
        for words in (("--with", "sprint"), ("--with-feature", "sprint")):
            run = lyre("play", "--seconds", "10", *words)
            self.assertEqual((run.returncode, run.stderr), (0, ""), words)
            self.assertNotEqual(world_hash(run.stdout), world_hash(plain.stdout))
        run = lyre("play", "--seconds", "7", "--experience", "frontend", "--with-set", "arena_match")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn(" s: Go!\n", run.stdout)

    def test_small_and_large_worlds_are_worlds(self):
        for words in (("--bots", "0"), ("--seconds", "0"), ("--tick-hz", "1"), ("--bots", "1"), ("--bots", "100"),
                      ("--tick-hz", "1000", "--seconds", "1")):
            run = lyre("play", *words)
            self.assertEqual((run.returncode, run.stderr), (0, ""), words)
            self.ends_well(run.stdout)
        self.assertNotRegex(lyre("play", "--bots", "0").stdout, r"(?m)^ +1\. ")
        self.assertRegex(lyre("play", "--bots", "100", "--seconds", "1").stdout, r"(?m)^ +16\. .*\n +and 84 more\n")

    def test_the_same_bots_join_whatever_the_rate_of_ticks(self):
        def names(*words):
            return set(re.findall(r"(?m)^ +\d+\. (\w+)", lyre("play", "--seconds", "1", *words).stdout))

        self.assertEqual(names("--tick-hz", "30"), names())

    def test_a_terminal_that_can_do_nothing_is_a_pipe(self):
        # K-04
        run = self.on_terminal("play", "--seconds", "1", TERM="dumb")
        self.assertEqual(run.finish(), 0)
        self.assertNotIn("\033", run.text)
        self.assertIn("ledger: empty", run.text)

    def test_unknown_names_are_one_line_with_the_nearest_and_start_nothing(self):
        # K-02, K-03
        wrong = {
            "--experience tga": r'no experience "tga"; did you mean "tag"\?',
            "--experience soccer": r'no experience "soccer"; there are control_points, frontend and tag',
            "--experience map:yard": "map:yard",
            "--map yrad": r'"yrad"; did you mean "yard"\?',
            "--with sprnt": r'no feature "sprnt"; did you mean "sprint"\?',
            "--with-feature sprnt": r'no feature "sprnt"; did you mean "sprint"\?',
            "--with-set arena_mach": r'arena_mach"; did you mean "(action_set:)?arena_match"\?',
            "--set lyre.gamemode.MaxRestartRetrys=3": r'no variable .*did you mean "lyre.gamemode.MaxRestartRetries"\?',
            "--set arena.Sped=3": r'no variable "arena.Sped"; did you mean "arena.Speed"\?',
            "--boats 3": r'no option "--boats"; did you mean "--bots"\?',
            "--fault-plan nowhere": "nowhere",
            "--why experience": "--why needs --pause-at SECONDS",
            "--map map:": 'no map "map:"; there are arena',
            "--with sprint --with feature:sprint": "feature:sprint is named twice",
        }
        for words, said in wrong.items():
            with self.subTest(words):
                self.is_one_line(lyre("play", *words.split()), "^lyre play: .*" + said)

    def test_an_empty_value_or_too_long_a_one_is_refused_in_a_line_of_its_own(self):
        # K-02, K-03
        for option in ("--experience", "--map", "--with", "--with-set", "--fault-plan", "--project", "--content", "--set",
                       "--why"):
            with self.subTest(option):
                self.is_one_line(lyre("play", option, ""), f"^lyre play: {option} needs a value$")
        run = lyre("play", "--fault-plan", "x" * 3000)
        self.is_one_line(run, '^lyre play: fault plan "x+')
        self.assertLess(len(run.stderr), 300)

    def test_the_memory_it_tells_is_its_own(self):
        # K-09
        words = (PROGRAM, "play", "--seconds", "0")
        shell = f"import os; b = bytearray(300 << 20); os.execv({PROGRAM!r}, {words!r})"
        run = subprocess.run(["python3", "-c", shell], cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=60)
        told = re.search(r"actors, ([\d,]+) KB resident at most", run.stdout)[1]
        own = re.search(r"actors, ([\d,]+) KB resident at most", lyre("play", "--seconds", "0").stdout)[1]
        self.assertLess(int(told.replace(",", "")), 2 * int(own.replace(",", "")))

    def test_names_that_are_near_nothing_get_those_there_are(self):
        # K-03
        for words, there in (("--map moon", "arena, lobby and yard"), ("--with-set soccer", "arena_match"),
                             ("--with soccer", "arena_core, bots, ")):
            with self.subTest(words):
                self.is_one_line(lyre("play", *words.split()), f"^lyre play: no .*; .*{there}")

    def test_a_value_that_a_variable_cannot_have_starts_nothing(self):
        # K-02, K-12
        for words in ("lyre.gamemode.MaxRestartRetries=-1", "arena.Speed=fast"):
            with self.subTest(words):
                name, value = words.split("=")
                self.is_one_line(lyre("play", "--seconds", "1", "--set", words), f'"{name}" takes .*, not "?{value}"?$')

    def test_a_project_that_is_missing_or_wrong_starts_nothing(self):
        # K-02, K-03
        run = lyre("play", folder=self.folder)
        wanted = "lyre play: no lyre.toml here or above; say --project DIR\n"
        self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", wanted))
        broken = ROOT / "tests/broken"
        for case, code in (("project_unknown_variable", 2), ("archetype_unknown_default", 1)):
            run = lyre("play", "--project", str(broken / case))
            self.assertEqual((run.returncode, run.stdout), (code, ""))
            self.assertIn("error LY-", run.stderr)
        run = lyre("play", "--project", str(broken / "map_unknown_class"), "--map", "yard")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertTrue(run.stderr.endswith("\nlyre play: map yard cannot be loaded: 1 problem\n"), run.stderr)
        self.assertEqual(run.stderr.count("unknown class"), 1, run.stderr)

    def test_what_the_project_does_not_say_has_to_be_said(self):
        # K-02, K-03
        (self.folder / "content").mkdir()
        (self.folder / "content/yard.map.toml").write_text("bounds = { min = [-9.0, -9.0], max = [9.0, 9.0] }\n")
        project = 'name = "own"\ncontent = ["content"]\n'
        for more, words, said in (("", (), "no default_map; say --map NAME"),
                                  ("", ("--map", "yard"), "nobody chooses an experience: say --experience ID"),
                                  ('game_mode = "GameMod"\n', ("--map", "yard"), '"GameMod" for game_mode of lyre.toml'),
                                  ('game_mode = "Pawn"\n', ("--map", "yard"), "a class of GameMode")):
            (self.folder / "lyre.toml").write_text(project + more)
            self.is_one_line(lyre("play", *words, folder=self.folder), "^lyre play: .*" + said)

    def test_it_ends_at_its_pause_where_nobody_can_go_on(self):
        run = lyre("play", "--pause-at", "3", "--seconds", "10")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("\nresult of control_points after 3.0 s, 180 ticks", run.stdout)


class Faults(PlayTest):
    def test_an_experience_that_fails_is_a_failure_that_names_the_feature(self):
        # K-02
        for match, code in (("tag", "disk_full"), ("arena_core", "")):
            more = {"code": code} if code else {}
            run = lyre("play", "--experience", "tag", *self.plan(rule("fail", match=match, **more)))
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertRegex(run.stdout, r"(?m)^\S*tag: Failed")
            self.assertIn("\nledger: empty\n", run.stdout)
            last = run.stderr.splitlines()[-1]
            self.assertTrue(last.startswith("lyre play: the experience failed: "), run.stderr)
            self.assertRegex(last, r"; `lyre why experience --experience tag --fault-plan \S+` says more$")
            self.assertEqual(run.stderr.count(code or "on purpose"), 1, run.stderr)
            self.assertRegex(last, rf"\b{match}\b")
            self.assertIn(code, last)

    def test_what_is_told_stands_behind_what_was_said_before(self):
        # K-04
        run = subprocess.run([PROGRAM, "play", "--experience", "tag", *self.plan(rule("fail"))], cwd=ROOT, text=True,
                             env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        self.assertTrue(run.stdout.splitlines()[-1].startswith("lyre play: the experience failed: "), run.stdout)

    def test_a_feature_it_can_do_without_is_left_out_and_named(self):
        # K-02
        run = lyre("play", "--experience", "tag", "--seconds", "1", *self.plan(rule("fail", match="bots")))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.ends_well(run.stdout)
        self.assertRegex(run.stderr, r"bots is left out")

    def test_what_comes_twice_late_or_in_another_order_changes_nothing_in_the_match(self):
        words = ("play", "--experience", "tag", "--seconds", "7")
        plain = lyre(*words)
        for faults in (rule("twice", match="*"), rule("delay", match="bots", seconds=2), rule("reorder", match="*", count=1)):
            run = lyre(*words, *self.plan(faults))
            self.assertEqual((run.returncode, run.stderr), (0, ""), faults)
            self.ends_well(run.stdout)
            self.assertEqual(re.findall(r"(?m)^ +\d+\. \w+", run.stdout), re.findall(r"(?m)^ +\d+\. \w+", plain.stdout))

    def test_a_wrong_plan_is_refused_with_its_place(self):
        # K-02, K-03
        wrong = {
            rule("fail", stage="feature_lod"): (2, 9, 'did you mean "feature_load"?'),
            rule("explode"): (4, 10, "delay"),
            rule("fail", seconds=3): (5, 11, "belongs to delay"),
            rule("delay", stage="action_hook", match="*", seconds=3): (4, 10, "action_hook"),
            "[[rule]\n": (1, 1, "[[rule]]"),
            "[[rul]]\n": (1, 3, '"rule"'),
        }
        for text, (line, column, hint) in wrong.items():
            with self.subTest(text):
                name, file = self.plan(text)
                for command in (("play",), ("why", "experience")):
                    run = lyre(*command, name, file)
                    self.assertEqual((run.returncode, run.stdout), (2, ""), run.stderr)
                    self.assertIn(f"  --> {file}:{line}:{column}\n", run.stderr)
                    self.assertIn(hint, run.stderr)
                    self.assertTrue(run.stderr.endswith(f"\nlyre {command[0]}: 1 problem in the fault plan\n"), run.stderr)

    def test_a_stall_names_what_is_waited_for_every_five_seconds(self):
        # K-05
        run = lyre("play", "--experience", "tag", "--seconds", "1", *self.plan(rule("delay", seconds=12)))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        stalls = [line for line in run.stdout.splitlines() if "stalled" in line]
        self.assertEqual(len(stalls), 2, run.stdout)
        for line, seconds in zip(stalls, (5, 10)):
            self.assertRegex(line, rf"stalled: feature tag: .*for {seconds}\.\d s")
        self.fits("\n".join(stalls))
        self.assertLess(run.stdout.index(stalls[-1]), run.stdout.index(": Loaded"))

    def test_everyone_who_stalls_is_named_also_in_one_state(self):
        # K-05
        late = self.plan(rule("delay", stage="definition", match="experience:tag", seconds=12)
                         + rule("delay", stage="bundle", match="experience:tag", seconds=12))
        run = lyre("play", "--experience", "tag", "--seconds", "1", *late)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        stalls = re.findall(r"(?m)^tag: stalled: (\w+) experience:tag.*, for (\d+)\.\d s$", run.stdout)
        self.assertEqual(stalls, [(kind, at) for kind in ("definition", "bundle") for at in ("5", "10")], run.stdout)

    def test_what_never_answers_fails_when_its_time_is_up(self):
        # K-02, K-05
        run = lyre("play", "--experience", "tag", *self.plan(rule("never")))
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"tag: .*longer than 60 s")
        self.assertIn("\nledger: empty\n", run.stdout)


class Signals(PlayTest):
    def start(self, *words):
        options = dict(cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True)
        return subprocess.Popen([PROGRAM, "play", "--experience", "tag", *words], **options)

    def until(self, run, word):
        for line in run.stdout:
            if word in line:
                return
        self.fail(f"{word!r} was not said: {run.stderr.read()}")

    def end(self, run):
        said, wrong = run.communicate(timeout=60)
        return said, without_progress(wrong)

    def moments(self):
        """Words, and what is said when the moment has come: in stages of loading, and in the match."""
        return {
            (*self.plan(rule("never")), *ENDLESS): "stalled",
            ("--set", "lyre.chaos.ExperienceDelayLoad.MinSecs=1_000_000", *ENDLESS, "--seconds", "1_000_000"): "stalled",
            ("--seconds", "1_000_000"): "Go!",
        }

    def test_a_signal_leaves_the_match_cleanly_with_its_result(self):
        # K-02, K-07
        for words, word in self.moments().items():
            for number in SIGNALS:
                with self.subTest(words=words, number=number):
                    run = self.start(*words)
                    self.until(run, word)
                    run.send_signal(number)
                    said, wrong = self.end(run)
                    self.assertEqual((run.returncode, wrong), (0, ""))
                    self.ends_well(said)

    def test_a_signal_in_any_stage_of_loading_leaves_cleanly(self):
        # K-07
        for stage, match in (("definition", "*"), ("bundle", "*"), ("asset", "*"), ("feature_mount", "*"),
                             ("feature_register", "*"), ("feature_load", "*"), ("feature_activate", "*")):
            with self.subTest(stage):
                run = self.start(*self.plan(rule("never", stage=stage, match=match)), *ENDLESS)
                self.until(run, "stalled")
                run.send_signal(signal.SIGINT)
                said, wrong = self.end(run)
                self.assertEqual((run.returncode, wrong), (0, ""), said[-500:])
                self.ends_well(said)

    def test_a_leave_that_never_ends_is_given_up_after_its_grace_and_what_is_left_is_told(self):
        # K-07, K-02
        begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        run = lyre("play", "--seconds", "1", "--bots", "1", "--set", "lyre.experience.PauserTimeoutSecs=0",
                   *self.plan('[[rule]]\nstage = "pauser"\neffect = "never"\n'))
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"(?m)^waiting for .*; a signal ends it now$")
        self.assertRegex(run.stdout, r"\nledger: [0-9]+ things left behind\n  world arena\n  feature ")
        self.assertTrue(14 < time.monotonic() - begin < 40)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 5)  # s; it sleeps meanwhile

    def test_a_match_waits_for_the_next_attempt_and_has_failed_when_the_last_has(self):
        # K-02
        (self.folder / "content").mkdir()
        (self.folder / "lyre.toml").write_text('name = "own"\ncontent = ["content"]\ndefault_map = "yard"\n')
        (self.folder / "content/yard.map.toml").write_text("bounds = { min = [-9.0, -9.0], max = [9.0, 9.0] }\n")
        (self.folder / "content/again.experience.toml").write_text(
            'features = ["nope"]\n[failure]\npolicy = "retry"\nattempts = 3\ndelay_secs = 10.0\n')
        run = lyre("play", "--experience", "again", "--seconds", "2", folder=self.folder)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("the experience failed: ", run.stderr)

    def test_what_is_tried_again_and_again_has_failed_of_one_cause_that_is_told_once(self):
        # K-02, K-14
        (self.folder / "content").mkdir()
        (self.folder / "lyre.toml").write_text(
            'name = "own"\ncontent = ["content"]\ndefault_map = "yard"\ndefault_experience = "again"\n')
        (self.folder / "content/yard.map.toml").write_text("bounds = { min = [-9.0, -9.0], max = [9.0, 9.0] }\n")
        for delay in ("0.0", "0.02"):
            (self.folder / "content/again.experience.toml").write_text(
                f'features = ["nope"]\n[failure]\npolicy = "retry"\nattempts = 3_000\ndelay_secs = {delay}\n')
            run = lyre("play", "--seconds", "1", folder=self.folder)
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, r'\Alyre play: the experience failed: .*no feature "nope".*\n\Z')
            self.assertIn("\nagain: Failed, attempt 2,048\n", run.stdout)
            self.assertIn("\nagain: Failed, attempt 3,000\n", run.stdout)
            self.assertLess(run.stdout.count("\n"), 40)
            run = lyre("why", "experience", folder=self.folder)
            self.assertEqual((run.returncode, run.stdout.count('feature "nope"')), (0, 1), run.stdout)
            self.assertLess(run.stdout.count("\n"), 40)
            run = lyre("play", "--pause-at", "1", folder=self.folder)  # it is tried for 5 s by then
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, r'\Alyre play: the experience failed: .*no feature "nope".*\n\Z')
            self.assertNotIn("attempt 2,048", run.stdout)

    def test_a_second_signal_ends_it_at_once_with_130(self):
        # K-02, K-07
        for words, word in self.moments().items():
            with self.subTest(words):
                run = self.start(*words)
                self.until(run, word)
                for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):  # both before it reacts
                    run.send_signal(number)
                run.communicate(timeout=60)
                self.assertEqual(run.returncode, 130)

    def test_a_signal_to_why_ends_it_with_130(self):
        # K-02
        command = [PROGRAM, "why", "experience", "--pause-at", "1_000_000"]
        run = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        begun = time.monotonic()
        while self.caught(run.pid) & 1 << signal.SIGINT - 1 == 0 and time.monotonic() < begun + 60:
            pass
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.communicate(timeout=60), (b"", b"lyre why: interrupted\n"))
        self.assertEqual(run.returncode, 130)

    def caught(self, pid):
        """The signals that a process has a handler for, as bits."""
        return int(re.search(r"SigCgt:\s+(\w+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1], 16)

    def test_a_signal_to_a_command_without_a_result_is_told_and_ends_it_with_130(self):
        # K-02, K-06
        for words in (("list", "assets", "--json"), ("plan", "tag", "--json"), ("list", "features"), ("check",),
                      ("why", "experience", "--pause-at", "1_000_000", "--json")):
            with self.subTest(words):
                answer = "" if words[0] == "why" else lyre(*words).stdout
                for _ in range(100):  # it may be quicker than the signal
                    run = subprocess.Popen([PROGRAM, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                           env=environment(), text=True)
                    while run.poll() is None and self.caught(run.pid) & 1 << signal.SIGTERM - 1 == 0:
                        pass
                    run.send_signal(signal.SIGTERM)
                    said, told = run.communicate(timeout=60)
                    if run.returncode != 0 and said != answer:
                        break
                    self.assertEqual(said, answer)
                self.assertEqual((run.returncode, told), (130, f"lyre {words[0]}: interrupted\n"))
                if "--json" in words:
                    self.assertEqual(json.loads(said), {"problems": [], "dropped": 0, "error": "interrupted"})

    def test_whenever_a_signal_comes_json_is_one_document(self):
        # K-06
        for delay in range(150):
            run = subprocess.Popen([PROGRAM, "why", "experience", "--pause-at", "1_000_000", "--json"], cwd=ROOT,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True)
            while self.caught(run.pid) & 1 << signal.SIGTERM - 1 == 0:
                pass
            time.sleep(delay / 10_000)
            run.send_signal(signal.SIGTERM)
            said, _ = run.communicate(timeout=60)
            self.assertEqual(json.loads(said)["error"], "interrupted")

    def test_a_signal_writes_nothing_into_half_an_answer(self):
        # K-06
        answer = lyre("list", "errors", "--json").stdout  # longer than the pipe
        run = subprocess.Popen([PROGRAM, "list", "errors", "--json"], cwd=ROOT, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment(), text=True, pipesize=4096)
        while self.waiting(run.stdout) < 4096:
            self.assertIsNone(run.poll())
        run.send_signal(signal.SIGSTOP)
        os.waitpid(run.pid, os.WUNTRACED)
        said = os.read(run.stdout.fileno(), 4096).decode()  # there is room when the signal is handled
        for number in (signal.SIGTERM, signal.SIGCONT):
            run.send_signal(number)
        said += run.communicate(timeout=60)[0]
        self.assertEqual((run.returncode, said), (130, answer[: len(said)]))

    def waiting(self, pipe):
        """How much can be read from a pipe."""
        return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4), "little")

    def test_what_is_told_of_a_signal_stands_in_place_of_the_progress_line(self):
        # K-02, K-04
        run = self.on_terminal("why", "experience", "--pause-at", "1_000_000")
        run.until(r"plays second")
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):  # both before it reacts
            run.send(number)
        self.assertEqual(run.finish(), 130)
        self.assertTrue(run.text.endswith("\r\033[Klyre why: interrupted\r\n"), run.text[-200:])

    def test_long_work_says_how_far_it_is(self):
        # K-04
        run = subprocess.Popen([PROGRAM, "why", "experience", "--pause-at", "1_000_000"], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        self.addCleanup(run.kill)
        line = run.stderr.readline()
        while line.startswith("lyre why: loads the experience: "):  # a slow machine
            line = run.stderr.readline()
        self.assertRegex(line, r"^lyre why: plays second \d+/1000000, \d+\.\d s\n$")
        self.assertGreater(float(re.search(r", (\d+\.\d) s", line)[1]), 4)  # of all of it, whatever was loaded meanwhile
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.communicate(timeout=60)[0], "")
        self.assertEqual(run.returncode, 130)

    def test_a_long_load_says_its_stage_how_much_of_it_is_done_and_who_is_waited_for(self):
        # K-04
        run = subprocess.Popen([PROGRAM, "why", "experience", "--experience", "tag", "--pause-at", "1_000_000",
                                *self.plan(rule("never")), *ENDLESS], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment())
        self.addCleanup(run.kill)
        said = r"^lyre why: loads the experience: features 3/4, \d+\.\d s: feature tag: Loading, for \d+\.\d s\n$"
        self.assertRegex(run.stderr.readline(), said)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.communicate(timeout=60)[0], "")

    def test_a_signal_before_the_view_is_up_leaves_cleanly(self):
        # K-07
        run = self.start()
        while self.caught(run.pid) & 1 << signal.SIGTERM - 1 == 0 and run.poll() is None:
            pass
        run.send_signal(signal.SIGTERM)
        said, wrong = self.end(run)
        self.assertEqual((run.returncode, wrong), (0, ""))
        self.assertTrue(said.endswith("ledger: empty\n"), said)


class Trouble(PlayTest):
    """A project of its own, with a feature of bad manners (modules/trouble.cpp)."""

    def setUp(self):
        super().setUp()
        folder = self.folder / "own"
        (folder / "content").mkdir(parents=True)
        (folder / "game/trouble").mkdir(parents=True)
        (folder / "lyre.toml").write_text(
            'name = "own"\ncontent = ["content"]\nfeatures = ["game"]\ndefault_map = "yard"\ndefault_experience = "quiet"\n')
        (folder / "content/yard.map.toml").write_text("bounds = { min = [-9.0, -9.0], max = [9.0, 9.0] }\n")
        (folder / "content/quiet.experience.toml").write_text('title = "Quiet"\nfeatures = ["trouble"]\n')
        shutil.copy(pathlib.Path(PROGRAM).parents[2] / "tests/command/libtrouble.so", folder / "game/trouble")
        self.own = folder
        self.manifest()

    def manifest(self, more=""):
        (self.own / "game/trouble/feature.toml").write_text(
            'id = "trouble"\nversion = "1.0.0"\n' + more + '[module]\nname = "trouble"\n')

    def test_what_is_said_of_a_crash_can_be_read_on_the_screen_that_came_back(self):
        # K-04
        for command, code, said in (("rule", -signal.SIGABRT, r"trouble\.cpp:\d+: rule broken: false\s+do not type this"),
                                    ("stack", -signal.SIGSEGV, r"\A"), ("null", -signal.SIGSEGV, r"\A"), ("exit", 3, r"\A"),
                                    ("terminate", -signal.SIGABRT, "nobody catches this")):
            with self.subTest(command):
                run = self.on_terminal("play", folder=self.own)
                run.shows(r"tick [1-9]")
                run.press(f":trouble.{command}\r")
                self.assertIn(run.finish(), crash_codes(code))
                self.assertTrue(run.is_restored)
                self.assertEqual(run.text[run.text.rindex("\033[?1049") :][:8], "\033[?1049l")
                self.assertIn("\033[?25h", run.text[run.text.rindex("\033[?25") :])
                self.assertRegex(run.after(), said)

    def test_what_is_put_on_top_twice_or_too_often_is_refused_before_features_start(self):
        # K-02, K-03
        self.manifest('initial_state = "active"\n')
        late = self.plan(rule("delay", match="trouble", seconds=12))  # which would be told
        for words, said in ((("--with", "trouble", "--with", "feature:trouble"), "feature:trouble is named twice"),
                            (("--with", "trouble") * 65, "at most 64 overlays")):
            self.is_one_line(lyre("play", *words, *late, folder=self.own), f"^lyre play: {said}$")

    def test_features_of_the_start_are_waited_for_with_a_page_or_lines_and_signals_are_seen(self):
        # K-04, K-05, K-07
        self.manifest('initial_state = "active"\n')
        late = lyre("play", "--seconds", "1", *self.plan(rule("delay", match="trouble", seconds=12)), folder=self.own)
        self.assertEqual((late.returncode, late.stderr), (0, ""))
        stalls = re.findall(r"(?m)^features from the start: stalled: feature trouble: Loading: .*, for (\d+)\.\d s$",
                            late.stdout)
        self.assertEqual(stalls, ["5", "10"])
        self.ends_well(late.stdout)
        never = self.plan(rule("never", match="trouble"))
        late = lyre("play", "--seconds", "1", *never, folder=self.own)
        self.assertRegex(late.stderr, r"late, it goes on without: trouble \(Loading: .*\)")
        for number in SIGNALS:
            run = self.on_terminal("play", *never, folder=self.own)
            page = run.shows(r"waits for feature trouble: Loading")
            self.assertRegex(page, r"(?m)^  features .* 0/1$")
            run.send(number)
            self.assertEqual(run.finish(), 0)
            self.assertTrue(run.is_restored)
            self.assertTrue(run.after().endswith("ledger: empty\n"), run.after())
        run = self.on_terminal("play", *never, folder=self.own, columns=30)
        self.assertRegex(run.shows("STALLED: feature trouble"), r"^own: features that are there *\n +from the start *\n")
        run.press("q")
        self.assertEqual(run.finish(), 0)
        answer = lyre("why", "experience", *never, folder=self.own)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))

    def test_at_the_start_the_one_that_others_wait_for_is_named(self):
        # K-05
        self.manifest('initial_state = "active"\n[[dependency]]\nid = "zither"\n')
        (self.own / "game/zither").mkdir()
        (self.own / "game/zither/feature.toml").write_text('id = "zither"\nversion = "1.0.0"\n')
        never = self.plan(rule("never", match="zither"))
        late = lyre("play", "--seconds", "1", *never, folder=self.own)
        stalls = re.findall(r"(?m)^features from the start: stalled: feature (\w+): (\w+)", late.stdout)
        self.assertEqual(stalls, [("zither", "Loading")] * 3, late.stdout)
        self.assertRegex(late.stderr, r"without: zither \(Loading: .*\), trouble \(LoadingDependencies: .* zither ")
        run = self.on_terminal("play", *never, folder=self.own)
        page = run.shows("waits for feature zither: Loading")
        self.assertRegex(page, r"(?m)^  features .* 0/2$")
        self.assertLess(page.index("feature zither: Loading"), page.index("feature trouble: LoadingDependencies"))
        run.press("q")
        self.assertEqual(run.finish(), 0)

    def linger(self):
        (self.own / "content/quiet.experience.toml").write_text(
            'title = "Quiet"\nfeatures = ["trouble"]\n[[action]]\nkind = "linger"\n')

    def test_who_is_waited_for_while_it_leaves_is_named(self):
        # K-05
        self.linger()
        with open(self.own / "content/quiet.experience.toml", "a") as file:
            file.write('[[action]]\nkind = "linger"\nname = "second"\n')
        second = rule("fail", stage="action_hook", match="*", nth=2)  # so the first one goes again
        run = lyre("play", "--seconds", "30", *self.plan(second), folder=self.own)
        self.assertEqual(run.returncode, 1)
        stalls = re.findall(r"(?m)^quiet: stalled: (.*), for (\d+)\.\d s$", run.stdout)
        self.assertEqual(stalls, [("pauser the last guest: experience:quiet, action 1 (linger)", "5")], run.stdout)

    def test_who_is_waited_for_at_the_end_is_named(self):
        # K-04, K-07
        self.linger()
        run = subprocess.Popen([PROGRAM, "play", "--seconds", "1", "--set", "lyre.experience.PauserTimeoutSecs=0"],
                               cwd=self.own, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment(),
                               text=True)
        self.addCleanup(run.kill)
        said = r"^waiting for pauser the last guest: .*, for \d+\.\d s; a signal ends it now\n$"
        self.assertRegex(run.stderr.readline(), said)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)


TOPICS = ("experience", "actor Moero", "feature bots", "component Moero Nameplate", "component Moero Marker")


class Stuck(PlayTest):
    """A class whose hero waits for a part that it does not have."""

    def setUp(self):
        super().setUp()
        (self.folder / "stuck.archetype.toml").write_text('parent = "Pawn"\n[[component]]\nclass = "HeroComponent"\n')
        (self.folder / "stuck.pawn_data.toml").write_text('class = "stuck"\n')
        (self.folder / "stuck.experience.toml").write_text('pawn = "stuck"\nfeatures = ["arena_core", "bots"]\n')
        self.words = ("--content", str(self.folder), "--experience", "stuck", "--bots", "2")

    def test_who_does_not_get_ready_is_named_while_it_plays(self):
        # K-05
        run = lyre("play", *self.words, "--seconds", "6")
        self.assertEqual(run.returncode, 0)
        self.assertRegex(run.stdout, r"(?m)^    5\.0 s: init states 0/2, stalled: #\d+\.1 #\d+\.1$")
        self.assertRegex(run.stderr, r"(?m)^framework\.init\.stall: #\d+\.1: Hero did not move for 5 s; ")
        self.assertRegex(run.stderr, r"(?m)^ +needs PawnExtension at DataInitialized")
        live = self.on_terminal("play", *self.words)
        page = live.shows(rf"{SAID}framework\.init\.stall: #\d+\.1: Hero did not move for 5 s; ")
        self.assertRegex(page.split("\n")[0], r"  init states 0/2(  |$)")
        live.press("q")
        self.assertEqual(live.finish(), 0)

    def test_everybody_who_gets_ready_is_counted_once(self):
        # K-05
        self.assertEqual(re.findall(r"init states .*", lyre("play").stdout), ["init states 8/8"])


class Why(PlayTest):
    def test_one_question_at_one_moment_has_one_answer_however_it_is_asked(self):
        # K-14
        live = self.on_terminal("play", "--pause-at", "3", columns=200, lines=60)
        live.shows("PAUSED")
        for topic in TOPICS:
            with self.subTest(topic):
                answer = lyre("why", *topic.split(), "--pause-at", "3")
                self.assertEqual((answer.returncode, answer.stderr), (0, ""))
                played = lyre("play", "--pause-at", "3", "--why", *topic.split())
                self.assertEqual((played.returncode, played.stderr), (0, ""))
                self.assertIn("\n" + answer.stdout + "result of control_points after 3.0 s", played.stdout)
                live.shows(KEYS, "g")
                shown = live.shows("any key goes back", f":why {topic}\r").split("\n")
                self.assertEqual(shown[1 : 1 + answer.stdout.count("\n")], answer.stdout.splitlines())
        live.shows(KEYS, "g")
        live.press("q")
        self.assertEqual(live.finish(), 0)

    def test_w_offers_questions_and_a_digit_asks_one(self):
        # K-14
        live = self.on_terminal("play", "--pause-at", "3", columns=200, lines=120)
        live.shows("PAUSED")
        offered = live.shows("a digit chooses", "w")
        asked = re.findall(r"(?m)^ +(\d)  why (.*)$", offered)
        self.assertLessEqual({"experience", "feature bots"}, {topic for _, topic in asked})
        self.assertTrue(any(topic.startswith("actor ") for _, topic in asked), offered)
        for digit, topic in asked:
            with self.subTest(topic):
                answer = lyre("why", *topic.split(), "--pause-at", "3").stdout
                live.shows(KEYS, "g")
                live.shows("a digit chooses", "w")
                shown = live.shows("any key goes back", digit).split("\n")
                self.assertEqual(shown[1 : 1 + answer.count("\n")], answer.splitlines())
        live.shows(KEYS, "g")
        live.press("q")
        self.assertEqual(live.finish(), 0)

    def test_a_question_of_the_command_line_is_answered_on_the_terminal_when_it_pauses(self):
        # K-14
        live = self.on_terminal("play", "--pause-at", "1", "--why", "feature", "bots", columns=200, lines=60)
        shown = live.shows(r"PAUSED[^\0]*any key goes back").split("\n")
        answer = lyre("why", "feature", "bots", "--pause-at", "1").stdout
        self.assertEqual(shown[1 : 1 + answer.count("\n")], answer.splitlines())
        live.press("g")
        live.shows(KEYS)
        live.press("q")
        self.assertEqual(live.finish(), 0)

    def test_a_load_that_stalls_or_has_failed_has_one_answer_however_it_is_asked(self):
        # K-14
        for faults, pause_at, said in ((rule("never"), "6", r"waits for feature tag, 6\.0 s"),
                                       (rule("fail"), "3", r"is Failed for 0\.0 s")):
            words = ("--experience", "tag", "--pause-at", pause_at, *self.plan(faults))
            for topic in ("experience", "feature tag"):
                with self.subTest(faults=faults, topic=topic):
                    asked = topic.split()
                    answer = lyre("why", *asked, *words)
                    self.assertEqual((answer.returncode, answer.stderr), (0, ""))
                    if topic == "experience":
                        self.assertRegex(answer.stdout, said)
                        self.assertRegex(answer.stdout, r"\bfeature tag\b")  # who it was
                    self.assertIn("\n" + answer.stdout, lyre("play", *words, "--why", *asked).stdout)
                    live = self.on_terminal("play", *words, "--why", *asked, columns=200, lines=60)
                    shown = live.shows("any key goes back").split("\n")
                    self.assertEqual(shown[1 : 1 + answer.stdout.count("\n")], answer.stdout.splitlines())
                    live.press("gq")
                    live.finish()

    def test_an_actor_that_is_not_there_because_a_load_stalls_or_has_failed_is_a_failure_that_says_so(self):
        # K-02, K-14
        for faults, pause_at, said in (
            (rule("never"), "5", r'no actor "Moero" yet: experience:tag is LoadingGameFeatures: waits for feature tag, for 5\.0 s'),
            (rule("fail", code="disk_full"), "3", r'no actor "Moero": the experience has failed: FeatureFailed: .*disk_full'),
        ):
            words = ("--experience", "tag", "--pause-at", pause_at, *self.plan(faults))
            for topic in ("actor Moero", "component Moero Marker"):
                with self.subTest(said=said, topic=topic):
                    run = lyre("why", *topic.split(), *words)
                    self.assertEqual((run.returncode, run.stdout), (1, ""), run.stderr)
                    self.assertRegex(run.stderr, rf"\Alyre why: {said}.*\n\Z")
            run = lyre("play", *words, "--why", "actor", "Moero")
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, said if "yet" in said else r"the experience failed: .*FeatureFailed: .*disk_full")
            self.assertLessEqual(run.stderr.count("disk_full"), 1)  # a failure is told once

    def test_it_says_which_experience_was_chosen_by_whom(self):
        #
        run = lyre("why", "experience", "--experience", "tag")
        self.assertRegex(run.stdout, r"\Aexperience:tag, chosen by CommandLine, the first to name one\n")
        self.assertRegex(run.stdout, r"ProjectDefault +\"control_points\"")
        self.assertRegex(run.stdout, r"(?m)^experience:tag is Loaded for ")

    def test_an_experience_that_failed_or_waits_is_explained(self):
        #
        run = lyre("why", "experience", "--experience", "tag", *self.plan(rule("fail", code="disk_full")))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertRegex(run.stdout, r"Failed[^\0]*\btag\b[^\0]*disk_full")
        self.assertIn("it failed: FeatureFailed: feature tag: ", run.stdout)
        self.assertEqual(run.stdout.count("disk_full"), 1, run.stdout)
        run = lyre("why", "feature", "tag", "--experience", "tag", *self.plan(rule("fail", code="disk_full")))
        self.assertIn("disk_full", run.stdout)
        self.assertIn(", on its way to at most Installed\n", run.stdout)
        run = lyre("why", "feature", "tag", "--experience", "tag", *self.plan(rule("never")))
        self.assertRegex(run.stdout, r"\Afeature tag \S+: Loading, on its way to at least Loaded \(\d+ %\)\n")

    def test_actors_are_named_by_id_or_by_player(self):
        # K-14
        by_name = lyre("why", "actor", "Moero").stdout
        name = re.match(r"#(\d+)\.\d+", by_name)
        for written in (name[0], f"#{name[1]}"):
            self.assertEqual(lyre("why", "actor", written).stdout, by_name)

    def test_json_is_one_document_with_the_same_text(self):
        # K-06, K-14
        for topic in TOPICS:
            run = lyre("why", *topic.split(), "--pause-at", "3", "--json")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            document = json.loads(run.stdout)
            self.assertEqual(document["topic"], topic.split())
            self.assertEqual(document["text"], lyre("why", *topic.split(), "--pause-at", "3").stdout)
            self.assertIsInstance(document["report"], dict)

    def test_an_actor_and_a_component_have_records_too(self):
        # K-06
        report = lambda *topic: json.loads(lyre("why", *topic, "--pause-at", "3", "--json").stdout)["report"]
        actor = report("actor", "Moero")
        self.assertEqual((actor["init"]["is_registered"], actor["init"]["is_ready"]), (True, True))
        self.assertIn("feature nameplates", " ".join(one["owner"] for one in actor["receiver"]["requests"]))
        [wanted] = report("component", "Moero", "Nameplate")["wanted_by"]
        self.assertEqual((wanted["has_made_it"], wanted["owner"].split(" (")[0]), (True, "feature nameplates, action 1"))
        absent = report("component", "Moero", "Sprint")
        self.assertEqual((absent["component"], absent["requests"]), ("", []))

    def test_a_feature_is_the_same_record_in_the_list_in_the_report_of_a_match_and_in_its_text(self):
        # X-117, K-06
        listed = {one["id"]: one for one in json.loads(lyre("list", "features", "--json").stdout)["features"]}
        document = json.loads(lyre("why", "feature", "bots", "--pause-at", "1", "--json").stdout)
        report, text = document["report"], document["text"]
        self.assertEqual(list(report), list(listed["bots"]))  # keys, in one order
        moved = ("state", "module", "owners", "worlds", "holders", "ledger")  # what a match changes
        self.assertEqual([key for key in report if report[key] != listed["bots"][key]
                          and key not in (*moved, "dependencies")], [])
        self.assertEqual([{**one, "state": ""} for one in report["dependencies"]],
                         [{**one, "state": ""} for one in listed["bots"]["dependencies"]])
        said = [f"feature bots {report['version']}: {report['state']}"]
        said += [f"{one['owner']} wants it to be {one['level']}" for one in report["owners"]]
        said += [f"{one['kind']} dependency {one['id']} {one['versions']}: {one['found']}, {one['state']}"
                 for one in report["dependencies"]]
        said += [f"in world {world['world']}" for world in report["worlds"]]
        said += [f"what keeps it from being unloaded: {one['what']}" for one in report["holders"]]
        said += [f"{one['kind'].replace('_', ' ')} {one['id']}" for one in report["ledger"]]
        self.assertGreater(len(said), 10)
        for line in said:
            self.assertIn(line, " ".join(text.split()))

    def test_the_moment_is_five_seconds_unless_said(self):
        self.assertEqual(lyre("why", "experience").stdout, lyre("why", "experience", "--pause-at", "5").stdout)

    def test_wrong_topics_are_one_line(self):
        # K-02, K-03
        wrong = {
            "": "say what to ask about: experience",
            "expirience": 'no topic "expirience"; did you mean "experience"\\?',
            "xyzzy": 'no topic "xyzzy"; there are actor',
            "actor": 'too (few|many) words for "actor"',
            "experience now": 'too (few|many) words for "experience"',
            "actor #x": '"#x" is no actor\'s id: write #3.1, #3, or the name of a player',
            "actor #": '"#" is no actor\'s id: ',
            "actor #1.": '"#1." is no actor\'s id: ',
            "actor 1.2.3": '"1.2.3" is no actor\'s id: ',
            "actor #99999999999": '"#99999999999" is no actor\'s id: ',
            "component #3.x Marker": '"#3.x" is no actor\'s id: write #3.1, #3, or the name of a player',
            "feature bts": 'no feature "bts"; did you mean "bots"\\?',
            "feature soccer": 'no feature "soccer"; there are ',
            "experience --experience tga": 'no experience "tga"; did you mean "tag"\\?',
            "experience --jsn": 'no option "--jsn"; did you mean "--json"\\?',
        }
        for words, said in wrong.items():
            with self.subTest(words):
                run = lyre("why", *words.split())
                self.is_one_line(run, "^lyre why: " + said)

    def test_an_empty_name_is_refused_before_it_plays(self):
        # K-02
        for topic in (("actor", ""), ("component", "Moero", ""), ("feature", "")):
            self.is_one_line(lyre("why", *topic), '^lyre why: "" names nothing; there are: experience | actor ID')

    def test_an_actor_that_is_not_there_is_a_failure_that_says_who_is(self):
        # K-02
        wrong = {
            "actor Mero": 'no player "Mero"; did you mean "Moero"\\?',
            "actor Homer": 'no player "Homer"; there are .*Cleobulina, .* and Terpander',
            "component Mero Marker": 'no player "Mero"; did you mean "Moero"\\?',
            "actor #9999": r'no actor "#9999" lives; of players there are Cleobulina #\d+\.1, .* and 4 more',
            "actor 9999.1": 'no actor "9999.1" lives; of players there are ',
            "actor #12.7": r'no actor "#12.7" lives; in its place is #12\.1 \(\w+\)',
            "actor Moero --bots 0": 'no player "Moero"; nobody plays',
            "actor #9999 --bots 0": 'no actor "#9999" lives; nobody plays',
        }
        for words, said in wrong.items():
            with self.subTest(words):
                self.is_one_line(lyre("why", *words.split(), "--pause-at", "1"), f"^lyre why: {said}", 1)
                topic, _, more = words.partition(" --")
                run = lyre("play", "--pause-at", "1", *(["--" + more.replace(" ", "=")] if more else []), "--why",
                           *topic.split())
                self.assertEqual(run.returncode, 1)
                self.assertRegex(run.stderr, rf"\Alyre play: {said}.*\n\Z")

    def test_a_wrong_topic_in_play_starts_nothing(self):
        # K-02, K-03
        for topic in ("xyzzy", "actor", "feature bts", "actor #x", "actor #", "actor 1.2.3"):
            with self.subTest(topic):
                self.is_one_line(lyre("play", "--pause-at", "1", "--why", *topic.split()), "^lyre play: ")

    def test_answers_fit_80_columns(self):
        # K-04
        for topic in TOPICS:
            with self.subTest(topic):
                self.fits(lyre("why", *topic.split()).stdout)


class OnATerminal(PlayTest):
    def quit(self, run):
        run.press("q")
        self.assertEqual(run.finish(), 0)
        self.is_left_as_found(run)
        self.ends_well(run.after())

    def is_left_as_found(self, run):
        self.assertTrue(run.is_restored)
        last = run.text.rindex("\033[?1049")
        self.assertEqual(run.text[last : last + 8], "\033[?1049l")
        self.assertIn("\033[?25h", run.text[run.text.rindex("\033[?25") :])

    def tick(self, page):
        return int(re.search(r"\btick (\d+)", page)[1])

    def test_it_shows_pages_of_80_by_24_until_q(self):
        # K-04
        run = self.on_terminal("play")
        page = run.shows(r"tick [1-9]\d")
        self.quit(run)
        self.assertRegex(page, r"^control_points on arena ")
        self.assertIn("Cleobulina", page)
        self.assertRegex(page, r"(?m) Blue +0$")
        self.assertTrue(page.split("\n")[-1].startswith(KEYS), page)
        for page in run.pages():
            self.assertEqual(len(page), 24)
            self.assertLessEqual(max(map(len, page)), 80)
        self.assertRegex(run.text, r"\033\[0;3\d")

    def test_a_row_is_drawn_as_wide_as_it_is(self):
        # P-13
        for name, text in {
            "lyre.toml": 'name = "rock"\ncontent = ["c"]\ndefault_map = "field"\ndefault_experience = "calm"\n',
            "c/calm.experience.toml": 'title = "Calm"\n',
            "c/boulder.archetype.toml": (
                'parent = "Prop"\n[defaults]\nlook = { shape = "circle", glyph = "B", radius = 2.0 }\n'),
            "c/field.map.toml": ("bounds = { min = [-20.0, -8.0], max = [20.0, 8.0] }\n"
                                 'placed = [{ class = "boulder", at = [0.0, 0.0], scale = 2.0 }]\n'),
        }.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        run = self.on_terminal("play", "--project", str(self.folder), "--seconds", "0.5")
        self.assertEqual(run.finish(), 0)
        page = next(page for page in reversed(run.pages()) if any("B" in line for line in page))
        middle = next(number for number, line in enumerate(page) if "\u00b7" in line and "B" in line)
        around = [number for number, line in enumerate(page) if "\u00b7" in line]
        self.assertGreaterEqual(len(around), 5, "\n".join(page))
        self.assertTrue(min(around) < middle < max(around))

    def test_who_stands_close_to_a_wall_is_not_drawn_in_it(self):
        # P-13
        walls = "".join(f"  {{ min = [-15.0, {y:.1f}], max = [15.0, {y + 1.6:.1f}] }},\n" for y in (-6.2, -2.6, 1.0, 4.6))
        starts = "".join(f'  {{ name = "start_{n}", at = [{x}.0, {y:.1f}] }},\n'
                         for n, (x, y) in enumerate((x, y) for x in (-10, 0, 10) for y in (-3.6, 0.0, 3.6)))
        (self.folder / "alleys.map.toml").write_text(
            f"bounds = {{ min = [-20.0, -8.0], max = [20.0, 8.0] }}\nbox = [\n{walls}]\npoint = [\n{starts}]\n")
        (self.folder / "calm.experience.toml").write_text('pawn = "arena_hero"\nfeatures = ["arena_core", "bots"]\n')
        run = self.on_terminal("play", "--content", str(self.folder), "--experience", "calm", "--map", "alleys",
                               "--pause-at", "0.02")
        page = run.shows("PAUSED")
        self.quit(run)
        self.assertGreater(page.count("\u2593" * 20), 3, page)
        lines = page.split("\n")
        at = [(y, found.start()) for y in range(1, 19) for found in re.finditer("[1-8]", lines[y][:54])]
        self.assertGreaterEqual(len(at), 6, page)
        for y, x in at:
            self.assertNotEqual((lines[y][x - 1], lines[y][x + 1]), ("\u2593", "\u2593"), page)

    def test_it_fits_other_sizes(self):
        # K-04
        for columns, lines in ((20, 5), (1, 1), (200, 60), (81, 2), (53, 16)):
            for words in ((), ("--map", "yard")):
                run = self.on_terminal("play", "--seconds", "0.5", *words, columns=columns, lines=lines)
                self.assertEqual(run.finish(), 0)
                self.is_left_as_found(run)
                self.ends_well(run.after())
                self.assertGreater(len(run.pages()), 2)
                self.assertLessEqual(max(len(line) for page in run.pages() for line in page), columns)
                self.assertEqual({len(page) for page in run.pages()}, {lines})

    def test_the_line_of_keys_has_those_there_is_room_for_and_how_to_see_all(self):
        # K-04
        run = self.on_terminal("play", "--experience", "frontend", "--map", "lobby", "--pause-at", "0.5", columns=90)
        for columns, keys in ((90, "q quit  space pause  n next  e experience  t feature  w why  ? all keys  :vote <choice>"),
                              (80, "q quit  space pause  e experience  t feature  w why  ? keys  :vote <choice>"),
                              (60, "q quit  space pause  e experience  ? keys  :vote <choice>"),
                              (40, "q quit  ? keys  :vote <choice>")):
            run.resize(columns, 24)
            run.shows(rf"PAUSED[^\0]*\n{re.escape(keys)}\Z")
        self.quit(run)

    def test_a_window_that_is_resized_is_filled_again(self):
        # K-04
        run = self.on_terminal("play")
        run.shows(r"tick [1-9]")
        for columns, lines in ((120, 40), (60, 10)):
            run.resize(columns, lines)
            page = run.shows(rf"\A(.*\n){{{lines - 1}}}.*\Z").split("\n")
            self.assertLessEqual(max(map(len, page)), columns)
        self.quit(run)

    def test_other_sizes_have_room_for_lists_and_answers(self):
        # K-04
        for columns, lines in ((20, 5), (1, 1)):
            run = self.on_terminal("play", "--pause-at", "0.2", columns=columns, lines=lines)
            for keys in ("w", "1", "?", ":help\r", "e", "x", "t", "g", "z"):
                run.press(keys)
                for _ in range(4):
                    run.read(0.1)
            run.press("g")
            self.quit(run)
            self.assertLessEqual(max(len(line) for page in run.pages() for line in page), columns)
            self.assertEqual({len(page) for page in run.pages()}, {lines})

    def test_no_color_is_respected(self):
        # K-04
        run = self.on_terminal("play", NO_COLOR="1")
        run.shows(r"tick [1-9]")
        self.quit(run)
        self.assertLessEqual(set(re.findall(r"\033\[([0-9;]*)m", run.text)), {"0", "0;0", "0;0;1", "0;0;1;7"})

    def test_without_colours_players_are_bold_and_the_list_has_the_letters_of_their_teams(self):
        # K-04
        run = self.on_terminal("play", NO_COLOR="1")
        page = run.shows(r"tick [1-9]\d")
        self.quit(run)
        self.assertEqual({team for team, _ in re.findall(r"(?m)([RB])[> ]([A-Z][a-z]+) +\d+$", page)}, {"R", "B"})
        self.assertRegex(run.text, r"\033\[0;0;1m[1-8]")

    def test_without_colours_and_teams_the_list_has_the_letters_of_colours(self):
        # K-04
        run = self.on_terminal("play", "--experience", "tag", "--pause-at", "6", NO_COLOR="1")
        page = run.shows("PAUSED")
        self.quit(run)
        [it] = re.findall(rf"{SAID}(\w+) is it *$", page)
        letters = {name: letter for letter, name in re.findall(r"(?m) \d([A-Z ])[> ]([A-Z][a-z]+) +\d+$", page)}
        self.assertEqual((len(letters), letters.pop(it), set(letters.values())), (8, "R", {"G"}), page)

    def test_a_terminal_without_unicode_gets_plain_signs(self):
        # K-04
        run = self.on_terminal("play", "--experience", "tag", *self.plan(rule("delay", seconds=1)), LC_ALL="C")
        run.shows(r"tick [1-9]")
        self.quit(run)
        self.assertTrue(run.text.isascii())

    def test_real_and_virtual_time_give_the_same_match(self):
        # W-12
        for words in (("--seed", "9"), ("--experience", "tag", "--map", "yard")):
            words = ("play", "--seconds", "2", *words)
            live = self.on_terminal(*words)
            live.shows(r"tick [1-9]")
            for keys in ("x2", "x1", "w1", "g", "?", "n", "z", ":help\r", "g", "e0", "t0", ":feature.state\r"):  # watching alone
                live.press(keys)
            self.assertEqual(live.finish(), 0)
            self.assertEqual(result(live.after()), result(lyre(*words).stdout))

    def test_space_pauses_and_a_dot_steps_one_tick(self):
        run = self.on_terminal("play")
        self.assertNotIn("PAUSED", run.shows(r"tick [1-9]"))
        first = self.tick(run.shows("PAUSED", " "))
        for _ in range(10):
            run.read(0.1)
        self.assertEqual(self.tick(run.shows("PAUSED")), first)
        for n in (1, 2, 3):
            self.assertEqual(self.tick(run.shows(rf"tick {first + n} .*PAUSED", ".")), first + n)
        self.assertGreater(self.tick(run.shows(r"\A(?!.*PAUSED)", " ")), first)
        self.quit(run)

    def test_a_dot_pauses_a_match_that_runs(self):
        run = self.on_terminal("play")
        run.shows(r"tick [1-9]")
        run.shows("PAUSED", ".")
        self.quit(run)

    def test_n_follows_the_next_and_begins_anew_after_the_last(self):
        run = self.on_terminal("play", "--bots", "3", "--pause-at", "0.5")
        followed = [re.search(r"(?m) >(\w+)", run.shows(r"PAUSED[^\0]* >\w"))[1]]
        for _ in range(3):
            followed.append(re.search(r" >(\w+)", run.shows(rf" >(?!{followed[-1]})", "n"))[1])
        self.quit(run)
        self.assertEqual(len(set(followed)), 3)
        self.assertEqual(followed[0], followed[3])

    def test_z_goes_closer_to_who_is_followed_and_back(self):
        run = self.on_terminal("play", "--pause-at", "0.5")
        far = run.shows("PAUSED").split("\n")[1:-1]
        near = self.other_picture(run, "z", far)
        self.assertIn("Cleobulina (Red)", "\n".join(line[:54] for line in near))
        self.assertEqual(self.other_picture(run, "z", near), far)
        self.quit(run)

    def other_picture(self, run, key, before):
        run.press(key)
        for _ in range(100):
            now = run.shows("PAUSED").split("\n")[1:-1]
            if now != before:
                return now
        self.fail(f"{key} changes nothing")

    def test_e_offers_experiences_and_a_digit_switches(self):
        #
        run = self.on_terminal("play")
        run.shows(r"^control_points on .*tick [1-9]")
        offered = run.shows("a digit chooses", "e")
        for name in EXPERIENCES:
            self.assertRegex(offered, rf"(?m)^ +\d  {name}\b")
        self.assertRegex(offered, r"control_points +\(now\)")
        run.shows(r"^tag on arena ", re.search(r"(\d)  tag\b", offered)[1])
        page = run.shows(r"^tag on arena [^\0]*Tag: get ready")
        self.assertIn("Cleobulina", page)
        self.assertNotRegex(page, r"(?m) Blue +0$")
        self.quit(run)

    def feature(self, run, name):
        """Presses t and the digit of a feature; gives what was said about it."""
        offered = run.shows("a digit chooses", "t")
        digit, state = re.search(rf"(?m)^ +(\d)  {name} +(\w+)", offered).groups()
        run.press(digit)
        return state

    def test_t_puts_a_feature_on_top_and_takes_it_off(self):
        #
        run = self.on_terminal("play")
        run.shows(r"tick [1-9]")
        for before, after in (("off", "on"), ("on", "off"), ("off", "on")):
            self.assertEqual(self.feature(run, "sprint"), before)
            said = run.shows(rf"{SAID}sprint {after}$")
            self.assertRegex(said, "^control_points on arena ")
            for _ in range(5):  # it is there, or has gone, some frames later
                run.read(0.1)
        why = run.shows("any key goes back", ":why feature sprint\r")
        self.assertRegex(why, r"sprint 0\.1\.0: Active")
        run.press("g")
        self.quit(run)

    def test_x_makes_what_is_loaded_next_go_wrong(self):
        # K-05
        run = self.on_terminal("play")
        run.shows(r"tick [1-9]")
        offered = run.shows("a digit chooses", "x")
        for text in ("seconds late", "fails", "never answers"):
            self.assertIn(text, offered)
        run.shows("the next feature will come late", re.search(r"(\d)  .*late", offered)[1])
        self.assertRegex(run.shows("a digit chooses", "e"), r"(\d)  tag\b")
        run.press("3")
        page = run.shows(r"waits for feature tag\b")
        self.assertRegex(page, r"(?m)^ +features .* 3/4")
        run.shows(r"^tag on arena [^\0]*Tag: get ready")
        self.quit(run)

    def test_a_feature_that_fails_on_top_is_told_in_the_view(self):
        run = self.on_terminal("play")
        run.shows(r"tick [1-9]")
        run.shows("will fail", "x" + "2")
        self.assertEqual(self.feature(run, "sprint"), "off")
        page = run.shows(r"sprint[^\0]*(?i:fail|left out|on purpose)")
        self.assertNotIn(" sprint on", page)
        self.quit(run)

    def test_a_long_line_shows_its_end_and_what_is_typed_after_escape_counts(self):
        # K-04
        run = self.on_terminal("play", "--pause-at", "0.2", columns=70, lines=10)
        run.shows("PAUSED")
        run.shows(r"\A([^\0]*\n)[x ]{0,68}end_\Z", ":" + "x " * 60 + "end")
        run.shows(r"q +quit", "\033?")
        run.shows(KEYS, "\033[A\033OPq")
        self.quit(run)

    def test_the_console_switches_puts_on_top_and_asks(self):
        #
        run = self.on_terminal("play", lines=60)
        run.shows(r"tick [1-9]")
        shown = run.shows("any key goes back", ":help\r")
        for command in ("experience <experience>", "with <feature>", "without <feature>", "why <topic>"):
            self.assertIn(command, shown)
        run.press("g")
        run.shows('did you mean "tag"', ":experience tga\r")
        run.shows(rf"{SAID}sprint on$", "g:with sprint\r")
        run.shows(rf"{SAID}sprint off$", ":without sprint\r")
        run.shows('did you mean "sprint"', ":with sprnt\r")
        run.shows(r"^tag on arena ", "g:experience tag\r")
        run.press("q")
        self.assertEqual(run.finish(), 0)

    def test_small_terminals_show_long_answers_line_by_line(self):
        # K-04
        run = self.on_terminal("play", "--pause-at", "0.2", columns=70, lines=3)
        run.shows("PAUSED")
        run.shows(r"\A.*\nq +quit *\n", "?")
        run.shows(r"\A.*\nspace +pause.*\n", " ")
        run.shows(r"\A.*\n\. +one tick *\n", " ")
        run.shows(KEYS[:4], "g")
        run.shows(r"\A.*\n\. +one tick *\n", "?  ")  # at once
        run.press("gq")
        self.assertEqual(run.finish(), 0)

    def test_a_colon_takes_a_line_for_the_console(self):
        run = self.on_terminal("play", "--pause-at", "0.2", columns=100, lines=50)
        run.shows("PAUSED")
        shown = run.shows("any key goes back", ":help\r")
        self.assertIn("help [name]", shown)
        self.assertIn("arena.Speed", shown)
        run.shows(KEYS, "g")
        run.shows(r":arena\.Sp_", ":arena.Spx\x7f")
        run.shows(r"arena\.Speed = 5", "eed\r")
        run.shows("any key goes back", ":arena.Speed 9\r")
        run.shows(r"arena\.Speed = 9", ":arena.Speed\r")
        run.shows(r'no command or variable "nowhere"', ":nowhere\r")
        run.shows(r'no topic "soccer"', ":why soccer\r")
        run.shows(r":ab_", ":ab")
        run.shows(KEYS, "\033")
        self.quit(run)

    def test_up_and_down_bring_earlier_lines_of_the_console_back(self):
        run = self.on_terminal("play", "--pause-at", "0.2", columns=100, lines=50)
        run.shows("PAUSED")
        run.shows(":x_", ":\033[A\033[Bx")  # there is none yet
        run.shows("no command", "\r")
        for line in ("arena.Speed", "arena.Speed 9", "arena.Speed 9"):
            run.shows("any key goes back", f":{line}\r")
        up, down = "\033[A", "\033OB"  # as terminals send them, of old and of late
        run.shows(r"\n:arena\.Speed 9_\Z", ":draft" + up)
        run.shows(r"\n:arena\.Speed_\Z", up)  # what was said twice is there once
        run.shows(r"\n:x_\Z", up + up + up)
        run.shows(r"\n:draft_\Z", 3 * down + down)
        run.shows(r"arena\.Speed = 9", up + up + "\r")
        for n in range(150):
            run.press(f":l{n}\r")
        run.shows(r"\n:l50_\Z", ":" + 200 * up)
        run.shows(KEYS, "\033")
        self.quit(run)

    def test_a_console_line_is_edited_as_in_a_shell(self):
        run = self.on_terminal("play", "--pause-at", "0.2", columns=100, lines=20)
        run.shows("PAUSED")
        left, right, home, end, delete = "\033[D", "\033[C", "\033[H", "\033[4~", "\033[3~"
        run.shows(r"\n:one twäo\Z", ":one two" + left + "ä")
        run.until(r":one twä\033\[7mo\033\[27m\033\[H")  # where the cursor is
        for keys, text in ((left + "\x7f", "one täo"), (delete, "one to"), (home + "x", "xone to"), (end + "!", "xone to!_"),
                           ("\x17", "xone _"), ("two" + left + left + "\x15", "wo"), (right + right + "!", "wo!_"),
                           ("\x01\x0b", "_"), ("a" + "\033[15~" + "\033[1;5C" + "b", "ab_")):
            run.shows(rf"\n:{text}\Z", keys)
        wide = "w" * 150
        run.shows(rf"\n:{wide[:99]}\Z", "\x15" + wide + home)
        run.shows(rf"\n{wide[:99]}_\Z", end)
        run.shows("no command or variable", "\r")
        run.press("g")
        self.quit(run)

    def test_tab_completes_what_the_console_knows(self):
        run = self.on_terminal("play", "--pause-at", "0.2", columns=100, lines=20)
        run.shows("PAUSED")
        for keys, text in (("exp\t", "experience _"), ("t\t", "experience tag _"), ("\t", "experience tag _"),
                           ("\x15arena.Spe\t", "arena.Speed _"), ("\x15with spr\t", "with sprint _"),
                           ("\x15why ac\tMo\t", "why actor Moero _"), ("\x15why feature ta\t", "why feature tag _"),
                           ("\x15help arena.Spe\t", "help arena.Speed _"),
                           ("\x15nothing\t", "nothing_"), ("\x15feature.a\tta\t", "feature.activate tag _"),
                           ("\x15fea\t", "feature._")):
            run.shows(rf"\n:{text}\Z", keys if text != "experience _" else ":" + keys)
        run.shows(r"\A.*\nfeature\.activate +feature\.cancel [^\0]*\n:feature\._\Z", "\t")
        self.assertNotIn("feature.cancel", run.shows(r"\n:feature\.x_\Z", "x"))
        run.press("\033")
        self.quit(run)

    def test_what_the_console_brought_goes_with_the_match(self):
        run = self.on_terminal("play")
        run.shows(r"tick [1-9]")
        run.shows("sprint: Active", ":feature.activate sprint\r")
        run.shows(KEYS, "g")
        self.quit(run)

    def test_a_question_mark_lists_the_keys_and_q_closes_what_is_shown_first(self):
        run = self.on_terminal("play")
        run.shows(r"tick [1-9]")
        shown = run.shows("any key goes back", "?")
        for key in ("q", "space", r"\.", "n", "z", "e", "t", "w", ":", "x"):
            self.assertRegex(shown, rf"(?m)^{key} +\w")
        run.shows(KEYS, "q")
        self.quit(run)

    def test_any_key_closes_what_is_shown_and_does_nothing_else(self):
        # K-04
        run = self.on_terminal("play", "--experience", "frontend", "--map", "lobby")
        run.shows(r"tick [1-9]")
        for keys in ("?", ":help\r", "w1"):
            self.all_pages(run, keys)
            self.assertNotIn("PAUSED", run.shows(rf"\n{KEYS}.*\Z", " "))
        for keys in ("??", "e?", "tx", "?q", ":help\re"):
            run.press(keys)
            for _ in range(3):
                run.read(0.1)
            run.shows(rf"\A(?!.*PAUSED)[^\0]*\n{KEYS}.*\Z")
        run.shows(r"\n:ab_\Z", "?:ab")  # who has read an answer writes the next line
        run.press("\033")
        self.quit(run)

    def test_a_long_text_leaves_nothing_of_the_picture_and_a_short_one_half_of_it_behind_an_edge(self):
        # K-04
        run = self.on_terminal("play", "--pause-at", "0.2")
        self.assertIn(WALL, run.shows("PAUSED"))
        self.assertNotIn(WALL, run.shows("any key goes back", "?"))
        offered = run.shows("a digit chooses", "ge").split("\n")
        edge = offered.index("\u2500" * 80)
        self.assertLess(edge, 8)
        self.assertIn(WALL, offered[17])
        run.press("g")
        self.quit(run)

    def test_keys_that_mean_nothing_do_nothing(self):
        run = self.on_terminal("play", "--pause-at", "0.2")
        before = run.shows("PAUSED")
        run.press("\033[A\033[B\033OP0ä\t\x00\x08")
        for _ in range(5):
            run.read(0.1)
        self.assertEqual(run.shows("PAUSED").split("\n")[1:], before.split("\n")[1:])
        self.quit(run)

    def test_the_loading_page_shows_the_stages_and_who_is_waited_for(self):
        # K-05
        run = self.on_terminal("play", "--experience", "tag", *self.plan(rule("delay", seconds=12)))
        page = run.shows("waits for feature tag")
        for stage in ("definition", "bundles", "features", "actions", "init states"):
            self.assertRegex(page, rf"(?m)^ +{stage} .* (\d+/\d+|-)(  [\d.]+( of [\d.]+)? \w+)?$")
        self.assertRegex(page, r"(?m)^ +bundles .*/\d+  .*\d (bytes|KB|MB)$")
        self.assertRegex(page, r"(?m)^ +features .* 3/4$")
        self.assertNotIn("w says more", page)
        stalled = run.shows("STALLED")
        self.assertLess(float(re.search(r"STALLED: feature tag.* (\d+\.\d) s", stalled)[1]), 8)
        self.assertIn("\n  w says more, e chooses another experience, q quits", stalled)
        asked = run.shows("any key goes back", ":why experience\r")
        self.assertRegex(asked, r"waits for feature tag")
        run.press("g")
        self.assertRegex(run.shows("a digit chooses", "w"), r"why feature tag\b")
        run.press("g")
        self.quit(run)

    def test_a_delay_that_content_wishes_is_a_stage_of_the_loading_page(self):
        # K-05
        run = self.on_terminal("play", "--experience", "tag", "--set", "lyre.chaos.ExperienceDelayLoad.MinSecs=12")
        page = run.shows("waits for delay lyre.chaos.ExperienceDelayLoad")
        self.assertRegex(page, r"(?m)^ +chaos .* 0/1$")
        for stage in ("definition", "bundles", "features"):
            self.assertRegex(page, rf"(?m)^ +{stage} .* (\d+)/\1(  |$)")
        run.shows(r"STALLED: delay lyre\.chaos\.ExperienceDelayLoad: [67]\.\d s of world time, for [56]\.\d s")
        self.quit(run)

    def test_a_load_that_fails_stays_on_the_page_until_q(self):
        # K-02, K-05
        run = self.on_terminal("play", "--experience", "tag", *self.plan(rule("fail", code="disk_full")))
        page = run.shows("failed: ")
        self.assertEqual(page.count("disk_full"), 1, page)
        self.assertIn("w says more, e chooses another experience, q quits", page)
        self.assertEqual(run.shows("the next feature will fail", "x2").count("disk_full"), 1)
        run.press("q")
        self.assertEqual(run.finish(), 1)
        self.is_left_as_found(run)
        self.assertIn("lyre play: the experience failed: ", run.after())

    def test_signals_end_it_cleanly_while_it_loads_and_while_it_plays(self):
        # K-02, K-07
        for words, pattern in ((("--experience", "tag", *self.plan(rule("never")), *ENDLESS), "waits for feature tag"),
                               ((), r"tick [1-9]")):
            for number in SIGNALS:
                with self.subTest(words=words, number=number):
                    run = self.on_terminal("play", *words)
                    run.shows(pattern)
                    begin = time.monotonic()
                    run.send(number)
                    self.assertEqual(run.finish(), 0)
                    self.assertLess(time.monotonic() - begin, 15)
                    self.is_left_as_found(run)
                    self.ends_well(run.after())

    def test_a_second_signal_ends_it_at_once_with_130(self):
        # K-02, K-07
        for words, pattern in ((("--experience", "tag", *self.plan(rule("never")), *ENDLESS), "waits for feature tag"),
                               ((), r"tick [1-9]")):
            run = self.on_terminal("play", *words)
            run.shows(pattern)
            for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):  # both before it reacts
                run.send(number)
            self.assertEqual(run.finish(), 130)
            self.is_left_as_found(run)

    def test_a_crash_gives_the_terminal_back(self):
        # K-04
        for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGQUIT):
            run = self.on_terminal("play")
            run.shows(r"tick [1-9]")
            run.send(number)
            self.assertIn(run.finish(), crash_codes(-number))
            self.is_left_as_found(run)

    def test_stopped_with_ctrl_z_it_gives_the_terminal_to_the_shell_and_takes_it_again(self):
        # K-04
        run = self.on_terminal("play", shell='"$@"; echo "stopped with $?"; read -r go; fg >/dev/null; echo "ended with $?"')
        run.shows(r"tick [1-9]")
        run.press("\x1a")
        run.until(r"\033\[\?1049l[\s\S]*stopped with 148\r\n")
        mode, before = termios.tcgetattr(run.inner), run.before
        self.assertEqual(mode[3], before[3])
        run.press("go\n")
        run.until(r"stopped with[\s\S]*\033\[\?1049h[\s\S]*q quit")
        run.press("q")
        run.until("ended with 0")
        run.finish()
        self.is_left_as_found(run)

    def test_ctrl_z_stops_nobody_whom_no_shell_could_continue(self):
        # K-04
        run = self.on_terminal("play")
        before = self.tick(run.shows(r"tick [1-9]\d"))
        run.press("\x1a")
        run.until(r"\033\[\?1049l[\s\S]*\033\[\?1049h")
        self.assertGreater(self.tick(run.shows(r"tick \d\d")), before)
        self.quit(run)

    def test_a_window_that_is_closed_leaves_cleanly(self):
        # K-07
        host, inner = pty.openpty()
        command = [PROGRAM, "play", "--experience", "tag", *self.plan(rule("fail", match="bots"))]
        run = subprocess.Popen(command, cwd=ROOT, stdin=inner, stdout=inner, stderr=subprocess.PIPE, env=environment(),
                               text=True, start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.addCleanup(run.kill)
        os.close(inner)
        shown = b""
        while not re.search(rb"tick [1-9]\d", shown):
            shown += os.read(host, 65536)
        os.close(host)
        _, said = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0)
        self.assertIn("bots is left out", said)  # what is told at the end, when all has been left

    def test_a_terminal_that_takes_no_output_keeps_nobody_from_ending_it(self):
        # K-07
        run = self.on_terminal("play")
        run.shows(r"tick [1-9]")
        termios.tcflow(run.inner, termios.TCOOFF)
        run.send(signal.SIGTERM)
        run.send(signal.SIGINT)
        self.assertEqual(run.process.wait(timeout=10), 130)
        mode, before = termios.tcgetattr(run.inner), run.before
        self.assertEqual(mode[3], before[3])
        termios.tcflow(run.inner, termios.TCOON)

    def test_a_terminal_that_nobody_reads_does_not_keep_the_match_from_being_left(self):
        # K-07
        for is_stopped in (True, False):
            run = self.on_terminal("play", columns=300, lines=200)
            run.shows(r"tick [1-9]")
            if is_stopped:
                termios.tcflow(run.inner, termios.TCOOFF)
            else:
                poll = select.poll()
                poll.register(run.inner, select.POLLOUT)
                while poll.poll(0):  # until it is full
                    time.sleep(0.05)
            begin = time.monotonic()
            run.send(signal.SIGINT)
            self.assertEqual(run.process.wait(timeout=60), 0)
            self.assertLess(time.monotonic() - begin, 15)
            termios.tcflow(run.inner, termios.TCOON)

    def test_a_ctrl_s_does_not_keep_the_screen_from_coming_back(self):
        # K-04, K-07
        for number in (signal.SIGTERM, signal.SIGHUP):
            run = self.on_terminal("play")
            before = self.tick(run.shows(r"tick [1-9]"))
            run.press("\x13")
            self.assertGreater(self.tick(run.shows(rf"tick (?!{before}\b)\d+")), before)
            run.send(number)
            self.assertEqual(run.finish(), 0)
            self.is_left_as_found(run)
            self.ends_well(run.after())

    def test_a_terminal_that_says_it_is_huge_is_drawn_in_part(self):
        # K-04
        run = self.on_terminal("play", columns=30000, lines=30000)
        page = run.shows(r"tick [1-9]").split("\n")
        self.assertEqual((len(page), max(map(len, page))), (400, 1000))
        run.press("q")
        self.assertEqual(run.finish(), 0)
        memory = re.search(r"([\d,]+) KB resident", run.after())[1]
        self.assertLess(int(memory.replace(",", "")), 2_000_000)

    def test_lines_that_are_too_wide_go_on_in_the_next_and_space_shows_the_rest(self):
        # K-04
        run = self.on_terminal("play", "--pause-at", "0.2", columns=60)
        run.shows("PAUSED")
        text = re.sub(r"\s+", " ", self.all_pages(run, ":help\r"))
        for said in ("feature.unload <feature>: brings a feature down to Installed: its code leaves memory",
                     "arena.Choices = \"\" (code): experiences one can vote for, with spaces between"):
            self.assertIn(said, text)
        run.press("g")
        self.quit(run)

    def all_pages(self, run, keys):
        """What keys show over the picture, page by page."""
        shown, text = run.shows("any key goes back", keys), ""
        while True:
            text += "\n".join(shown.split("\n")[1:-6]).partition("... ")[0] + "\n"
            more = re.search(r"\.\.\. (\d+) more lines; space shows them", shown)
            if not more:
                return text
            shown = run.shows(rf"\A(?![^\0]*\.\.\. {more[1]} more)", " ")

    def test_what_the_view_says_stands_in_the_feed_in_order_of_time_and_the_newest_is_bold(self):
        # P-13
        run = self.on_terminal("play", "--pause-at", "5.5")
        run.shows(r"tick [1-9]")
        page = run.shows(r"PAUSED[^\0]* Go!", ":with sprint\r")
        self.assertRegex(page, r"\n 0:0[0-4] sprint on *\n( 0:0\d .*\n)* 0:05 Go! *\n")
        self.assertRegex(run.text, r"\033\[0;0;1m 0:05 Go!")
        self.assertRegex(run.text, r"\033\[0;2m 0:0[0-4] sprint on")
        run.shows(r"\n 0:05 Go! *\n 0:05 the next feature will fail *\n", "gx2")
        self.quit(run)

    def pictures(self, run, pattern):
        """Pages until one has the pattern, each as lines of the picture alone."""
        run.until(pattern)
        return [[line.ljust(80)[:54] for line in page[1:19]] for page in run.pages() if re.search(r"tick [1-9]", page[0])]

    def test_labels_cover_no_player_and_no_wall_and_no_sign_moves_for_one(self):
        # P-13
        (self.folder / "empty.experience.toml").write_text('features = ["arena_core"]\n')
        bare = self.on_terminal("play", "--content", str(self.folder), "--experience", "empty", "--map", "arena")
        walls = self.pictures(bare, r"tick [1-9]\d")[-1]
        self.quit(bare)
        run = self.on_terminal("play", "--seconds", "14")
        pictures = self.pictures(run, r"tick 8[0-3]\d")
        self.assertEqual(run.finish(), 0)
        self.assertGreater(len(pictures), 50)
        signs = [(y, x) for y, line in enumerate(pictures[0]) for x in [m.start() for m in re.finditer(r"(?<![\w])[ABC]\b", line)]]
        self.assertEqual(len(signs), 3, pictures[0])
        for picture in pictures:
            for y, line in enumerate(walls):
                for x, sign in enumerate(line):
                    if sign == WALL:
                        self.assertIn(picture[y][x], WALL + "12345678", "\n".join(picture))
            for y, x in signs:
                self.assertIn(picture[y][x], "ABC12345678", "\n".join(picture))

    def test_a_label_keeps_its_side_of_its_player_as_long_as_it_has_room_there(self):
        # P-13
        run = self.on_terminal("play", "--experience", "tag", columns=140, lines=40)
        run.shows(r"tick [1-9]", "z")
        run.until(r"tick 9[0-9]\d")
        names = dict(re.findall(r"(?m) (\d)[ >]+([A-Z][a-z]+) +\d+$", "\n".join(run.pages()[-1])))
        self.quit(run)
        sides = {number: [] for number in names}
        for page in run.pages():
            picture = [line.ljust(140)[:114] for line in page[1:35]]
            for number, name in names.items():
                sign, label = (self.only(picture, rf"(?<!\d){text}\b") for text in (number, name))
                if sign and label:
                    sides[number].append((label[0] - sign[0], label[1] - sign[1]))
        self.assertGreater(sum(map(len, sides.values())), 500)
        moves = sum(now != then for side in sides.values() for then, now in zip(side, side[1:]))
        self.assertLess(moves, 40)

    def only(self, picture, pattern):
        """Where in the picture it is, if it is there once."""
        places = [(y, found.start()) for y, line in enumerate(picture) for found in re.finditer(pattern, line)]
        return places[0] if len(places) == 1 else None

    def test_who_moves_is_bright_what_lies_about_is_dim_and_who_is_followed_is_marked(self):
        # P-13
        run = self.on_terminal("play", "--experience", "tag", "--pause-at", "6")
        run.shows("PAUSED")
        self.quit(run)
        last = run.text[run.text.rindex("PAUSED") :]
        self.assertRegex(last, r"\033\[0;32;2m[,T]")
        self.assertRegex(last, r"\033\[0;9[12];1m[1-8]")
        self.assertEqual(len(re.findall(r"\033\[0;9[12];1;7m[1-8]\033\[0", last)), 1)

    def test_the_team_that_leads_has_a_star_and_a_score_that_rises_a_sign(self):
        # P-13
        run = self.on_terminal("play")
        page = run.shows(r" \* (Red|Blue) +\u25b2 +\d+\n")
        self.assertEqual(page.count("* "), 1, page)
        self.quit(run)

    def test_what_was_played_stays_in_sight_while_something_on_top_loads(self):
        # K-05
        run = self.on_terminal("play", *self.plan(rule("delay", match="sprint", nth=1, seconds=0.12)))
        run.shows(r"tick [1-9]")
        self.feature(run, "sprint")
        run.shows(rf"{SAID}sprint on$")
        self.feature(run, "sprint")
        run.shows(rf"{SAID}sprint off$")
        self.assertNotIn("ature sprint: ", "\n".join("\n".join(page) for page in run.pages()))  # it did not blink
        run.shows("will come late", "x" + "1")
        self.feature(run, "sprint")
        page = run.shows("waits for feature sprint")
        self.assertRegex(page, r"\n +features .* \d+/\d+")
        self.assertNotIn("bundles", page)
        for seen in (WALL, "Melinno"):
            self.assertIn(seen, page)
        self.assertNotIn("a tick takes", page)
        self.assertRegex(page, r"\A.* WAITS\n")
        self.assertIn(WALL, run.shows("STALLED"))
        run.shows(rf"{SAID}sprint on$[^\0]*late$[^\0]*sprint on$")
        self.assertIn("a tick takes", run.shows(r"\A(?!.*WAITS)"))
        self.assertNotIn("a tick takes", run.shows("PAUSED", " "))
        run.shows("never answer", "x" + "3")
        self.assertNotIn(WALL, run.shows(r"waits for feature tag[^\0]*", "e3"))
        self.quit(run)

    def test_f_shows_the_feed(self):
        run = self.on_terminal("play", "--experience", "frontend", "--map", "lobby", "--pause-at", "8")
        run.shows("PAUSED")
        shown = run.shows("any key goes back", "f")
        self.assertRegex(shown, r"(?m)^0:0\d What next\? 1: control_points 2: tag$")
        self.assertEqual(len(re.findall(r"(?m)^0:0\d \w+ votes for ", shown)), 8)
        run.press("g")
        self.quit(run)

    def test_who_watches_votes_in_the_console_and_the_keys_say_how(self):
        # P-13
        run = self.on_terminal("play", "--experience", "frontend", "--map", "lobby", "--pause-at", "0.5")
        page = run.shows("PAUSED")
        self.assertTrue(page.endswith(":vote <choice>"), page)
        self.assertIn("vote <choice>", self.all_pages(run, ":help\r"))
        run.press("g")
        run.shows("your vote is for tag", ":vote tag\r")
        run.shows(rf"{SAID}The audience votes for tag$", "g")
        self.quit(run)
        self.assertFalse(run.pages()[0][-1].endswith(":vote <choice>"))

    def test_what_is_on_top_can_be_taken_off_while_its_load_stalls(self):
        #
        run = self.on_terminal("play")
        run.shows(r"tick [1-9]")
        run.shows("never answer", "x" + "3")
        self.assertEqual(self.feature(run, "sprint"), "off")
        run.shows(r"waits for feature sprint")
        self.assertEqual(self.feature(run, "sprint"), "on")
        run.shows(rf"{SAID}sprint off$")
        self.assertRegex(run.shows(r"tick [1-9]"), "^control_points on arena ")
        self.quit(run)

    def test_t_puts_on_top_of_what_is_on_its_way_whatever_is_published_by_then(self):
        #
        slow = self.plan(rule("delay", stage="definition", match="experience:tag", seconds=2))
        chaos = ("--set", "lyre.chaos.ExperienceDelayLoad.MinSecs=2")
        for words, keys, page in ((slow, "e3", r"tag: Loading\b"),
                                  ((*slow, "--experience", "tag"), "", r"tag: Loading\b"),
                                  ((*chaos, "--experience", "tag"), "", r"tag: LoadingChaosTestingDelay\b")):
            with self.subTest(words=words, keys=keys):
                run = self.on_terminal("play", *words)
                if keys:
                    run.shows(r"^control_points on .*tick [1-9]")
                run.shows(page, keys)
                self.assertEqual(self.feature(run, "sprint"), "off")
                run.shows(r"^tag on arena [^\0]*\n 0:\d\d sprint on *\n")
                self.quit(run)

    def test_a_failed_load_shows_what_is_on_top_and_is_tried_again_with_more(self):
        #
        run = self.on_terminal("play", "--experience", "tag", "--with", "sprint", *self.plan(rule("fail", nth=1)))
        run.shows("failed: ")
        self.assertEqual(self.feature(run, "sprint"), "on")
        run.shows("was put on top by --with, and goes with the match")
        run.press("g")
        self.assertEqual(self.feature(run, "nameplates"), "off")
        run.shows(r"^tag on arena [^\0]*\n 0:\d\d nameplates on *\n")
        self.quit(run)

    def test_a_feature_that_fails_on_top_of_one_that_stalls_brings_back_what_was_played(self):
        #
        faults = self.plan(rule("never", match="sprint") + rule("fail"))
        run = self.on_terminal("play", "--experience", "frontend", "--map", "lobby", *faults)
        run.shows(r"^frontend on .*tick [1-9]")
        self.feature(run, "sprint")
        run.shows("waits for feature sprint")
        self.feature(run, "tag")
        run.shows(r"^frontend on lobby [^\0]*\n 0:\d\d tag failed: ")
        self.quit(run)

    def test_a_match_without_what_fills_labels_and_zones_is_shown_all_the_same(self):
        # P-13
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "bare.experience.toml").write_text(
                'title = "Bare"\npawn = "arena_hero"\nfeatures = ["arena_core", "bots"]\n')
            run = self.on_terminal("play", "--content", folder, "--experience", "bare", "--bots", "2")
            page = run.shows(r"bare on .*tick [1-9]")
            self.assertRegex(page, r"Terpander +\d")
            self.quit(run)


unittest.main()
