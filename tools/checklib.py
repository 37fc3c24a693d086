"""What the checkers share: where the house stands, how its sources are read, how findings are told.

A checker is a program in tools/ that looks at the whole tree, prints one line `file:line: what, and what to do instead`
per finding and ends with 0 (nothing found), 1 (something found) or 2 (wrong usage). It changes nothing but its cache
below build/check, and needs nothing but Python and, where it compiles, a compiler.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

INCLUDE_ROOT = "src"  # what stands in front of lyre/<room>/<file>.h, seen from the project's root
BESIDE = ("apps", "game", "tests", "bench", "fuzz")  # the folders beside the library that hold C++


class Problem(NamedTuple):
    file: str
    line: int
    text: str


class Tree:
    """The project's folders. Paths in findings are relative to the project's root."""

    def __init__(self, project, include_root):
        self.project = pathlib.Path(project).resolve()
        self.include_root = self.project / include_root
        self.library = self.include_root / "lyre"

    def relative(self, path):
        return path.relative_to(self.project).as_posix()

    def rooms(self):
        """The room folders of the library, by name."""
        return {p.name: p for p in sorted(self.library.iterdir()) if p.is_dir()}

    def sources(self, *folders, suffixes=(".h", ".cpp")):
        """C++ files below the folders that exist, in order of path."""
        return sorted(p for folder in folders for p in folder.rglob("*") if p.suffix in suffixes and p.is_file())

    def everything(self):
        """C++ files of the library and of all folders beside it."""
        return self.sources(self.library, *(self.project / name for name in BESIDE))

    def is_test(self, path):
        """In tests/, or in the tests of a game feature."""
        return not path.is_relative_to(self.library) and "tests" in path.relative_to(self.project).parts[:-1]

    def tracked(self):
        """Every file git knows or would add; without git, every file outside of build/."""
        git = ["git", "-C", str(self.project), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(git, capture_output=True, text=True)
        if listed.returncode == 0:
            paths = [self.project / name for name in listed.stdout.split("\0") if name]
        else:
            paths = [p for p in self.project.rglob("*") if not self.relative(p).startswith(("build/", ".git/"))]
        return sorted(p for p in paths if p.is_file())


def open_tree(doc, *flags):
    """Reads the options every checker has; returns the tree and the options. `flags` are (name, help) pairs."""
    first, *rest = doc.split("\n", 1)
    parser = argparse.ArgumentParser(
        description=first, epilog="".join(rest), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--project", default=here, metavar="DIR", help="the project's root (default: this checkout)")
    parser.add_argument(
        "--root", default=INCLUDE_ROOT, metavar="DIR", help=f"the include root below it (default: {INCLUDE_ROOT})"
    )
    for name, text in flags:
        parser.add_argument(name, action="store_true", help=text)
    options = parser.parse_args()
    tree = Tree(options.project, options.root)
    if not tree.library.is_dir():
        parser.error(f"no library in {tree.library}; give --project and --root")
    return tree, options


def finish(problems, looked_at):
    """Tells the findings, or in one line what was looked at, and ends the program."""
    for file, line, text in sorted(set(problems)):
        print(f"{file}:{line}: {text}")
    if not problems:
        print(f"{pathlib.Path(sys.argv[0]).name}: {looked_at}")
    sys.exit(1 if problems else 0)


_TOKENS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<text>R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"
               | "(?:\\.|[^"\\\n])*"
               | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*')  # not the ' inside of 1'000""",
    re.DOTALL | re.VERBOSE,
)


def code_of(text, keep_strings=False):
    """C++ text with comments, and unless asked otherwise string literals, blanked; lines stay where they are."""

    def blank(match):
        if match["text"] and keep_strings:
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return _TOKENS.sub(blank, text)


def includes_of(path):
    """(line, bracket, name) of each #include; the bracket is `<` or a quote."""
    found = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
    lines = code_of(path.read_text(), keep_strings=True).split("\n")
    return [(n, m[1], m[2]) for n, line in enumerate(lines, 1) if (m := found.match(line))]


def find_all(pattern, code):
    """(line, match) of each place where the pattern stands in the code."""
    return [(code.count("\n", 0, m.start()) + 1, m) for m in re.finditer(pattern, code)]


class Compiler:
    """Checks that files compile, two or more at a time, and remembers those that did.

    A unit that compiled is remembered with the content hash of every file it read; it is compiled again when the
    command, the compiler or one of these contents is another. Failures are not remembered.
    """

    def __init__(self, tree, name, command):
        self.tree = tree
        self.command = [*command, "-fsyntax-only", f"-I{tree.include_root}", f"-I{tree.project}"]
        self.cache = tree.project / "build" / "check" / name
        self.cache.mkdir(parents=True, exist_ok=True)
        if shutil.which(command[0]) is None:
            print(f"{pathlib.Path(sys.argv[0]).name}: no {command[0]} here; install it", file=sys.stderr)
            sys.exit(2)
        version = subprocess.run([command[0], "--version"], capture_output=True, text=True, check=True).stdout
        self.salt = version + "\0".join(self.command)
        self.hashes = {}

    def problems(self, units):
        """units: {path: C++ text to compile in the path's place, or None for the file itself}."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return [p for found in pool.map(self._problems_of, units.items()) for p in found]

    def _problems_of(self, unit):
        path, text = unit
        key = self.cache / hashlib.sha1(f"{self.salt}\0{path}\0{text}".encode()).hexdigest()
        if self._is_remembered(key):
            return []
        reads = key.with_suffix(".d")
        source = [str(path)] if text is None else ["-x", "c++", "-"]
        command = [*self.command, "-MD", "-MF", str(reads), "-MT", "unit", *source]
        environment = {**os.environ, "LC_ALL": "C"}  # its messages in English
        run = subprocess.run(command, input=text, capture_output=True, text=True, env=environment)
        if run.returncode == 0:
            names = re.findall(r"(?:\\ |\S)+", reads.read_text().replace("\\\n", " ").removeprefix("unit:"))
            names = [name.replace("\\ ", " ") for name in names if name != "-"]
            key.write_text(json.dumps({name: self._hash(name) for name in names}))
        reads.unlink(missing_ok=True)
        return [] if run.returncode == 0 else [self._problem(path, run.stderr)]

    def _problem(self, path, output):
        """The compiler's first error, at its own place if that is ours, else at the unit."""
        error = re.search(r"^(.*?):(\d+):\d+: (?:fatal )?error: (.*)$", output, re.MULTILINE)
        if error is None:
            return Problem(self.tree.relative(path), 1, output.strip() or "the compiler failed and said nothing")
        place, line, text = pathlib.Path(error[1]), int(error[2]), error[3]
        if not place.is_relative_to(self.tree.project):
            return Problem(self.tree.relative(path), 1, f"{text} (at {place}:{line})")
        where = "" if place == path else f" (compiling {self.tree.relative(path)})"
        return Problem(self.tree.relative(place), line, text + where)

    def _is_remembered(self, key):
        try:
            return all(self._hash(name) == content for name, content in json.loads(key.read_text()).items())
        except (OSError, ValueError):
            return False

    def _hash(self, name):
        if name not in self.hashes:
            self.hashes[name] = hashlib.sha1(pathlib.Path(name).read_bytes()).hexdigest()
        return self.hashes[name]
