"""The command's words: what it prints, what it refuses, how it ends.

usage: command_test.py PROGRAM
"""
import json
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from program import PROGRAM, ROOT, CommandTest, environment, lyre

COMMANDS = "play check list why plan schema new bench version help".split()

# What is typed, and the one line that answers it.
WRONG = {
    "plya": 'lyre: no command "plya"; did you mean "play"?',
    "serve": "lyre: no command \"serve\"; `lyre help` lists them",
    "--foo": "lyre: no command \"--foo\"; `lyre help` lists them",
    "help plya": 'lyre: no command "plya"; did you mean "play"?',
    "help play list": 'lyre help: "list" is one word too many',
    "version now": 'lyre version: "now" is one word too many',
    "play --secnds 3": 'lyre play: no option "--secnds"; did you mean "--seconds"?',
    "play --secnds=3": 'lyre play: no option "--secnds"; did you mean "--seconds"?',
    "play --experiense tag": 'lyre play: no option "--experiense"; did you mean "--experience"?',
    "play --xyzzy": "lyre play: no option \"--xyzzy\"; `lyre help play` lists them",
    "play --experience tga": 'lyre play: no experience "tga"; did you mean "tag"?',
    "play --with sprnt": 'lyre play: no feature "sprnt"; did you mean "sprint"?',
    "play --why experience": "lyre play: --why needs --pause-at SECONDS: when it is asked",
    "play -x": "lyre play: no option \"-x\"; `lyre help play` lists them",
    "play fast": 'lyre play: "fast" is one word too many; an experience is named by --experience',
    "play --with sprint bots": 'lyre play: "bots" is one word too many; write --with before each',
    "play --with sprint sprint": 'lyre play: "sprint" is one word too many; write --with before each',
    "play --with=sprint sprint": 'lyre play: "sprint" is one word too many; write --with before each',
    "play --set=a=1 b=2": 'lyre play: "b=2" is one word too many; write --set before each',
    "play --seed": "lyre play: --seed needs a value",
    "play --seed abc": 'lyre play: --seed takes a number from 0 to 18446744073709551615: "abc" is not a whole number',
    "play --seed 1__0": 'lyre play: --seed takes a number from 0 to 18446744073709551615: "1__0" is not a whole number',
    "play --tick-hz 0": "lyre play: --tick-hz takes a number from 1 to 1000: 0 is out of range",
    "play --bots -1": "lyre play: --bots takes a number from 0 to 1024: -1 is out of range",
    "play --seconds nan": 'lyre play: --seconds takes a number from 0 to 1000000: "nan" is not a number',
    "play --set": "lyre play: --set needs a value",
    "play --set arena.Speed": 'lyre play: --set wants VAR=VALUE, not "arena.Speed"',
    "play --set lyre.gamemode.MaxRestartRetrys=3": (
        'lyre play: no variable "lyre.gamemode.MaxRestartRetrys"; did you mean "lyre.gamemode.MaxRestartRetries"?'),
    "play --set lyre.gamemode.MaxRestartRetries=many": (
        'lyre play: --set: variable "lyre.gamemode.MaxRestartRetries" takes a whole number of at least 0, not "many"'),
    "play --map yrad": 'lyre play: no map "yrad"; did you mean "yard"?',
    "play --map ../yard": 'lyre play: no map "../yard"; did you mean "yard"?',
    "play --project nowhere": 'lyre play: no lyre.toml in "nowhere"',
    "play --project gmae": 'lyre play: no lyre.toml in "gmae"; did you mean "game"?',
    "play --content game/contents": 'lyre play: no folder "game/contents"; did you mean "game/content"?',
    "play --content nowhere": 'lyre play: no folder "nowhere"',
    "play --map yard --map yard": "lyre play: --map is given more than once",
    "play --seed 1 --seed 2": "lyre play: --seed is given more than once",
    "play --map " + "y" * 1100: f'lyre play: no map "{"y" * 64}..."; there are arena, lobby and yard',
    "list features --content nowhere": 'lyre list: no folder "nowhere"',
    "check --project nowhere": 'lyre check: no lyre.toml in "nowhere"',
    "check game/contents": 'lyre check: no folder "game/contents"; did you mean "game/content"?',
    "check --jsn": 'lyre check: no option "--jsn"; did you mean "--json"?',
    "list": "lyre list: say what to list: experiences, features, assets, classes, tags, variables, commands or errors",
    "list clases": 'lyre list: no list "clases"; did you mean "classes"?',
    "list featurs": "lyre list: no list \"featurs\"; did you mean \"features\"?",
    "list xyzzy": "lyre list: no list \"xyzzy\"; there are experiences, features, assets, classes, tags, variables, commands or errors",
    "list tags --jsn": 'lyre list: no option "--jsn"; did you mean "--json"?',
    "list tags variables": 'lyre list: "variables" is one word too many',
    "list experience": 'lyre list: no list "experience"; did you mean "experiences"?',
    "plan": "lyre plan: say what to plan: an experience, or --feature ID; `lyre list experiences` lists them",
    "plan tag --feature tag": "lyre plan: plan an experience or features, not both; --with adds a feature to one",
    "plan --feature tag --to tag": "lyre plan: --to and --with are for the plan of an experience",
    "plan tag --role sever": 'lyre plan: no role "sever"; did you mean "server"?',
    "plan nowhere": 'lyre plan: no experience "nowhere"; there are control_points, frontend and tag',
    "plan tag --with bts": 'lyre plan: no feature "bts"; did you mean "bots"?',
    "plan tag --with-set hud": 'lyre plan: no action set "hud"; there is only arena_match',
    "why": "lyre why: say what to ask about: experience | actor ID | component ID NAME | feature NAME",
    "why component 1 " + "x" * 1100: f'lyre why: "{"x" * 64}..." has 1100 bytes: nothing has a name of more than 1023',
    "why actor Moero now": (
        'lyre why: too many words for "actor"; there are: experience | actor ID | component ID NAME | feature NAME'),
    "play --pause-at 1 --why actor Moero now please": "lyre play: --why takes at most 3 words",
    "play --pause-at 5 --seconds 2": "lyre play: --pause-at 5 is after the end, --seconds 2",
    "why actor #12.x": 'lyre why: "#12.x" is no actor\'s id: write #3.1, #3, or the name of a player',
    "why experience --experience tga": 'lyre why: no experience "tga"; did you mean "tag"?',
    "why --jsn": 'lyre why: no option "--jsn"; did you mean "--json"?',
    "new": "lyre new: say what to make: lyre new feature NAME, or lyre new experience NAME",
    "new feature": "lyre new: say what to make: lyre new feature NAME, or lyre new experience NAME",
    "new experience": "lyre new: say what to make: lyre new feature NAME, or lyre new experience NAME",
    "new experiense tag": 'lyre new: cannot make "experiense"; did you mean "experience"?',
    "new experience Tag": "lyre new: \"Tag\" is no name of an experience: small letters, digits and '_', at most 100",
    "new experience tag --project nowhere": 'lyre new: no lyre.toml in "nowhere"',
    "new featur tag": 'lyre new: cannot make "featur"; did you mean "feature"?',
    "new feature Tag": "lyre new: \"Tag\" is no name of a feature: small letters, digits and '_', at most 100, a letter first",
    "new feature tag two": 'lyre new: "two" is one word too many',
    "new feature tag --project nowhere": 'lyre new: no lyre.toml in "nowhere"',
    "bench --jso": 'lyre bench: no option "--jso"; did you mean "--json"?',
}


