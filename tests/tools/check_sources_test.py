"""tools/check_sources finds whoever asks the machine, and files that point outside."""
import unittest

from fake_tree import FakeTreeTest


class CheckSources(FakeTreeTest):
    tool = "check_sources"

    def test_a_clean_tree_passes(self):
        # W-12, S-001
        self.passes({}, "check_sources: 4 sources ask nobody the time, 8 files stay inside")

    def test_time_chance_files_and_environment(self):
        # W-12, S-001
        lines = {
            "auto a = std::chrono::steady_clock::now();": "steady_clock::now asks the machine for the clock; take a Clock",
            "using Wall = std::chrono::system_clock;": "using Wall = std::chrono::system_clock "
            "asks the machine for the clock; take a Clock",
            "auto b = std::time(nullptr);": "std::time asks the machine for the clock; take a Clock",
            "auto c = std::clock();": "std::clock asks the machine for the clock; take a Clock",
            "auto d = clock_gettime(0, &e);": "clock_gettime asks the machine for the clock; take a Clock",
            "std::this_thread::sleep_for(f);": "this_thread::sleep_for asks the machine for the clock; "
            "wait for what is to come",
            "int g = rand();": "rand asks the machine for chance; take a stream of Random",
            "std::random_device h;": "std::random_device asks the machine for chance; take a stream of Random",
            "std::mt19937 i;": "std::mt19937 asks the machine for chance; take a stream of Random",
            "std::uniform_int_distribution<> j;": "std::uniform_int_distribution asks the machine for chance; "
            "take a stream of Random, the standard's differ between libraries",
            'auto k = std::getenv("HOME");': "std::getenv asks the machine for the environment; "
            "declare a console variable",
            "#include <fcntl.h>": "#include <fcntl.h> asks the machine for files; take a Files",
            "std::ifstream m(path);": "std::ifstream asks the machine for files; take a Files",
            "auto n = std::filesystem::exists(path);": "std::filesystem asks the machine for files; take a Files",
            "auto o = std::fopen(path, mode);": "std::fopen asks the machine for files; take a Files",
            "auto p = ::open(path, mode);": "::open asks the machine for files; take a Files",
            "gettimeofday(&l, 0);": "gettimeofday asks the machine for the clock; take a Clock",
        }
        text = "\n".join(lines) + "\n"
        wanted = [f"{n}: {said}" for n, said in enumerate(lines.values(), 1)]
        self.finds(
            {"src/lyre/core/name.cpp": text, "game/tag/tag.cpp": text, "game/tag/tests/tag_test.cpp": text},
            *(f"game/tag/tag.cpp:{line}" for line in wanted),
            *(f"src/lyre/core/name.cpp:{line}" for line in wanted),
        )

    def test_members_of_such_names_and_the_doors_are_free(self):
        # W-12, S-001
        self.passes(
            {
                "src/lyre/core/clock.cpp": "auto a = std::chrono::steady_clock::now();\n",
                "src/lyre/core/files_native.cpp": "#include <fcntl.h>\nauto a = ::open(path, mode);\n",
                "src/lyre/features/module_native.cpp": "#include <fcntl.h>\nauto a = ::open(path, mode);\n",
                "src/lyre/core/name.cpp": "auto a = world.time(0);\nauto b = World::time(0);\nClock& clock();\n"
                "auto c = clock().now();\nauto d = Clock::now();\nauto e = body->rand();\n"
                "std::chrono::system_clock::time_point t{seconds};\n"
                "void open(int);\nauto g = Door::open(1);\nauto h = files.read(path, 1);\n"
                "// std::time(nullptr)\nconst char* f = \"rand()\";\n",
            },
            "check_sources: 7 sources ask nobody the time, 11 files stay inside",
        )

    def test_kinds_of_reports_that_nobody_reports(self):
        self.finds(
            {
                "src/lyre/core/name.cpp": 'log.report(Name("core.told"), "text");\n// "core.said"\n',
                "tests/core/name_test.cpp": 'EXPECT_EQ(house.reports("core.told"), 1);\n'
                'EXPECT_EQ(house.reports("core.said"), 0);\nEXPECT_EQ(house.last_report("core.said"), "");\n'
                'EXPECT_EQ(log.count(Name("core.tolled")), 0);\n',
            },
            'tests/core/name_test.cpp:2: nobody reports "core.said"; it would be 0 whatever happens',
            'tests/core/name_test.cpp:3: nobody reports "core.said"; it would be 0 whatever happens',
            'tests/core/name_test.cpp:4: nobody reports "core.tolled"; it would be 0 whatever happens',
        )

    def test_files_that_point_outside(self):
        outside, address = "../" + "shared", "https:" + "//example.org"
        self.finds(
            {
                "docs/page.md": f"first\nsee {outside}/notes\n",
                "pip.conf": f"index-url = {address}\n",
                "Dockerfile": f"RUN true\ndeb {address} stable main\n",
                "picture.png": "",
            },
            f"Dockerfile:2: deb https:{'//'} names a package registry; leave it to the machine",
            f"docs/page.md:2: {outside} points outside of the project; copy what is needed into it",
            f"pip.conf:1: index-url = https:{'//'} names a package registry; leave it to the machine",
        )


unittest.main()
