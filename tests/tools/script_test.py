"""The script at the root, on machines of every kind: the system's tools are stubs that write down how they were called.

usage: script_test.py SCRIPT
"""
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve().relative_to(ROOT)
# What a machine has before anything is installed.
BARE = """bash cat chmod cp cut dirname env find flock grep mkdir nproc readlink rm sed sleep sort stty tail timeout touch
    tr true"""

APT = 'echo Reading; case $* in *install*) for p; do echo "$p=installed"; done >>"$STATE/installed" ;; esac\n'
DPKG = 'shift 3; for p; do grep -qx "$p=installed" "$STATE/installed" && printf "%s=installed " "$p"; done; true\n'
CMAKE = 'mkdir -p "$PROJECT/build/$4"; echo "-- configured"; touch "$PROJECT/build/$4/build.ninja"\n'
NINJA = """mkdir -p "$2/apps/lyre"
if [ -n "${FAIL-}" ]; then echo "[1/2] Building"; echo "FAILED: name.o"; exit 1; fi
if [ -f "$2/apps/lyre/lyre" ]; then echo "ninja: no work to do."; exit; fi
if [ -n "${HANG-}" ]; then echo "[1/2] Building"; sleep 60; fi
echo "[1/2] Building name.o"; echo "[2/2] Linking"
printf '#!/usr/bin/env bash\\necho "program $* in $PWD"\\nexit 7\\n' >"$2/apps/lyre/lyre"; chmod +x "$2/apps/lyre/lyre"
"""


