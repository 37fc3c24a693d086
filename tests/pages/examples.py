"""The examples of a Markdown page: a cpp block whose next block is output is a program and what it prints.

usage: examples.py PAGE NUMBER      prints the code of one, from 1 on, for a test to compile
"""
import pathlib
import re
import sys


def examples(page):
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", pathlib.Path(page).read_text(), re.MULTILINE | re.DOTALL)
    return [(code, output) for (first, code), (second, output) in zip(blocks, blocks[1:]) if (first, second) == ("cpp", "output")]


if __name__ == "__main__":
    all_of_page, number = examples(sys.argv[1]), int(sys.argv[2])
    if number > len(all_of_page):
        sys.exit(f"{sys.argv[1]} has {len(all_of_page)} examples, not {number}")
    sys.stdout.write(all_of_page[number - 1][0])
