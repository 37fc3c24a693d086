"""Runs the command as people do on a terminal, and as programs do in a pipe. Shared by the tests beside it."""
import codecs
import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
GOLDEN = pathlib.Path(__file__).parent / "golden"
ROOT = pathlib.Path(__file__).resolve().parents[2]  # a project: commands are run from here unless told otherwise
TIMEOUT = 60  # s; a build with sanitizers on a busy machine is slow


def environment(**extra):
    """The machine's, without what would change the outcome."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("LYRE_") and k != "NO_COLOR"}
    return {**own, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **extra}


def without_progress(text):
    """What a slow machine tells every few seconds, and a quick one never."""
    return re.sub(r"(?m)^lyre \w+: (plays second|loads the experience|[a-z:]+).*, \d+\.\d s(: .*)?\n", "", text)


def crash_codes(code):
    """How a program ends that would end with `code`: a sanitizer, if it was built with one, may say what it was, and 1."""
    with open(PROGRAM, "rb") as file:
        program = file.read()
    return (code, 1) if b"__asan_init" in program or b"__tsan_init" in program else (code,)


def lyre(*words, program=PROGRAM, folder=ROOT, **extra):
    options = dict(capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
    run = subprocess.run([program, *words], cwd=folder, env=environment(**extra), **options)
    run.stderr = without_progress(run.stderr)
    return run


class OnTerminal:
    """The command on a terminal of its own, 80x24 unless told otherwise."""

    def __init__(self, *words, columns=80, lines=24, folder=ROOT, shell=None, **extra):
        """`shell`: the script of a shell that has the terminal and runs the command by "$@"."""
        self.text = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.host, inner = pty.openpty()
        self.inner = inner  # kept open: its settings are asked when the command has gone
        self.resize(columns, lines)
        self.before = termios.tcgetattr(inner)
        self.process = subprocess.Popen(
            [*(["bash", "-mc", shell, "shell"] if shell else []), PROGRAM, *words], cwd=folder, stdin=inner, stdout=inner,
            stderr=inner, env=environment(**extra), start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def resize(self, columns, lines):
        fcntl.ioctl(self.inner, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self, wait):
        if not select.select([self.host], [], [], wait)[0]:
            return False
        self.text += self.decoder.decode(os.read(self.host, 65536))
        return True

    def until(self, pattern):
        end = time.monotonic() + TIMEOUT
        while not re.search(pattern, self.text):
            if time.monotonic() > end:
                raise AssertionError(f"{pattern!r} did not appear in {self.text[-2000:]!r}")
            self.read(0.1)

    def press(self, keys):
        os.write(self.host, keys.encode())

    def shows(self, pattern, keys=""):
        """Presses keys, waits for a page drawn from then on in which the pattern is, and gives that page as a text."""
        begin, end = len(self.text), time.monotonic() + TIMEOUT
        self.press(keys)
        while True:
            for page in self.pages(begin):
                if re.search(pattern, "\n".join(page)):
                    return "\n".join(page)
            if time.monotonic() > end:
                raise AssertionError(f"{pattern!r} did not appear in {self.pages(begin)[-1:]!r}")
            self.read(0.1)

    def send(self, number):
        self.process.send_signal(number)

    def finish(self):
        """Gives the exit code. By then all it has written is in text."""
        end = time.monotonic() + TIMEOUT
        while self.process.poll() is None:  # it could not write on if nobody read
            if time.monotonic() > end:
                self.process.kill()
                raise AssertionError(f"it does not end: {self.text[-2000:]!r}")
            self.read(0.05)
        while self.read(0):
            pass
        self.is_restored = termios.tcgetattr(self.inner) == self.before
        os.close(self.inner)
        os.close(self.host)
        return self.process.returncode

    def close(self):
        """Ends it if a test gave up on it."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            os.close(self.inner)
            os.close(self.host)

    def pages(self, begin=0):
        """What was shown while the view was on: one list of lines per whole page, without colours."""
        pages = re.findall(r"\033\[H([^\0]+?)\033\[H", self.text[begin:])
        return [re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", page).replace("\r", "").split("\n") for page in pages]

    def after(self):
        """What stands on the screen that came back."""
        return self.text.partition("\033[?1049l")[2].replace("\r\n", "\n")


class CommandTest(unittest.TestCase):
    maxDiff = None

    def on_terminal(self, *words, **options):
        run = OnTerminal(*words, **options)
        self.addCleanup(run.close)
        return run

    def is_golden(self, name, text):
        """LYRE_GOLDEN=write makes the files anew: read the difference before you keep it."""
        path = GOLDEN / f"{name}.txt"
        if os.environ.get("LYRE_GOLDEN") == "write":
            path.write_text(text)
        self.assertEqual(text, path.read_text(), f"unlike {path}")
