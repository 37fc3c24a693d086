"""tools/check_wasm finds what a browser build does not have."""
import unittest

from fake_tree import FakeTreeTest


class CheckWasm(FakeTreeTest):
    tool = "check_wasm"

    def test_a_clean_tree_passes(self):
        self.passes({}, "check_wasm: 3 files inside the browser's C++")

    def test_headers_and_names(self):
        self.finds(
            {
                "src/lyre/core/name.h": "#pragma once\n#include <ranges>\n#include <dlfcn.h>\n#include <sys/socket.h>\n"
                "// std::bit_cast in a comment\nconst char* s = \"std::pmr\";\n"
                "#define A std::bit_cast<int>(1.0f)\n#define B std::jthread\n#define C std::views::filter\n"
                "#define D std::ranges::sort\n#define E std::pmr::vector\n#define F std::format\n#define G dlopen\n",
                "src/lyre/core/name.cpp": "",
            },
            "src/lyre/core/name.h:2: <ranges> is not there in a browser build; "
            "use the algorithms of <algorithm>, or a loop",
            "src/lyre/core/name.h:3: <dlfcn.h> is not there in a browser build; "
            "no shared libraries in a browser: put it into a file named *_native.cpp",
            "src/lyre/core/name.h:4: <sys/socket.h> is not there in a browser build; "
            "no sockets in a browser: put it into a file named *_native.cpp",
            "src/lyre/core/name.h:7: std::bit_cast is not there in a browser build; use std::memcpy",
            "src/lyre/core/name.h:8: std::jthread is not there in a browser build; use std::thread and join it",
            "src/lyre/core/name.h:9: std::views is not there in a browser build; "
            "use the algorithms of <algorithm>, or a loop",
            "src/lyre/core/name.h:10: std::ranges is not there in a browser build; "
            "use the algorithms of <algorithm>, or a loop",
            "src/lyre/core/name.h:11: std::pmr is not there in a browser build; own the memory in a pool",
            "src/lyre/core/name.h:12: std::format is not there in a browser build; use fmt",
            "src/lyre/core/name.h:13: dlopen is not there in a browser build; "
            "no shared libraries in a browser: put it into a file named *_native.cpp",
        )

    def test_floating_point_read_with_from_chars(self):
        text = "#include <charconv>\nvoid f(const char* a, const char* b) {\n    double d = 0;\n    int i = 0;\n"
        text += "    std::from_chars(a, b, i);\n    std::from_chars(a, b, d);\n}\n"
        self.finds(
            {"src/lyre/core/name.cpp": text},
            "src/lyre/core/name.cpp:6: std::from_chars reads no floating point in a browser build; use std::strtod",
        )

    def test_native_files_other_rooms_and_the_rest_of_session_are_free(self):
        self.passes(
            {
                "src/lyre/features/module_native.cpp": "#include <dlfcn.h>\n",
                "src/lyre/net/udp.cpp": "#include <sys/socket.h>\n",
                "src/lyre/session/server.cpp": "#include <sys/socket.h>\n",
                "src/lyre/inspect/web.cpp": "#include <sys/socket.h>\n",
            },
            "check_wasm: 3 files inside the browser's C++",
        )


unittest.main()
