"""docs/howto.md: its recipes work as written, in a copy of the game with the features as they are built.

usage: howto_test.py PROGRAM PAGE SOURCE BUILD
"""
import pathlib
import shutil
import sys
import unittest

from walk import Walk, program

PAGE, SOURCE, BUILD = sys.argv[1:]
FOLDER = pathlib.Path(BUILD) / "pages/howto"


class Howto(unittest.TestCase):
    def test_the_recipes_work_as_written(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        shutil.copy(f"{SOURCE}/lyre.toml", FOLDER)
        shutil.copytree(f"{SOURCE}/game", FOLDER / "game")
        (FOLDER / "lyre").symlink_to(program.PROGRAM)
        Walk(self, PAGE, FOLDER).go()


unittest.main(argv=sys.argv[:1])
