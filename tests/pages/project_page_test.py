"""docs/project.md: from an empty folder to a project that plays, as written, with the library as it is built.

usage: project_page_test.py PROGRAM PAGE BUILD COMPILER
"""
import os
import pathlib
import sys
import tempfile
import unittest

from walk import Walk, program

PAGE, BUILD, COMPILER = sys.argv[1:]


class Project(unittest.TestCase):
    def test_from_an_empty_folder_it_works_as_written(self):
        # K-01, K-02
        with tempfile.TemporaryDirectory(prefix="lyre home ") as folder:
            home = pathlib.Path(folder)
            checkout, own = home / "lyre", home / "hoops"
            for path in (checkout / "build", own):
                path.mkdir(parents=True)
            (checkout / "lyre").symlink_to(program.PROGRAM)  # as the script, once it has built
            (checkout / "build/release").symlink_to(BUILD)
            os.environ.update(HOME=folder, PATH=f"{home}/.local/bin:{os.environ['PATH']}", CXX=COMPILER)
            Walk(self, PAGE, own).go()


unittest.main(argv=sys.argv[:1])
