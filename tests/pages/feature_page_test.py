"""A page that makes features, from its beginning to its end, in a copy of the game: each command, each file, what is seen.

usage: feature_page_test.py PROGRAM PAGE SOURCE BUILD COMPILER

The copy stands in BUILD/pages/NAME, NAME being the page's, and takes lyre as a package and the features that are there as they are built;
its script `lyre` builds what is new, as that of the checkout does. Nothing else is written to.
"""
import pathlib
import shutil
import subprocess
import sys
import unittest

from walk import Walk, program

PAGE, SOURCE, BUILD, COMPILER = sys.argv[1:]
FOLDER = pathlib.Path(BUILD) / "pages" / pathlib.Path(PAGE).stem

SCRIPT = """#!/bin/sh
cd "$(dirname "$0")" || exit
{{ [ -f build/release/build.ninja ] || {configure}; }} >build/log 2>&1 && ninja -C build/release >>build/log 2>&1 ||
    {{ tail -n 40 build/log; exit 1; }}
if [ "$1" = test ]; then
    ctest --test-dir build/release --no-tests=error -R "$2" && echo "1 passed, 0 failed"
    exit
fi
exec {program} "$@"
"""
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(copy LANGUAGES CXX)
find_package(lyre REQUIRED)
enable_testing()
file(GLOB manifests CONFIGURE_DEPENDS game/*/feature.toml)
foreach(manifest IN LISTS manifests)
  get_filename_component(folder ${manifest} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  if(NOT name IN_LIST THERE)
    add_subdirectory(${folder})
  endif()
endforeach()
"""


def make_copy():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    shutil.copytree(f"{BUILD}/features", FOLDER / "build/release/features")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", FOLDER / "build/lyre"], check=True, capture_output=True)
    shutil.copy(f"{SOURCE}/lyre.toml", FOLDER)
    shutil.copytree(f"{SOURCE}/game", FOLDER / "game")
    there = ";".join(path.parent.name for path in FOLDER.glob("game/*/feature.toml"))
    (FOLDER / "CMakeLists.txt").write_text(PROJECT)
    configure = ["cmake", "-G", "Ninja", "-S", ".", "-B", "build/release", "-DCMAKE_PREFIX_PATH=$PWD/build/lyre"]
    configure += [f"-DCMAKE_CXX_COMPILER={COMPILER}", f"'-DTHERE={there}'"]
    if shutil.which("ccache"):
        configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    script = FOLDER / "lyre"
    script.write_text(SCRIPT.format(configure=" ".join(configure), program=program.PROGRAM))
    script.chmod(0o755)


class FeaturePage(unittest.TestCase):
    def test_it_works_as_written(self):
        make_copy()
        Walk(self, PAGE, FOLDER).go()


unittest.main(argv=sys.argv[:1])
