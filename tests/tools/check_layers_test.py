"""tools/check_layers finds every way out of the corridors."""
import unittest

from fake_tree import FakeTreeTest


def folders(*names):
    return "".join(f"add_subdirectory({name})\n" for name in names)


class CheckLayers(FakeTreeTest):
    tool = "check_layers"

    def test_a_clean_tree_passes(self):
        self.passes({}, "check_layers: 2 rooms, 5 files, every include in its corridor")

    def test_an_include_of_a_room_that_is_not_listed(self):
        self.finds(
            {"src/lyre/core/name.h": '#pragma once\n\n#include "lyre/world/actor.h"\n'},
            "src/lyre/core/name.h:3: room core does not list world; "
            "list it in src/lyre/core/CMakeLists.txt, or do without",
        )

    def test_a_room_reached_only_through_another_is_not_listed(self):
        self.finds(
            {
                "src/lyre/CMakeLists.txt": folders("core", "world", "framework"),
                "src/lyre/framework/CMakeLists.txt": "lyre_room(framework world)\n",
                "src/lyre/framework/receiver.cpp": '#include "lyre/world/actor.h"\n#include "lyre/core/name.h"\n',
            },
            "src/lyre/framework/receiver.cpp:2: room framework does not list core; "
            "list it in src/lyre/framework/CMakeLists.txt, or do without",
        )

    def test_a_circle(self):
        self.finds(
            {"src/lyre/core/CMakeLists.txt": "lyre_room(core world)\n"},
            "src/lyre/core/CMakeLists.txt:1: rooms in a circle: core -> world -> core; "
            "move what both need into a lower room",
        )

    def test_unknown_rooms(self):
        self.finds(
            {
                "src/lyre/world/CMakeLists.txt": "lyre_room(world core corr)\n",
                "tests/core/name_test.cpp": '#include "lyre/wrld/actor.h"\n',
            },
            "src/lyre/world/CMakeLists.txt:1: no room corr; did you mean core?",
            "tests/core/name_test.cpp:1: no room wrld; did you mean world?",
        )

    def test_rooms_that_are_not_built_or_not_named(self):
        self.finds(
            {
                "src/lyre/assets/CMakeLists.txt": "lyre_room(assets core)\n",
                "src/lyre/net/bits.cpp": "",
                "src/lyre/world/CMakeLists.txt": "lyre_room(wold core)\n",
                "src/lyre/loose.cpp": "",
            },
            "src/lyre/CMakeLists.txt:1: room assets is not built; add add_subdirectory(assets) in order, lowest first",
            "src/lyre/loose.cpp:1: stands in no room; move it into one",
            "src/lyre/net/CMakeLists.txt:1: a room needs one line lyre_room(net ROOM...) here",
            "src/lyre/world/CMakeLists.txt:1: the room is named wold, its folder world; give both one name",
        )

    def test_includes_that_do_not_start_at_the_root(self):
        self.finds(
            {
                "src/lyre/core/name.cpp": '#include "name.h"\n#include "../core/name.h"\n'
                '#include "lyre/core/../core/name.h"\n#include <lyre/core/name.h>\n'
                '// #include "no.h"\n/*\n#include "no.h"\n*/\n',
            },
            'src/lyre/core/name.cpp:1: include "name.h" from the root, as in "lyre/core/name.h"',
            'src/lyre/core/name.cpp:2: include "../core/name.h" from the root, as in "lyre/core/name.h"',
            'src/lyre/core/name.cpp:3: include "lyre/core/../core/name.h" from the root, as in "lyre/core/name.h"',
            'src/lyre/core/name.cpp:4: write "lyre/core/name.h" with quotes: angle brackets are for what is not ours',
        )

    def test_the_umbrella_is_for_users_and_tests(self):
        text = "lyre/lyre.h is for users and tests; include the headers that are used"
        self.finds(
            {
                "src/lyre/core/name.cpp": '#include "lyre/lyre.h"\n',
                "apps/lyre/main.cpp": '#include "lyre/lyre.h"\n',
                "game/tag/tag.cpp": '#include "lyre/lyre.h"\n',
                "game/tag/tests/tag_test.cpp": '#include "lyre/lyre.h"\n',
            },
            f"apps/lyre/main.cpp:1: {text}",
            f"game/tag/tag.cpp:1: {text}",
            f"src/lyre/core/name.cpp:1: {text}",
        )

    def test_closed_rooms(self):
        self.finds(
            {
                "src/lyre/CMakeLists.txt": folders("core", "world", "net", "gameplay", "session"),
                "src/lyre/net/CMakeLists.txt": "lyre_room(net core)\n",
                "src/lyre/gameplay/CMakeLists.txt": "lyre_room(gameplay net core)\n",
                "src/lyre/session/CMakeLists.txt": "lyre_room(session gameplay net core)\n",
                "src/lyre/session/server.cpp": '#include "lyre/net/bits.h"\n#include "apps/lyre/main.h"\n',
                "game/tag/tag.cpp": '#include "lyre/gameplay/pawn.h"\n#include "lyre/net/bits.h"\n'
                '#include "lyre/session/x.h"\n',
                "apps/lyre/main.cpp": '#include "lyre/session/server.h"\n#include "game/tag/api.h"\n',
                "bench/net_bench.cpp": '#include "lyre/net/bits.h"\n',
            },
            "apps/lyre/main.cpp:2: apps never includes game",
            "game/tag/tag.cpp:2: game may never include net; it is for apps, inspect, script, session only",
            "game/tag/tag.cpp:3: game may never include session; it is for apps only",
            "src/lyre/gameplay/CMakeLists.txt:1: gameplay may never include net; "
            "it is for apps, inspect, script, session only",
            "src/lyre/session/server.cpp:2: the library never includes apps; hand in what it needs",
        )

    def test_of_another_feature_only_the_api_of_a_dependency(self):
        self.finds(
            {
                "game/tag/feature.toml": 'id = "tag"\n[[dependency]]\nid = "arena"\n',
                "game/tag/tag.cpp": '#include "game/tag/tag.h"\n#include "game/arena/api.h"\n'
                '#include "game/arena/pawn.h"\n#include "game/bots/api.h"\n',
            },
            "game/tag/tag.cpp:3: of another feature only its api.h is open: game/arena/api.h",
            "game/tag/tag.cpp:4: tag does not depend on bots; name it in game/tag/feature.toml",
        )

    def test_a_project_without_a_library_is_wrong_usage(self):
        # K-02
        run = self.run_tool("--root", "nowhere")
        self.assertEqual(run.returncode, 2)
        self.assertIn("no library in", run.stderr)


unittest.main()
