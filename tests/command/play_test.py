"""`lyre play` in a pipe and on a terminal: one game from one seed, a view that leaves no trace, signals.

usage: play_test.py PROGRAM
"""
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

from program import PROGRAM, ROOT, CommandTest, OnTerminal, environment, lyre

QUICK = ("--bots", "6", "--map", "pen")


def result(text):
    """From the result on, without what depends on the machine."""
    return re.sub(r"\nmemory: .*", "", text[text.index("result after") :])


class InAPipe(CommandTest):
    def test_it_says_what_it_is_plays_ten_seconds_and_leaves_nothing(self):
        # K-04, K-09 as far as there is a game
        run = lyre("play")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue(run.stdout.startswith("Plectrum, the sample game, is not here yet;"))
        self.assertIn("8 wanderers among 10,000 crates\n(10,000 rows; 0 of them touched)", run.stdout)
        self.assertIn("\nresult after 10.0 s, 600 ticks:\n   1. ", run.stdout)
        self.assertTrue(run.stdout.endswith("\nnothing left behind\n"))
        self.assertNotIn("\033", run.stdout)
        self.assertLessEqual(max(map(len, run.stdout.splitlines())), 80)
        touched, broken = map(int, re.search(r"placed, (\d+) touched, \d+ awake, (\d+) broken", run.stdout).groups())
        self.assertGreater(touched, broken)
        self.assertGreater(broken, 0)

    def test_its_form(self):
        # K-04
        run = lyre("play", "--bots", "1", "--map", "meadow", "--seconds", "2")
        text = re.sub(r"0x[0-9a-f]{16}", "HASH", re.sub(r"[\d,]+ KB resident", "N KB resident", run.stdout))
        self.is_golden("play", text)

    def test_the_same_seed_gives_the_same_game_and_another_seed_another(self):
        # W-12
        first, again = (lyre("play", *QUICK, "--seed", "0x2A").stdout for _ in range(2))
        self.assertEqual(result(first), result(again))
        self.assertNotEqual(result(first), result(lyre("play", *QUICK, "--seed", "43").stdout))
        self.assertNotEqual(result(first), result(lyre("play", *QUICK, "--seed", "42", "--set", "demo.Pace=1").stdout))

    def test_progress_is_ten_lines_however_long_it_takes(self):
        # K-04
        text = lyre("play", *QUICK, "--seconds", "40", "--tick-hz", "30").stdout
        self.assertEqual(len(re.findall(r"(?m)^ +[\d.]+ s: ", text)), 10)

    def test_small_worlds_are_worlds(self):
        for words in (("--bots", "0"), ("--seconds", "0"), ("--tick-hz", "1"), ("--bots", "1", "--map", "meadow")):
            run = lyre("play", *words)
            self.assertEqual((run.returncode, run.stderr), (0, ""), words)
            self.assertTrue(run.stdout.endswith("nothing left behind\n"))

    def test_a_signal_ends_the_world_cleanly_with_its_result(self):
        # K-02, K-07
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            options = dict(cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True)
            run = subprocess.Popen([PROGRAM, "play", "--seconds", "1_000_000"], **options)
            run.stdout.readline()
            run.send_signal(number)
            said, wrong = run.communicate(timeout=60)
            self.assertEqual((run.returncode, wrong), (0, ""))
            self.assertIn("result after ", said)
            self.assertTrue(said.endswith("nothing left behind\n"))

    def test_a_terminal_that_can_do_nothing_is_a_pipe(self):
        # K-04
        run = OnTerminal("play", "--seconds", "1", TERM="dumb")
        self.assertEqual(run.finish(), 0)
        self.assertNotIn("\033", run.text)
        self.assertIn("nothing left behind", run.text)


    def test_a_project_that_is_missing_or_wrong_starts_nothing(self):
        # K-02, K-03
        with tempfile.TemporaryDirectory() as folder:
            run = lyre("play", folder=folder)
            wanted = "lyre play: no lyre.toml here or above; say --project DIR\n"
            self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", wanted))
        broken = ROOT / "tests/broken"
        for case, code in (("project_unknown_variable", 2), ("archetype_unknown_default", 1)):
            run = lyre("play", "--project", str(broken / case))
            self.assertEqual((run.returncode, run.stdout), (code, ""))
            self.assertIn("error LY-", run.stderr)
        run = lyre("play", "--project", str(broken / "map_unknown_class"), "--map", "yard")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertTrue(run.stderr.endswith("lyre play: map yard cannot be loaded\n"), run.stderr)


