"""Prints the one code block of a language in a Markdown file, for a test to compile or compare.

usage: extract.py FILE LANGUAGE
"""
import pathlib
import re
import sys


def block(path, language):
    found = re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", pathlib.Path(path).read_text(), re.MULTILINE | re.DOTALL)
    if len(found) != 1:
        sys.exit(f"{path} has {len(found)} blocks of {language}, not one")
    return found[0]


if __name__ == "__main__":
    sys.stdout.write(block(sys.argv[1], sys.argv[2]))