# A project with one of each that lists show: what the game has is the game's, and changes with each of its features.
SHELF = {
    "lyre.toml": 'name = "shelf"\ncontent = ["content"]\nfeatures = ["features"]\ntags = ["Shelf.Wooden"]\n',
    "content/jar.archetype.toml": 'parent = "Prop"\n',
    "features/books/feature.toml": """id = "books"
version = "0.1.0"
tags = ["Book.Open"]
[[variable]]
name = "books.Count"
default = 12
help = "how many stand on the shelf before it gives way"
""",
}


class Command(CommandTest):
    def shelf(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in SHELF.items():
            path = pathlib.Path(folder.name, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder.name

    def test_alone_it_prints_the_commands_with_their_purposes(self):
        # K-11
        alone = lyre()
        self.assertEqual((alone.returncode, alone.stderr), (0, ""))
        self.is_golden("lyre", alone.stdout)
        for words in (("help",), ("--help",), ("-h",)):
            self.assertEqual(lyre(*words).stdout, alone.stdout)

    def test_every_command_has_a_purpose_an_example_and_room_in_80_columns(self):
        # K-04, K-11
        overview = lyre().stdout
        for command in COMMANDS:
            with self.subTest(command):
                run = lyre(command, "--help")
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.is_golden(f"help_{command}", run.stdout)
                self.assertEqual(lyre("help", command).stdout, run.stdout)
                self.assertIn(f"  {command:<9}{run.stdout.splitlines()[0]}\n", overview)
                self.assertRegex(run.stdout, rf"\nExample: lyre {command}\b")
                self.assertLessEqual(max(map(len, run.stdout.splitlines())), 80)

    def test_why_of_a_feature_that_nobody_wants_says_how_to_want_it(self):
        # K-14
        run = lyre("why", "feature", "sprint", "--pause-at", "1")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("nobody wants it: add it to features of the experience, or say --with sprint\n", run.stdout)
        self.assertNotIn("nobody wants it", lyre("why", "feature", "tag", "--experience", "tag", "--pause-at", "1").stdout)

    def test_examples_in_the_help_are_right(self):
        # K-11
        for command in ("play", "check", "list", "why", "plan", "version", "help"):
            example = re.search(r"\nExample: lyre (.*)", lyre(command, "--help").stdout)[1]
            self.assertEqual(lyre(*example.split()).returncode, 0, example)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "lyre.toml").write_text('name = "own"\n')
            for command in ("new", "schema"):
                example = re.search(r"\nExample: lyre (.*)", lyre(command, "--help").stdout)[1]
                self.assertEqual(lyre(*example.split(), folder=folder).returncode, 0, example)

    def test_wrong_words_get_one_line_with_the_nearest_match_and_code_2(self):
        # K-02, K-03
        for typed, said in WRONG.items():
            with self.subTest(typed):
                run = lyre(*typed.split())
                self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", said + "\n"))

    def test_a_feature_that_is_not_there_is_answered_by_those_that_are(self):
        # K-03
        run = lyre("plan", "--feature", "nowhere", folder=self.shelf())
        self.assertEqual((run.returncode, run.stderr), (2, 'lyre plan: no feature "nowhere"; there is only books\n'))

    def test_wrong_words_cannot_garble_the_terminal(self):
        # K-03
        for words in (("\033[2Jx",), ("play", "--\033[2Jx"), ("list", "\033[2J\n"), ("play", "--seed", "\033[2J\n")):
            run = lyre(*words)
            self.assertEqual(run.returncode, 2)
            self.assertNotIn("\033", run.stderr)
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)

    def test_variables_come_from_the_file_the_environment_and_the_command_line(self):
        # K-03, K-12
        name, spelt = "lyre.gamemode.MaxRestartRetries", "LYRE_GAMEMODE_MAXRESTARTRETRIES"

        def retries(*words, **extra):
            listed = json.loads(lyre("list", "variables", "--json", *words, **extra).stdout)["variables"]
            return next((v["value"], v["origin"]) for v in listed if v["name"] == name)

        self.assertEqual(retries(), ("10", "code"))
        self.assertEqual(retries(**{spelt: "7"}), ("7", spelt))
        self.assertEqual(retries("--set", f"{name}=0x5", **{spelt: "7"}), ("5", "--set"))
        self.assertEqual(retries("--set", f"{name}=1", "--set", f"{name}=1_0"), ("10", "--set"))
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "lyre.toml").write_text(f'name = "own"\n[variables]\n"{name}" = 3\n')
            self.assertEqual(retries(folder=folder), ("3", "lyre.toml:3:1"))
            self.assertEqual(retries(folder=folder, **{spelt: "7"}), ("7", spelt))

    def test_a_misspelt_environment_is_refused_before_anything_starts(self):
        # K-02, K-03
        spelt = "LYRE_GAMEMODE_MAXRESTARTRETRIES"
        for command in (("play",), ("why", "experience"), ("list", "tags")):
            run = lyre(*command, LYRE_GAMEMODE_MAXRESTARTRETRYS="7")
            wanted = (f'lyre {command[0]}: no variable is "LYRE_GAMEMODE_MAXRESTARTRETRYS" in the environment; '
                      f'did you mean "{spelt}"?\n')
            self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", wanted))
        run = lyre("play", **{spelt: "many"})
        wanted = (f'lyre play: {spelt}: variable "lyre.gamemode.MaxRestartRetries" takes a whole number of at least 0, '
                  'not "many"\n')
        self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", wanted))

    def test_unknown_keys_and_variables_of_the_file_are_told_by_check_and_plan_with_places_and_what_was_meant(self):
        # K-02, K-12
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "lyre.toml").write_text(
                'name = "own"\nfeaturs = []\n[variables]\n"lyre.gamemode.MaxRestartRetry" = 3\n')
            for words, code in ((("check",), 1), (("plan", "tag"), 2)):
                run = lyre(*words, folder=folder)
                said = run.stdout + run.stderr
                self.assertEqual(run.returncode, code, said)
                for wanted in ("lyre.toml:2:1", 'did you mean "features"?', "lyre.toml:4:1",
                               'did you mean "lyre.gamemode.MaxRestartRetries"?', "2 problems"):
                    self.assertIn(wanted, said, words)

    def test_a_feature_s_variable_may_come_from_the_environment(self):
        # K-12
        plain, quick = (re.search("world hash: .*", lyre("play", "--seconds", "2", **extra).stdout)[0]
                        for extra in ({}, {"LYRE_ARENA_SPEED": "9"}))
        self.assertNotEqual(plain, quick)

    def test_lists_for_people_fit_80_columns(self):
        # K-04
        for what in ("assets", "classes", "tags", "variables", "commands", "errors", "features", "experiences"):
            with self.subTest(what):
                run = lyre("list", what)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertLessEqual(max(map(len, run.stdout.splitlines())), 80)
                if what not in ("assets", "features", "experiences"):
                    self.is_golden(f"list_{what}", lyre("list", what, folder=self.shelf()).stdout)

    def test_json_is_one_document_on_stdout(self):
        # K-06
        for what in ("classes", "tags", "variables", "commands"):
            run = lyre("list", what, "--json")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            document = json.loads(run.stdout)
            self.assertEqual(list(document), [what])
            self.assertEqual(len(document[what]), len([line for line in lyre("list", what).stdout.splitlines() if line[0] != " "]))
        classes = {c["name"]: c for c in json.loads(lyre("list", "classes", "--json").stdout)["classes"]}
        self.assertEqual((classes["Prop"]["kind"], classes["Prop"]["parent"]), ("actor", "ModularActor"))
        self.assertIn("look", [p["name"] for p in classes["Prop"]["properties"]])
        self.assertEqual((classes["crate"]["kind"], classes["crate"]["parent"]), ("actor", "Prop"))

    def test_of_a_class_json_says_all_that_the_defaults_of_an_archetype_may_say(self):
        # K-06, C-15
        classes = {c["name"]: c for c in json.loads(lyre("list", "classes", "--json").stdout)["classes"]}
        prop = classes["Prop"]["schema"]
        self.assertEqual(prop["properties"]["look"]["description"], "how it is drawn")
        look = prop["definitions"]["Look"]["properties"]
        self.assertEqual(look["shape"]["enum"], ["dot", "circle", "square"])
        self.assertIn("red", look["colour"]["enum"])
        self.assertEqual([look[key]["default"] for key in ("shape", "colour", "radius", "glyph")], ["dot", "plain", 0.5, "o"])
        self.assertIn("description", look["radius"])

    def test_help_says_of_every_option_what_it_takes(self):
        # K-11
        for command in re.findall(r"(?m)^  (\w+) ", lyre().stdout):
            options = re.findall(r"(?m)^  (-.*?)(?:  |$)", lyre("help", command).stdout)
            takes_nothing = [one for one in options if " " not in one]
            self.assertLessEqual(set(takes_nothing), {"-h,--help", "--json"}, command)
            self.assertEqual([one for one in options if re.search(r"^\S+ \.\.\.", one)], [], command)

    def test_version_says_what_this_is(self):
        # K-06
        document = json.loads(lyre("version", "--json").stdout)
        self.assertEqual(list(document), ["version", "abi", "content_schema", "build", "compiler"])
        line = "lyre {version}, ABI {abi}, content schema {content_schema}, {build} build, {compiler}\n".format(**document)
        self.assertEqual(lyre("version").stdout, line)
        self.assertEqual(lyre("--version").stdout, line)
        self.assertRegex(document["version"], r"^\d+\.\d+\.\d+$")
        self.assertRegex(document["content_schema"], r"^[0-9a-f]{16}$")

    def test_output_that_cannot_be_written_is_a_failure(self):
        # K-02
        with open("/dev/full", "w") as full:
            run = subprocess.run([PROGRAM, "version"], stdout=full, stderr=subprocess.PIPE, text=True, env=environment())
        self.assertEqual((run.returncode, run.stderr), (1, "lyre: the output could not be written\n"))
        with tempfile.TemporaryDirectory() as folder, open("/dev/full", "w") as full:
            (pathlib.Path(folder) / "lyre.toml").write_text('name = "own"\n')
            for words, where, said in ((("play", "--seconds", "1"), ROOT, ""), (("new", "feature", "hoops"), folder, "Play it")):
                run = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True, env=environment(),
                                     cwd=where)
                self.assertEqual(run.returncode, 1)
                self.assertIn(said, run.stderr)
                self.assertTrue(run.stderr.endswith("lyre: the output could not be written\n"), run.stderr)

    def test_a_match_that_nobody_reads_any_more_ends(self):
        # K-02
        play = subprocess.Popen([PROGRAM, "play", "--seconds", "1_000_000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=environment(), cwd=ROOT, text=True, restore_signals=False,
                                preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))
        self.assertIn("plectrum", play.stdout.readline())
        play.stdout.close()
        self.assertEqual(play.stderr.read(), "lyre: the output could not be written\n")
        self.assertEqual(play.wait(timeout=60), 1)
        play.stderr.close()

    def test_closed_files_are_no_reason_to_fail_and_are_not_mixed_up_with_others(self):
        # K-02
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "lyre.toml").write_text('name = "own"\n')
            run = subprocess.run(f'"{PROGRAM}" new feature hoops 2>&-', shell=True, cwd=folder, env=environment(),
                                 capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stdout), (0, "game/hoops\n"))
            run = subprocess.run(f'"{PROGRAM}" new feature rings 2>&- 1>&- 0<&-', shell=True, cwd=folder, env=environment())
            self.assertEqual(run.returncode, 1)  # of an answer that could not be written
            for name in ("hoops", "rings"):
                for file in (pathlib.Path(folder) / "game" / name).rglob("*"):
                    self.assertNotIn("Play it", file.read_text() if file.is_file() else "")

    def test_who_asked_for_json_and_fails_gets_one_document_all_the_same(self):
        # K-06
        for words, code, said in (("why actor Mero --json", 1, 'no player "Mero"; did you mean "Moero"?'),
                                  ("why experience --experience tga --json", 2, 'did you mean "tag"?'),
                                  ("plan tga --json", 2, 'did you mean "tag"?'),
                                  ("plan tag --to tga --json", 2, 'did you mean "tag"?'),
                                  ("list featurs --json", 2, 'did you mean "features"?'),
                                  ("check nowhere --json", 2, 'no folder "nowhere"'),
                                  ("version --json --jsn", 2, 'did you mean "--json"?'),
                                  ("play --jsn", 2, None)):
            with self.subTest(words):
                run = lyre(*words.split())
                self.assertEqual(run.returncode, code)
                self.assertEqual(run.stderr.count("\n"), 1)
                if said is None:
                    self.assertEqual(run.stdout, "")
                else:
                    self.assertIn(said, json.loads(run.stdout)["error"])
        run = lyre("plan", "x", "--json", "--project", "tests/broken/archetype_unknown_default")
        self.assertEqual((run.returncode, json.loads(run.stdout)["error"]), (1, "1 problem in the project"))
        self.assertEqual(len(json.loads(run.stdout)["problems"]), 1)