class OnATerminal(CommandTest):
    def quit(self, run):
        run.press("q")
        self.assertEqual(run.finish(), 0)
        self.is_left_as_found(run)
        self.assertTrue(run.after().endswith("nothing left behind\n"), run.after())

    def is_left_as_found(self, run):
        self.assertTrue(run.is_restored)
        last = run.text.rindex("\033[?1049")
        self.assertEqual(run.text[last : last + 8], "\033[?1049l")
        self.assertIn("\033[?25h", run.text[run.text.rindex("\033[?25") :])

    def test_it_shows_pages_of_80_by_24_until_q(self):
        # K-04
        run = OnTerminal("play")
        run.until(r"tick [1-9]\d[\s\S]*q: quit")
        self.quit(run)
        self.assertLess(run.text.index("Plectrum, the sample game, is not here yet"), run.text.index("\033[?1049h"))
        for page in run.pages():
            self.assertEqual(len(page), 24)
            self.assertLessEqual(max(map(len, page)), 80)
        self.assertIn("Sappho", "\n".join(run.pages()[-1]))
        self.assertIn("\033[1;33m", run.text)

    def test_it_fits_other_sizes(self):
        # K-04
        for columns, lines in ((20, 5), (1, 1), (200, 60)):
            run = OnTerminal("play", columns=columns, lines=lines)
            run.until(r"\033\[H[\s\S]*\033\[H")
            self.quit(run)
            self.assertLessEqual(max(len(line) for page in run.pages() for line in page), columns)
            self.assertLessEqual(max(map(len, run.pages())), max(lines, 2))

    def test_no_color_is_respected(self):
        # K-04
        run = OnTerminal("play", NO_COLOR="1")
        run.until(r"tick [1-9]")
        self.quit(run)
        shown = run.text[: run.text.index("\033[?1049l") - len("\033[0m\033[?25h")]
        self.assertNotRegex(shown, r"\033\[[0-9;]*m")

    def test_n_follows_the_next(self):
        run = OnTerminal("play", "--bots", "2")
        run.until(r"> Sappho")
        run.press("n")
        run.until(r"> Arion")
        run.press("n")
        run.until(r"> Arion[\s\S]*> Sappho")
        self.quit(run)

    def test_real_and_virtual_time_give_the_same_game(self):
        # W-12
        words = ("play", *QUICK, "--seconds", "1.5", "--seed", "9")
        live = OnTerminal(*words)
        self.assertEqual(live.finish(), 0)
        self.assertEqual(result(live.after()), result(lyre(*words).stdout))

    def test_ctrl_c_and_sigterm_end_it_cleanly(self):
        # K-02, K-07
        for end in (lambda run: run.send(signal.SIGINT), lambda run: run.send(signal.SIGTERM)):
            run = OnTerminal("play")
            run.until(r"tick [1-9]")
            end(run)
            self.assertEqual(run.finish(), 0)
            self.is_left_as_found(run)
            self.assertTrue(run.after().endswith("nothing left behind\n"))

    def test_a_second_signal_ends_it_at_once_with_130(self):
        # K-02, K-07
        run = OnTerminal("play", "--map", "pen")
        run.until(r"tick [1-9]")
        run.send(signal.SIGSTOP)  # so that both are there before it can react to the first
        run.send(signal.SIGINT)
        run.send(signal.SIGTERM)
        run.send(signal.SIGCONT)
        self.assertEqual(run.finish(), 130)
        self.is_left_as_found(run)

    def test_a_crash_gives_the_terminal_back(self):
        # K-04
        for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGQUIT):
            run = OnTerminal("play")
            run.until(r"tick [1-9]")
            run.send(number)
            self.assertEqual(run.finish(), -number)
            self.is_left_as_found(run)

    def test_stopped_with_ctrl_z_it_gives_the_terminal_back_and_takes_it_again(self):
        # K-04
        run = OnTerminal("play")
        run.until(r"tick [1-9]")
        run.send(signal.SIGTSTP)
        run.until(r"\033\[\?1049l")
        state = pathlib.Path(f"/proc/{run.process.pid}/stat")
        while state.read_text().rpartition(")")[2].split()[0] != "T":
            run.read(0.01)
        run.send(signal.SIGCONT)
        run.until(r"\033\[\?1049l[\s\S]*\033\[\?1049h[\s\S]*q: quit")
        run.press("q")
        self.assertEqual(run.finish(), 0)
        self.is_left_as_found(run)


unittest.main()
