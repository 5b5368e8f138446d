"""./test itself, with programs of ours in the place of cmake and ctest: which trees it builds and when,
what it prints, and its verdict."""
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("stage", ROOT / "tests/stage.py")
stage = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(stage)
OWN_NICE = os.nice(0)
# All that ./test finds: neither npm nor docker, and no package manager.
TOOLS = """awk cat cmp cp date df dirname find grep id kill mkdir mv nice nproc printf ps rm sed setsid sh
    sleep sort tail touch tr""".split()

CMAKE = r"""#!/bin/sh
[ "$1" != --version ] || { echo "cmake version 3.25.1"; exit; }
if [ "$1" = --fresh ]; then
    mkdir -p "build/$3"
    echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"build/$3/CMakeCache.txt"
    touch "build/$3/build.ninja"
    exit
fi
shift
echo "build $* nice $(nice)" >>calls
[ ! -e /proc/self/autogroup ] || sed "s/.* nice/$2/" /proc/self/autogroup >>sessions
[ ! -e "broken-$2" ] || { echo "error: $2 is broken"; exit 1; }
[ ! -e "deadly-$2" ] || [ "$(nice)" != 19 ] || kill -KILL $PPID
[ ! -e "endless-$2" ] || { echo $$ >pid.new && mv pid.new pid && exec sleep 1000; }
"""
# Answers with 3 tests, the last of them skipped. STAGE-two fails where failing-STAGE lies, and also alone
# unless flaky-STAGE does; STAGE-one takes 45 seconds where late-STAGE lies, and also alone unless
# waiting-STAGE does; 25 seconds where dawdling-STAGE lies.
CTEST = r"""#!/bin/sh
echo "ctest $* seed ${PENNYWORTH_TEST_SEED-none}" >>calls
report= alone=
for word; do
    case $word in
    *.xml) report=$word stage=${word##*/} stage=${stage%%.*} ;;
    ^*-one\$ | ^*-two\$) alone=yes ;;
    esac
done
[ ! -e "unable-$stage" ] || exit 9
failure= status=0
if [ -e "failing-$stage" ] && ! { [ "$alone" ] && [ -e "flaky-$stage" ]; }; then
    failure='<failure message="Failed"/>' status=8
fi
seconds=1.5
[ ! -e "dawdling-$stage" ] || seconds=25
if [ -e "late-$stage" ] && ! { [ "$alone" ] && [ -e "waiting-$stage" ]; }; then
    seconds=45
fi
cat >"$report" <<END
<testsuite name="x" tests="3">
<testcase name="$stage-one" time="$seconds" status="run"><system-out></system-out></testcase>
<testcase name="$stage-two" time="12.25" status="run">$failure<system-out>before
tests/x_test.c:7: not true: a == b
after</system-out></testcase>
<testcase name="$stage-three" time="0" status="notrun"><skipped message="Skipped"/></testcase>
</testsuite>
END
# The build that runs at the same time has begun.
[ ! -e wait-for-pid ] || until [ -e pid ]; do sleep 0.05; done
[ ! -e "ending-$stage" ] || kill -TERM "$(ps -o ppid= -p $PPID)"
exit $status
"""


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Script(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        for name in ("test", "cmake/prepare.sh", "CMakePresets.json",
                     "tests/services/requirements.txt", "tests/deploy/test_deploy.py",
                     "tests/browser/browser.py", "tests/stage.py", "tests/api/test_feeds.py"):
            (self.top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.top / name)
        # As if they were installed: nothing here asks PyPI.
        (self.top / "build/services").mkdir(parents=True)
        shutil.copy(self.top / "tests/services/requirements.txt",
                    self.top / "build/services/installed")
        (self.top / "bin").mkdir()
        for tool in TOOLS:
            (self.top / "bin" / tool).symlink_to(shutil.which(tool))
        for tool, text in (("cmake", CMAKE), ("ctest", CTEST)):
            (self.top / "bin" / tool).write_text(text)
            (self.top / "bin" / tool).chmod(0o755)

    def mark(self, *names):
        for name in names:
            (self.top / name).touch()

    def run_test(self, *stages, slowness="1"):
        (self.top / "calls").write_text("")
        self.ran = subprocess.run(["/bin/sh", "./test", *stages], cwd=self.top, text=True,
                                  env={"PATH": str(self.top / "bin"),
                                       "PENNYWORTH_TEST_SLOWNESS": slowness},
                                  timeout=PATIENCE, stdin=subprocess.DEVNULL,
                                  capture_output=True)
        return self.ran

    def calls(self, word):
        return [line for line in (self.top / "calls").read_text().splitlines()
                if line.startswith(word)]

    def announced(self):
        return re.findall(r"^test: == (.*)$", self.ran.stderr, re.M)

    def verdict(self):
        return self.ran.returncode, self.ran.stdout.splitlines()[-1]


class Crowding(unittest.TestCase):
    def test_a_test_alone_may_take_longer_by_what_others_use_of_the_processors(self):
        for others, times in ((0, 1), (10, 2), (15, 4), (20, 10), (21, 10)):
            self.assertAlmostEqual(times, stage.crowding((5, 100), (5 + others, 120)))
        self.assertEqual(1, stage.crowding((5, 100), (5, 100)))


class Verdict(Script):
    def test_is_the_sum_of_all_stages(self):
        self.run_test("fast", "asan")
        self.assertEqual((0, "4 passed, 0 failed"), self.verdict())

    def test_one_failing_test_fails_all_and_the_later_stages_run(self):
        self.mark("failing-fast")
        self.run_test("fast", "fuzz")
        self.assertEqual((1, "3 passed, 1 failed"), self.verdict())
        self.assertEqual(["fast", "fast.again", "fuzz"],
                         [re.search(r"(\S+)[.]xml", call)[1].rpartition("/")[2]
                          for call in self.calls("ctest")])

    def test_the_last_lines_have_what_a_failing_test_said_and_how_it_runs_alone(self):
        self.mark("failing-fast")
        self.run_test("fast")
        self.assertEqual(["    fast: 1 passed, 1 failed",
                          "    failed fast-two",
                          "        tests/x_test.c:7: not true: a == b",
                          "        whole output: build/failures.d/fast-two.first; "
                          "alone: ./test fast fast-two",
                          "1 passed, 1 failed"], self.ran.stdout.splitlines()[-5:])
        for word in ("first", "again"):
            self.assertEqual("before\ntests/x_test.c:7: not true: a == b\nafter",
                             (self.top / f"build/failures.d/fast-two.{word}").read_text())

    def test_a_test_that_passes_alone_is_flaky_and_named(self):
        self.mark("failing-fuzz", "flaky-fuzz")
        self.run_test("fuzz")
        self.assertEqual((0, "2 passed, 0 failed"), self.verdict())
        self.assertIn("flaky, since they passed when they ran again alone: fuzz-two",
                      self.ran.stdout.splitlines())

    def test_a_flaky_test_fails_all(self):
        self.mark("failing-slow", "flaky-slow")
        self.assertEqual(1, self.run_test("all").returncode)
        self.assertIn("    slow: 1 passed, 1 failed", self.ran.stdout.splitlines())

    def test_a_test_that_takes_too_long_even_alone_fails(self):
        self.mark("late-fast")
        self.run_test("fast")
        self.assertEqual((1, "1 passed, 1 failed"), self.verdict())
        self.assertIn("takes 45 s alone, far more than 20", self.ran.stdout)
        self.mark("waiting-fast")
        self.run_test("fast")
        self.assertEqual((0, "2 passed, 0 failed"), self.verdict())

    def test_a_test_that_takes_up_to_twice_as_long_as_it_may_is_called_late(self):
        self.mark("dawdling-fast")
        self.run_test("fast")
        self.assertEqual(["    fast: 2 passed, 0 failed",
                          "    late fast-one: takes 25 s, more than 20",
                          "2 passed, 0 failed"], self.ran.stdout.splitlines()[-3:])
        self.assertEqual(0, self.ran.returncode)
        self.run_test("all", "fast")  # with every case
        self.assertNotIn("late fast-one", self.ran.stdout)

    def test_on_a_slow_machine_a_test_may_take_longer(self):
        self.mark("late-fast")
        self.run_test("fast", slowness="2.5")
        self.assertEqual((0, "2 passed, 0 failed"), self.verdict())
        self.assertNotIn("late fast-one", self.ran.stdout)

    def test_with_every_case_a_test_takes_as_long_as_it_must(self):
        self.mark("late-fast")
        self.run_test("all", "fast")
        self.assertEqual((0, "2 passed, 0 failed"), self.verdict())

    def test_what_failed_before_is_forgotten(self):
        self.mark("failing-fast")
        self.run_test("fast")
        (self.top / "failing-fast").unlink()
        self.run_test("fast")
        self.assertEqual((0, "2 passed, 0 failed"), self.verdict())
        self.assertFalse((self.top / "build/failures.d").exists())

    def test_a_tree_that_cannot_be_built_is_one_failure(self):
        self.mark("broken-asan")
        self.run_test("asan", "fuzz")
        self.assertEqual((1, "2 passed, 1 failed"), self.verdict())
        self.assertIn("error: asan is broken", self.ran.stderr)

    def test_a_ctest_that_cannot_judge_is_one_failure(self):
        self.mark("unable-fuzz")
        self.run_test("fuzz")
        self.assertEqual((1, "0 passed, 1 failed"), self.verdict())

    def test_what_is_neither_a_stage_nor_a_test_is_refused_before_anything_is_built(self):
        for words in (("fast", "quick"), ("--fast",)):
            self.assertEqual(2, self.run_test(*words).returncode)
            self.assertEqual([], self.calls("build"))

    def test_names_of_tests_choose_among_all_or_in_the_stages_that_are_named(self):
        self.run_test("api-test_feeds", "stage")
        (call,) = self.calls("ctest")
        self.assertIn("-R api-test_feeds|stage", call)
        self.assertEqual((0, "2 passed, 0 failed"), self.verdict())
        self.run_test("asan", "feeds")
        (call,) = self.calls("ctest")
        self.assertIn("--test-dir build/asan", call)
        self.assertIn("-R feeds", call)


class Progress(Script):
    def test_names_the_slowest_tests_of_each_stage(self):
        self.run_test("fuzz")
        self.assertIn("test: the slowest of fuzz: fuzz-two 12 s, fuzz-one 2 s, fuzz-three 0 s",
                      self.ran.stdout.splitlines())

    def test_names_the_stage_its_place_and_the_time_that_is_left(self):
        (self.top / "build/test-seconds").write_text("fuzz 125\nasan 60\n")
        self.mark("broken-asan")
        self.run_test("asan", "fuzz")
        self.assertEqual(["asan (1 of 2; about 3 min left)", "fuzz (2 of 2; about 2 min left)"],
                         self.announced())

    def test_each_stage_keeps_its_seconds_once_and_the_others(self):
        (self.top / "build/test-seconds").write_text("fuzz 125\nslow 7777\n")
        self.run_test("fuzz")
        self.run_test("fuzz")
        self.assertEqual(["fuzz (1 of 1; less than a minute left)"], self.announced())
        kept = dict(line.split() for line in
                    (self.top / "build/test-seconds").read_text().splitlines())
        self.assertEqual({"slow", "fuzz"}, set(kept))
        self.assertEqual("7777", kept["slow"])
        self.assertLess(int(kept["fuzz"]), 125)

    def test_without_an_earlier_run_a_table_answers(self):
        self.run_test("asan")
        self.assertRegex(self.announced()[0], r"^asan \(1 of 1; about [0-9]+ min left\)$")

    def test_a_stage_that_was_not_built_keeps_no_seconds(self):
        self.mark("broken-fuzz")
        self.run_test("fuzz")
        self.assertFalse((self.top / "build/test-seconds").exists())


class Stages(Script):
    def ran_stages(self, *words):
        self.run_test(*words)
        return [name.split()[0] for name in self.announced()]

    def test_without_a_word_it_runs_what_proves_a_change(self):
        self.assertEqual(["fast", "slow", "browser"], self.ran_stages())

    def test_all_runs_each_stage_but_those_that_must_be_named(self):
        self.assertEqual(["fast", "slow", "long", "browser", "services", "asan", "tsan", "fuzz",
                          "container"], self.ran_stages("all"))

    def test_only_all_takes_every_case(self):
        for words, seed in (((), "0"), (("fuzz",), "0"), (("all", "fuzz"), "none"),
                            (("all", "feeds"), "none")):
            self.run_test(*words)
            for call in self.calls("ctest"):
                self.assertTrue(call.endswith(f" seed {seed}"), (words, call))

    def left_out(self, stage, *others):
        self.run_test(stage, *others)
        (words,) = [call for call in self.calls("ctest") if f"{stage}.xml" in call]
        return re.findall(r" -LE (\S+)", words)

    def test_asan_has_what_runs_alike_and_the_other_stages_leave_it_out(self):
        for stage in ("slow", "long"):
            self.assertEqual(["^alike$"], self.left_out(stage, "asan"))
            self.assertEqual([], self.left_out(stage, "tsan"))

    def test_fuzz_builds_its_targets_alone(self):
        self.run_test("fuzz")
        self.assertEqual([f"build --preset fuzz --target fuzz-targets nice {OWN_NICE}"], self.calls("build"))


class Ahead(Script):
    def test_the_trees_to_come_are_built_at_the_lowest_priority_while_services_runs(self):
        self.run_test("services", "asan", "fuzz")
        self.assertEqual((0, "6 passed, 0 failed"), self.verdict())
        ahead = [call for call in self.calls("build") if call.endswith("nice 19")]
        self.assertEqual(["build --preset asan nice 19",
                          "build --preset fuzz --target fuzz-targets nice 19"], ahead)

    @unittest.skipUnless(Path("/proc/self/autogroup").exists(), "this Linux does not group by sessions")
    def test_so_is_their_session(self):
        self.run_test("services", "fuzz")
        # Empty in the session that Linux starts with, which belongs to no group.
        own = re.sub(".* nice", "dev", Path("/proc/self/autogroup").read_text())
        self.assertEqual(f"{own}fuzz 19\n{own.replace('dev', 'fuzz')}", (self.top / "sessions").read_text())

    def test_nothing_is_built_ahead_of_a_stage_that_measures(self):
        self.run_test("slow", "asan")
        self.assertEqual([], [call for call in self.calls("build") if call.endswith("nice 19")])

    def test_a_stage_waits_for_its_tree_and_builds_it_to_the_end_itself(self):
        self.run_test("services", "asan")
        builds = [call for call in self.calls("") if "asan" in call]
        self.assertEqual(["build --preset asan nice 19", f"build --preset asan nice {OWN_NICE}"], builds[:2])
        self.assertIn("ctest --test-dir build/asan", builds[2])

    def test_what_fails_ahead_is_printed_and_counted_once(self):
        self.mark("broken-asan")
        self.run_test("services", "asan", "fuzz")
        self.assertEqual((1, "4 passed, 1 failed"), self.verdict())
        self.assertEqual(1, self.ran.stderr.count("error: asan is broken"))

    def test_a_build_ahead_that_is_killed_is_not_waited_for(self):
        self.mark("deadly-asan")
        self.run_test("services", "asan", "fuzz")
        self.assertEqual((0, "6 passed, 0 failed"), self.verdict())

    def test_no_build_goes_on_after_a_signal(self):
        self.mark("endless-asan", "wait-for-pid", "ending-services")
        self.assertEqual(1, self.run_test("services", "asan").returncode)
        pid = (self.top / "pid").read_text().strip()
        self.addCleanup(subprocess.run, ["kill", pid], stderr=subprocess.DEVNULL)
        for _ in range(PATIENCE * 20):
            if not is_running(pid):
                return
            subprocess.run(["sleep", "0.05"], check=True)
        self.fail("the build goes on")