# Says what it was called with; the second one is slow.
FAKE_BENCH = """#!/bin/sh
case "$*" in
*list_tests*filter=nothing) echo "Failed to match any benchmarks against regex: nothing" >&2 ;;
*list_tests*) echo Spawn; echo Destroy ;;
*filter=slow*) echo '{"benchmarks": ['; echo started >&2; exec sleep 600 ;;
*filter=broken*) echo '{"benchmarks": ['; exit 3 ;;
*format=json*) echo context >&2; echo '{"benchmarks": []}' ;;
*) echo "ran $*" ;;
esac
"""


class LongWork(CommandTest):
    def test_whoever_opens_a_large_project_says_how_far_it_is(self):
        # K-04
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            (top / "content").mkdir()
            (top / "lyre.toml").write_text('name = "large"\ncontent = ["content"]\n')
            (top / "content/quiet.experience.toml").write_text('title = "Quiet"\n')
            for n in range(30_000):  # opening takes some tenths of a second at least
                (top / f"content/a{n}.archetype.toml").write_text('parent = "Pawn"\n')
            for words in (("list", "tags"), ("plan", "quiet")):
                with self.subTest(words):
                    run = self.on_terminal(*words, folder=top, columns=70)
                    run.finish()
                    self.assertRegex(run.text, rf"\Alyre {words[0]}: [a-z:]+ [^\r]*(bytes|KB|MB), \d+\.\d s")
                    self.assertLess(len(run.text.partition("\r")[0]), 70)