class Script(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lyre fake ")
        self.addCleanup(folder.cleanup)
        top = pathlib.Path(folder.name).resolve()
        self.bin, self.state, self.project = top / "bin", top / "state", top / "a project"
        for path in (self.bin, self.state, self.project):
            path.mkdir()
        (self.state / "installed").touch()
        for name in BARE.split():
            (self.bin / name).symlink_to(shutil.which(name))
        (self.bin / "python3").symlink_to(sys.executable)
        stubs = {"apt-get": APT, "dpkg-query": DPKG, "cmake": CMAKE, "ninja": NINJA, "id": "echo 0\n"}
        for name, text in stubs.items():
            self.stub(name, text)
        script = self.project / SCRIPT
        script.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / SCRIPT, script)
        for file in ("apps/lyre/main.cpp", "tools/test_steps.sh"):
            (self.project / file).parent.mkdir(parents=True)
            shutil.copy(ROOT / file, self.project / file)
        for name in ("lyre.toml", "CMakePresets.json"):
            (self.project / name).touch()
            os.utime(self.project / name, (1, 1))

    def stub(self, name, text):
        path = self.bin / name
        path.write_text(f'#!/usr/bin/env bash\necho "{name} $*" >>"$STATE/calls"\n{text}')
        path.chmod(0o755)

    def add_tests(self):
        for file, text in {
            "tests/CMakeLists.txt": "add_test(NAME page_test COMMAND true)\n",
            "tests/own/way_test.cpp": "INSTANTIATE_TEST_SUITE_P(Modules, BothWays, 0);\nTEST_P(BothWays, it_is_so) {}\n",
            "game/hoops/tests/hoops_test.cpp": "TEST(Hoops, spin) {}\n",
        }.items():
            (self.project / file).parent.mkdir(parents=True, exist_ok=True)
            (self.project / file).write_text(text)

    def add_checks(self):
        """What `test` runs, as stubs that pass."""
        for name in "layers headers wasm sources".split():
            self.stub(f"../a project/tools/check_{name}", "")
        shutil.copy(ROOT / "tools/count_tests", self.project / "tools")
        self.stub("ctest", "")
        for program in ("asan/tests/test_one", "tsan/tests/test_threads", "fuzz/fuzz/content_fuzz"):
            (self.project / "build" / program).parent.mkdir(parents=True)
            self.stub(f"../a project/build/{program}", "")
        (self.project / "fuzz/corpus/content").mkdir(parents=True)
        (self.project / "fuzz/corpus/content/seed").touch()

    def environment(self, **extra):
        return {"PATH": str(self.bin), "STATE": str(self.state), "PROJECT": str(self.project), "CI": "true", **extra}

    def lyre(self, *arguments, cwd="/", **extra):
        command = [self.project / SCRIPT, *arguments]
        options = dict(cwd=cwd, env=self.environment(**extra), capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return subprocess.run(command, timeout=30, **options)

    def calls(self, name):
        path = self.state / "calls"
        return [c for c in path.read_text().splitlines() if c.startswith(name + " ")] if path.exists() else []

    def test_a_fresh_machine_installs_builds_and_passes_on_and_a_second_run_does_neither(self):
        # K-01, K-02, K-04, K-06
        run = self.lyre("play", "--bots", "3 4")
        self.assertEqual((run.returncode, run.stdout), (7, f"program play --bots 3 4 --project {self.project} in /\n"))
        update, install = self.calls("apt-get")
        self.assertEqual(update, "apt-get update")
        self.assertRegex(install, r"^apt-get install -y --no-install-recommends .*g\+\+ cmake ninja-build ")
        self.assertNotIn("clang", install)
        self.assertEqual(len(self.calls("cmake")), 1)
        self.assertRegex(run.stderr, r"installing g\+\+ .*\nconfiguring release\nconfiguring release: took \d+ s\n")
        self.assertRegex(run.stderr, r"\nbuilding release\nbuilding release: took \d+ s\n$")
        self.assertNotIn("\033", run.stderr)

        again = self.lyre("play")
        self.assertEqual((again.returncode, again.stderr), (7, ""))
        self.assertEqual((len(self.calls("apt-get")), len(self.calls("cmake"))), (2, 1))

    def test_only_what_is_missing_is_installed(self):
        # K-01
        self.lyre("play")
        text = (self.state / "installed").read_text()
        (self.state / "installed").write_text(text.replace("mold=installed\n", ""))
        self.lyre("play")
        self.assertRegex(self.calls("apt-get")[-1], r"Timeout=\d+ mold$")

    def test_changed_presets_configure_again(self):
        # K-01
        self.lyre("play")
        os.utime(self.project / "CMakePresets.json", (2**32, 2**32))
        self.lyre("play")
        self.assertEqual(len(self.calls("cmake")), 2)

    def test_whoever_may_not_install_is_told_the_line_to_run(self):
        # K-02
        self.stub("id", "echo 1000\n")
        run = self.lyre("play")
        self.assertEqual(run.returncode, 2)
        line = r"apt-get install -y --no-install-recommends g\+\+ .*\n"
        self.assertRegex(run.stderr, rf"^lyre: not allowed to install; as root run: {line}$")
        self.stub("sudo", '[ "$1" = -n ] && shift; "$@"\n')
        self.assertEqual(self.lyre("play").returncode, 7)
        self.assertRegex(self.calls("sudo")[-1], r"^sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install")

    def test_a_system_without_apt_is_told_what_is_missing(self):
        # K-02
        (self.bin / "apt-get").unlink()
        (self.bin / "ninja").unlink()
        self.stub("g++", "cat >/dev/null; echo '<rapidcheck.h>'\n")
        (self.bin / "git").symlink_to("/bin/true")
        run = self.lyre("play")
        wanted = "lyre: no apt-get here; install these by hand: ninja <rapidcheck.h>"
        self.assertEqual((run.returncode, run.stderr.strip()), (2, wanted))
        self.stub("ninja", NINJA)
        self.stub("g++", "cat >/dev/null\n")
        self.assertEqual(self.lyre("play").returncode, 7)

    def test_wrong_usage_starts_nothing(self):
        # K-02, K-03
        self.add_tests()
        for arguments, text in {
            ("--preset", "relese", "play"): 'no preset "relese"; there are: release debug asan tsan',
            ("--preset",): 'no preset ""; there are: release debug asan tsan',
            ("test", "--fast"): 'test has no option "--fast"; usage: ./lyre test [FILTER]',
            ("test", "a", "b"): "test takes one filter; usage: ./lyre test [FILTER]",
            ("test", "nowhere"): 'no test has "nowhere" in its name',
            ("test", "feature_hops"): 'no test has "feature_hops" in its name',
            ("test", "Modules/Hoops"): 'no test has "Modules/Hoops" in its name',
            ("plya",): 'no command "plya"; did you mean "play"?',
            ("chek", "content"): 'no command "chek"; did you mean "check"?',
            ("lists",): 'no command "lists"; did you mean "list"?',
            ("wha",): 'no command "wha"; did you mean "why"?',
            ("tset",): 'no command "tset"; did you mean "test"?',
            ("pl.y",): 'no command "pl.y"; did you mean "play"?',
            ("l*",): 'no command "l*"; `./lyre help` lists them',
            ("x\nplay",): 'no command "x\nplay"; `./lyre help` lists them',
            ("[",): 'no command "["; `./lyre help` lists them',
            ("soccer",): 'no command "soccer"; `./lyre help` lists them',
        }.items():
            run = self.lyre(*arguments)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", f"lyre: {text}\n"))
        self.assertFalse((self.state / "calls").exists())

    def test_a_filter_that_a_test_has_in_its_name_is_taken(self):
        self.add_tests()
        self.stub("apt-get", "exit 1\n")  # the first that would be done
        for name in ("feature_hoops", "BothWays.it_is", "Modules/BothWays", "Modules/BothWays.it_is_so/0", "Hoops.spin",
                     "page_test", "check_layers"):
            run = self.lyre("test", name)
            self.assertEqual((run.returncode, "installing failed" in run.stderr), (1, True), name)

    def test_of_a_feature_only_its_own_test_is_built_and_run_and_nothing_is_installed_for_others(self):
        self.add_tests()
        self.add_checks()
        run = self.lyre("test", "feature_hoops")
        self.assertEqual((run.returncode, run.stdout.splitlines()[-1]), (0, "1 passed, 0 failed"), run.stdout)
        self.assertNotIn("clang", self.calls("apt-get")[-1])
        self.assertEqual(self.calls("ninja"), [f"ninja -C {self.project}/build/release test_feature_hoops"])
        [call] = self.calls("ctest")
        self.assertTrue(call.endswith(" -R ^feature_hoops$"), call)
        self.stub("ctest", "echo trouble; exit 8\n")
        run = self.lyre("test", "feature_hoops")
        self.assertEqual((run.returncode, run.stdout.splitlines()[-1]), (1, "0 passed, 1 failed"), run.stdout)

    def test_a_preset_is_built_in_its_own_folder(self):
        self.lyre("--preset", "asan", "version")
        self.assertTrue((self.project / "build/asan/apps/lyre/lyre").exists())
        self.assertIn(" clang libclang-rt-14-dev", self.calls("apt-get")[1])

    def test_help_builds_nothing_and_names_what_the_script_adds(self):
        # K-11
        overview = (ROOT / "tests/command/golden/lyre.txt").read_text()  # what the program says
        for words in ((), ("help",), ("-h",), ("--help",)):
            run = self.lyre(*words)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertTrue(run.stdout.startswith(overview + "\nIn a checkout also:\n  ./lyre test [FILTER] "), run.stdout)
        self.assertFalse((self.state / "calls").exists())
        self.assertIn("example: ./lyre test feature_sprint\n", self.lyre("test", "--help").stdout)
        self.assertEqual(self.lyre("help", "test").stdout, self.lyre("test", "--help").stdout)

    def test_a_wrong_command_is_answered_by_the_program_that_is_there_and_nothing_is_built(self):
        # K-03
        self.lyre("play")
        before = (self.state / "calls").read_text()
        self.assertEqual(self.lyre("plya").stdout, "program plya in /\n")
        self.assertEqual((self.state / "calls").read_text(), before)

    def test_every_command_of_the_program_is_known(self):
        # K-03
        for command in "play,check,list,why,plan,schema,new,bench,version,help play".split(","):
            self.assertEqual(self.lyre(*command.split()).returncode, 7, command)

    def test_by_a_link_it_is_the_same_and_the_project_where_one_stands_is_meant(self):
        # K-01
        own = self.state.parent / "own"
        own.mkdir()
        (own / "lyre.toml").touch()
        (self.bin / "lyre").symlink_to(self.project / SCRIPT)
        for words in (("play",), ("new", "feature", "hoop")):
            run = subprocess.run(["lyre", *words], cwd=own, env=self.environment(), capture_output=True, text=True,
                                 stdin=subprocess.DEVNULL, timeout=30)
            self.assertEqual((run.returncode, run.stdout), (7, f"program {' '.join(words)} in {own}\n"))

    def test_elsewhere_it_plays_the_project_of_the_checkout_and_other_paths_are_as_written(self):
        # K-01
        here = f" --project {self.project}"
        for words, more in {
            ("play", "--fault-plan", "faults.toml"): here,
            ("why", "experience"): here,
            ("list", "features"): here,
            ("plan", "tag"): here,
            ("check",): here,
            ("check", "--json"): here,
            ("check", "--content", "more"): here,
            ("check", "--content=more"): here,
            ("check", "--content", "more", "--json", "--content", "own"): here,
            ("check", "--content", "more", "own"): "",
            ("check", "own", "--content", "more"): "",
            ("check", "content"): "",
            ("play", "--project", "own"): "",
            ("play", "--project=own"): "",
            ("schema", "here"): "",
        }.items():
            self.assertEqual(self.lyre(*words, cwd=self.state).stdout, f"program {' '.join(words)}{more} in {self.state}\n")

    def test_a_project_of_the_users_own_is_not_left(self):
        own = self.state / "own"
        (own / "deep").mkdir(parents=True)
        (own / "lyre.toml").touch()
        self.assertEqual(self.lyre("play", cwd=own / "deep").stdout, f"program play in {own / 'deep'}\n")

    def test_tests_need_no_other_step_and_a_second_run_installs_and_configures_nothing(self):
        # K-01, K-02
        self.add_checks()
        run = self.lyre("test")
        self.assertEqual((run.returncode, run.stdout.splitlines()[-1]), (0, "9 passed, 0 failed"), run.stdout)
        update, install = self.calls("apt-get")
        self.assertRegex(install, r"^apt-get install -y .*g\+\+ cmake .* clang libclang-rt-14-dev python3-jsonschema$")
        presets = [call.split()[-1] for call in self.calls("cmake")]
        self.assertEqual(presets, ["release", "asan", "tsan", "fuzz"])
        self.assertEqual(len(self.calls("ctest")), 2)
        self.assertTrue(self.calls("ctest")[1].endswith(" -R ^play_test"))

        again = self.lyre("test")
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertEqual((len(self.calls("apt-get")), len(self.calls("cmake"))), (2, 4))
        self.assertEqual(len(self.calls("ctest")), 4)

    def test_a_step_of_the_tests_that_fails_does_not_keep_the_others_from_running_and_ends_with_1(self):
        # K-02
        self.add_checks()
        self.stub("ctest", "echo trouble; exit 8\n")
        run = self.lyre("test")
        self.assertEqual((run.returncode, run.stdout.splitlines()[-1]), (1, "7 passed, 2 failed"), run.stdout)
        self.assertRegex(run.stdout, r"(?m)^ctest-release +0 passed +1 failed ")
        run = self.lyre("test", FAIL="1")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stdout, r"\n4 passed, 4 failed\n$")
        self.assertIn("lyre: building tsan failed; all of it is in build/tsan/build.log\n", run.stderr)

    def test_a_signal_ends_the_tests_and_gives_130(self):
        # K-02
        self.add_checks()
        for tool in ("ctest", "ninja"):
            self.stub(tool, f"touch '{self.state}/begun'; sleep 60\n")
            for number in (signal.SIGINT, signal.SIGTERM):
                (self.state / "begun").unlink(missing_ok=True)
                run = subprocess.Popen([self.project / SCRIPT, "test"], env=self.environment(), text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.addCleanup(run.kill)
                while not (self.state / "begun").exists() and run.poll() is None:
                    time.sleep(0.01)
                begin = time.monotonic()
                run.send_signal(number)
                _, told = run.communicate(timeout=20)
                self.assertEqual((run.returncode, told.splitlines()[-1]), (130, "lyre: interrupted"))
                self.assertLess(time.monotonic() - begin, 10)

    def test_a_failed_build_shows_the_end_of_its_log(self):
        # K-02
        run = self.lyre("play", FAIL="1")
        self.assertEqual(run.returncode, 1)
        end = "[1/2] Building\nFAILED: name.o\n"
        end += "lyre: building release failed; all of it is in build/release/build.log\n"
        self.assertTrue(run.stderr.endswith(end), run.stderr)

    def test_features_that_do_not_build_are_named_and_a_check_tells_the_rest_all_the_same(self):
        # K-02, F-57
        self.lyre("play")
        (self.project / "game").mkdir()
        (self.project / "game/CMakeLists.txt").touch()
        error = f"{self.project}/game/hoop/hoop.cpp:3:5: error: what is this"
        fails = [
            "FAILED: game/hoop/CMakeFiles/feature_hoop.dir/hoop.cpp.o", error, error,
            "FAILED: game/hoop/CMakeFiles/feature_hoop.dir/other.cpp.o",
            "FAILED: features/libball.so", "mold: error: undefined symbol",
            "FAILED: game/ring/CMakeFiles/feature_ring.dir/ring.cpp.o", "../../game/ring/ring.cpp:1:1: error: cached",
        ]
        lines = "".join(f"echo {shlex.quote(line)}; " for line in fails)
        self.stub("ninja", f'[[ " $* " == *" -k 0 "* ]] || exit 3\n{lines}exit 1\n')
        named = "lyre: building release failed; all of it is in build/release/build.log\n"
        named += "lyre: the feature hoop does not build: game/hoop/hoop.cpp:3:5: error: what is this\n"
        named += "lyre: the feature ball does not build\n"
        named += "lyre: the feature ring does not build: game/ring/ring.cpp:1:1: error: cached\n"
        for command, out in [("play", ""), ("check", f"program check --project {self.project} in /\n")]:
            run = self.lyre(command)
            self.assertEqual((run.returncode, run.stdout), (1, out), run.stderr)
            self.assertTrue(run.stderr.endswith(named), run.stderr)

        self.stub("ninja", f'{lines}echo "FAILED: src/lyre/core.o"; exit 1\n')
        run = self.lyre("check")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertNotIn("the feature", run.stderr)

    def test_a_signal_ends_the_build_and_gives_130(self):
        # K-02
        for number in (signal.SIGINT, signal.SIGTERM):
            run = subprocess.Popen(
                [self.project / SCRIPT, "play"], env=self.environment(HANG="1"), stderr=subprocess.PIPE, text=True
            )
            while run.stderr.readline() != "building release\n":
                pass
            begin = time.monotonic()
            run.send_signal(number)
            _, rest = run.communicate(timeout=20)
            self.assertEqual((run.returncode, rest), (130, "lyre: interrupted\n"))
            self.assertLess(time.monotonic() - begin, 10)


unittest.main()
