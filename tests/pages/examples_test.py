"""The examples of a page print what the page says.

usage: examples_test.py PAGE PROGRAM...     a program per example, in their order
"""
import subprocess
import sys
import unittest

from examples import examples

PAGE, *PROGRAMS = sys.argv[1:]


class Examples(unittest.TestCase):
    def test_each_is_compiled(self):
        self.assertEqual(len(PROGRAMS), len(examples(PAGE)))

    def test_each_prints_what_the_text_says(self):
        for program, (_, output) in zip(PROGRAMS, examples(PAGE)):
            with self.subTest(program):
                run = subprocess.run([program], capture_output=True, text=True, timeout=60)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertEqual(run.stdout, output)

    def test_each_fits_a_page(self):
        for code, _ in examples(PAGE):
            self.assertLessEqual(max(map(len, code.splitlines())), 120)


unittest.main(argv=sys.argv[:1])
