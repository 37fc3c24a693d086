"""A small tree with one fault in it, for the tests of tools/.

Each test writes the few files it needs below a temporary project, in its final layout (the library in src/lyre), and
compares what the tool says with the whole text it should say.
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"

# Two rooms and an umbrella that no checker complains about.
CLEAN = {
    "src/lyre/CMakeLists.txt": "add_subdirectory(core)\nadd_subdirectory(world)\n",
    "src/lyre/core/CMakeLists.txt": "lyre_room(core)\n",
    "src/lyre/core/name.h": "#pragma once\n#include <string>\ninline std::string name() { return {}; }\n",
    "src/lyre/core/name.cpp": '#include "lyre/core/name.h"\n',
    "src/lyre/world/CMakeLists.txt": "# the second room\nlyre_room(world core)\n",
    "src/lyre/world/actor.h": '#pragma once\n#include "lyre/core/name.h"\nstruct Actor {\n    std::string n;\n};\n',
    "src/lyre/lyre.h": '#pragma once\n\n#include "lyre/core/name.h"\n#include "lyre/world/actor.h"\n',
    "tests/world/actor_test.cpp": '#include "lyre/lyre.h"\n#include "lyre/world/actor.h"\n',
}


class FakeTreeTest(unittest.TestCase):
    tool = ""  # set by the test class

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lyre fake ")  # a space, since people have them
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name)
        self.write(CLEAN)

    def write(self, files):
        for name, text in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run_tool(self, *options, **environment):
        command = [TOOLS / self.tool, "--project", self.project, *options]
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})

    def finds(self, files, *expected):
        """With these files added or replaced the tool says exactly these lines and ends with 1."""
        self.write(files)
        run = self.run_tool()
        self.assertEqual(run.stdout.splitlines(), list(expected), run.stderr)
        self.assertEqual((run.returncode, run.stderr), (1, ""))

    def passes(self, files, expected):
        self.write(files)
        run = self.run_tool()
        self.assertEqual((run.stdout, run.returncode), (expected + "\n", 0), run.stderr)
