"""tools/count_tests adds up what gtest and ctest report, and believes the exit status more than the report."""
import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "count_tests"
GTEST = """<testsuites><testsuite name="Delegate">
<testcase name="calls" status="run" result="completed" classname="Delegate"/>
<testcase name="counts" status="run" result="completed" classname="Delegate"><failure message="1 is not 2"/></testcase>
<testcase name="later" status="run" result="skipped" classname="Delegate"><skipped message=""/></testcase>
<testcase name="off" status="notrun" result="suppressed" classname="Delegate"/></testsuite></testsuites>"""
CTEST = """<testsuite><testcase name="a" classname="a" status="run"><system-out>fine</system-out></testcase>
<testcase name="b" classname="b" status="fail"><failure message=""/><system-out>first
second</system-out></testcase></testsuite>"""


class CountTests(unittest.TestCase):
    def count(self, status, xml=None, log="", second=None):
        with tempfile.TemporaryDirectory() as folder:
            result = pathlib.Path(folder) / "result"
            result.with_suffix(".log").write_text(log)
            if xml is not None:
                result.with_suffix(".xml" if second is None else ".0.xml").write_text(xml)
            if second is not None:
                result.with_suffix(".1.xml").write_text(second)
            return subprocess.run([TOOL, str(status), result], capture_output=True, text=True, check=True).stdout

    def test_reports_are_counted_test_by_test(self):
        self.assertEqual(self.count(1, GTEST), "1 1\n  FAILED Delegate.counts\n    1 is not 2\n")
        self.assertEqual(self.count(8, CTEST), "1 1\n  FAILED b\n    first\n    second\n")

    def test_a_program_that_ran_in_parts_has_several_reports(self):
        self.assertEqual(self.count(1, GTEST, second=GTEST.replace("calls", "others")).splitlines()[0], "2 2")
        self.assertEqual(self.count(139, GTEST, "crash", second="").splitlines()[0], "1 1")

    def test_without_a_report_the_status_counts_as_one(self):
        self.assertEqual(self.count(0), "1 0\n")
        self.assertEqual(self.count(1, log="x.h:1: wrong\n"), "0 1\n  FAILED with status 1\n    x.h:1: wrong\n")
        self.assertEqual(self.count(134, "<testsuites><test", "crash"), "0 1\n  FAILED with status 134\n    crash\n")

    def test_a_bad_end_after_good_tests_is_a_failure(self):
        good = GTEST.replace('<failure message="1 is not 2"/>', "")
        self.assertEqual(self.count(23, good, "leak\n"), "2 1\n  FAILED with status 23\n    leak\n")


unittest.main()