class Bench(CommandTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        top = pathlib.Path(folder.name).resolve()
        self.program, self.bench = top / "apps/lyre/lyre", top / "bench/lyre_bench"
        self.program.parent.mkdir(parents=True)
        self.bench.parent.mkdir()
        shutil.copy(PROGRAM, self.program)
        self.bench.write_text(FAKE_BENCH)
        self.bench.chmod(0o755)

    def lyre(self, *words):
        return lyre("bench", *words, program=self.program)

    def test_it_runs_the_program_of_its_build(self):
        self.assertEqual(self.lyre().stdout, "ran --benchmark_filter=. --benchmark_format=console\n")
        self.assertEqual(self.lyre("Spawn").stdout, "ran --benchmark_filter=Spawn --benchmark_format=console\n")

    def test_the_example_of_its_help_runs_benchmarks_that_are_there(self):
        # K-11
        [word] = re.search(r"\nExample: lyre bench (.*)", self.lyre("--help").stdout)[1].split()
        self.assertEqual(self.lyre(word).stdout, f"ran --benchmark_filter={word} --benchmark_format=console\n")
        sources = "".join(path.read_text() for path in ROOT.glob("bench/*_bench.cpp"))
        self.assertRegex(sources, rf"BENCHMARK\(\w*{word}")

    def test_json_is_the_programs(self):
        # K-06
        run = self.lyre("--json")
        self.assertEqual((json.loads(run.stdout), run.stderr), ({"benchmarks": []}, "context\n"))

    def test_what_goes_wrong_is_one_line(self):
        # K-02, K-03
        run = self.lyre("nothing")
        wanted = 'lyre bench: no benchmark matches "nothing"; one of 2 is Spawn\n'
        self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", wanted))
        run = self.lyre("broken")
        self.assertEqual((run.returncode, run.stderr), (1, f"lyre bench: {self.bench} ended with 3\n"))
        self.assertEqual(json.loads(self.lyre("broken", "--json").stdout)["error"], f"{self.bench} ended with 3")
        self.bench.unlink()
        run = self.lyre()
        self.assertEqual((run.returncode, run.stderr), (1, f"lyre bench: there is no {self.bench}; build it first\n"))

    def test_a_signal_ends_both_with_130(self):
        # K-02, K-06
        for number in (signal.SIGINT, signal.SIGTERM):
            for words in (("slow",), ("slow", "--json")):
                options = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True)
                run = subprocess.Popen([self.program, "bench", *words], **options)
                self.assertEqual(run.stderr.readline(), "started\n")
                run.send_signal(number)
                said, _ = run.communicate(timeout=60)  # ends only when nobody holds it open any more
                self.assertEqual(run.returncode, 130)
                if "--json" in words:
                    self.assertEqual(json.loads(said)["error"], "interrupted")


unittest.main()
