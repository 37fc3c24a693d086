"""Walks through a page as a reader would: types what it says to type, and compares what it says to see.

Blocks of a page, by the words behind their fence, in their order:

    console           lines `$ COMMAND`, run by a shell, each with the output it has (stdout and stderr); with no line
                      below it the output is not looked at. A line `...` stands for any lines, `...` within a line for
                      any text. A command ends with 0, and so does each that stands before a `|`.
    keys              `$ COMMAND` on a terminal, then a line per key: the key, spaces, a text that is seen after it
    LANGUAGE PATH     the whole text of a file
    diff PATH         lines of a file: those with - are there, one after the other, and become those with +

All others are left alone.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "command"))
import program  # takes the first argument: the command `lyre`

FENCE = re.compile(r"^```(\S*) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIMEOUT = 300  # s; a command may build


def blocks(page):
    """(kind, path, text, line) of each block that is walked."""
    text = pathlib.Path(page).read_text()
    for found in FENCE.finditer(text):
        kind, path, body = found.groups()
        if kind in ("console", "keys") or path:
            yield kind, path, body, text[: found.start()].count("\n") + 2


def commands(body):
    """(command, lines below it) of each command of a block."""
    result = []
    for line in body.splitlines():
        if line.startswith("$ "):
            result.append((line[2:], []))
        else:
            result[-1][1].append(line)
    return result


def is_like(wanted, said):
    """Whether lines are as a page says they are."""
    parts = []
    for line in wanted:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*")
        else:
            parts.append(".*".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ \t]*\n")
    return re.fullmatch("".join(parts), "".join(line.rstrip() + "\n" for line in said)) is not None


class Walk:
    """One page, in a folder that is a project with a script `lyre`."""

    def __init__(self, test, page, folder):
        self.test, self.page, self.folder = test, pathlib.Path(page), pathlib.Path(folder)

    def go(self):
        for kind, path, body, line in blocks(self.page):
            where = f"{self.page.name}:{line}"
            if kind == "console":
                for command, wanted in commands(body):
                    self.run(command, wanted, where)
            elif kind == "keys":
                [(command, keys)] = commands(body)
                self.press(command, keys, where)
            elif kind == "diff":
                self.change(path, body, where)
            else:
                file = self.folder / path
                self.test.assertTrue(file.parent.is_dir(), f"{where}: no folder for {path}")
                file.write_text(body)

    def run(self, command, wanted, where):
        run = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=self.folder, env=program.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT,
        )
        said = f"{where}: $ {command}\nended with {run.returncode} and said\n{run.stdout}"
        self.test.assertEqual(run.returncode, 0, said)
        if wanted:
            self.test.assertTrue(is_like(wanted, run.stdout.splitlines()), said + "instead of\n" + "\n".join(wanted))

    def press(self, command, keys, where):
        script, *words = command.split()
        program.PROGRAM, program.ROOT = str(self.folder / script), self.folder
        run = program.OnTerminal(*words)
        self.test.addCleanup(run.close)
        for line in keys:
            key, _, seen = line.partition(" ")
            if key == "q":
                run.press(key)
                self.test.assertEqual(run.finish(), 0, where)
                self.test.assertIn(seen.strip(), run.after(), where)
            else:
                run.shows(re.escape(seen.strip()), "" if key == "-" else key)

    def change(self, path, body, where):
        lines = body.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] == "-")
        new = "".join(line[1:] for line in lines if line[0] == "+")
        text = (self.folder / path).read_text()
        self.test.assertEqual(text.count(old), 1, f"{where}: not once in {path}:\n{old}")
        (self.folder / path).write_text(text.replace(old, new))
