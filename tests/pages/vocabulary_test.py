"""docs/vocabulary.md: each name stands in the header that is given for it.

usage: vocabulary_test.py PAGE SOURCE
"""
import pathlib
import re
import sys
import unittest

PAGE, SOURCE = sys.argv[1:]
HEADERS = re.compile(r"\(([\w/]+\.h(?:, [\w/]+\.h)*)\)")


def entries():
    """(word, code in front of the headers, headers) of each line of the list."""
    text = pathlib.Path(PAGE).read_text()
    for bullet in re.findall(r"(?m)^- (.*(?:\n  .*)*)", text):
        bullet = re.sub(r"\s+", " ", bullet)
        word, _, rest = bullet.partition("**: ")
        found = HEADERS.search(rest)
        yield word.strip("*"), re.findall(r"`([^`]+)`", rest[: found.start()] if found else ""), found and found[1].split(", ")


class Vocabulary(unittest.TestCase):
    def test_each_name_stands_in_its_header(self):
        for word, names, headers in entries():
            if headers is None:
                continue
            with self.subTest(word):
                text = "".join((pathlib.Path(SOURCE) / "src/lyre" / header).read_text() for header in headers)
                for name in names:
                    if ".toml" in name or "[[" in name or name.startswith("lyre"):
                        continue
                    for part in re.findall(r"[A-Za-z_]\w\w+", name):
                        self.assertRegex(text, rf"\b{part}", f"{part} of {name} in {headers}")

    def test_it_has_a_header_for_almost_all(self):
        all_of_them = list(entries())
        self.assertGreater(len(all_of_them), 60)
        self.assertEqual([word for word, _, headers in all_of_them if headers is None], ["user-facing experience, playlist"])

    def test_no_word_is_explained_twice(self):
        words = [word for word, _, _ in entries()]
        self.assertEqual(len(words), len(set(words)))


unittest.main(argv=sys.argv[:1])
