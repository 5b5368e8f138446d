"""What a CI job runs: docs/ci/check.sh, and the step of the workflow that calls it."""
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import yaml

from harness import ROOT, ServerCase, fake
from test_check import ENGINES, QUICK, measure

RECIPE = ROOT / "docs/ci/github/benchmark.yml"
SCRIPT = ROOT / "docs/ci/check.sh"


class Recipe(ServerCase):
    """docs/ci/github/benchmark.yml: its step that measures both builds and asks the gate."""
    ENGINES = {"base": fake("paced", 200000)}

    def gate(self, microseconds):
        """How the step ended, and its answer, if a step of the head takes so long; None: it was not built."""
        head = {"head": fake("paced", microseconds)} if microseconds else {}
        server = self.own_server(engines={**self.ENGINES, **head})
        steps = yaml.safe_load(RECIPE.read_text())["jobs"]["measure"]["steps"]
        step, = (step for step in steps if step.get("id") == "gate")
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT, folder + "/base")
            environment = {**os.environ, "PENNYWORTH_URL": server.url,
                           "PENNYWORTH_TOKEN": "", **{name: name.lower() for name in step["env"]}}
            done = subprocess.run(["sh", "-e", "-c", step["run"]], cwd=folder, text=True,
                                  env=environment, capture_output=True, timeout=300)
            return done, json.loads(Path(folder, "result/check.json").read_text()) if microseconds else None

    def test_a_head_as_fast_as_its_base_passes(self):
        done, answer = self.gate(200000)
        self.assertEqual((0, "pass"), (done.returncode, answer["verdict"]), done)
        self.assertEqual((5, 5), (answer["candidate"]["n"], answer["baseline"]["n"]))
        self.assertNotIn("::warning::", done.stdout)

    def test_a_slower_head_fails(self):
        for microseconds in (214000, 400000):  # by 7 percent, by half
            done, answer = self.gate(microseconds)
            self.assertEqual((1, "fail"), (done.returncode, answer["verdict"]), done)
            self.assertIs(True, answer["confirmed"])

    def test_without_a_verdict_the_step_fails_as_an_error(self):
        done, _ = self.gate(None)
        self.assertEqual(3, done.returncode, done)
        self.assertIn("refused with status 400", done.stderr)


class Script(ServerCase):
    """docs/ci/check.sh, against the real server."""
    ENGINES = ENGINES

    def check_sh(self, *words, url=None, token="", status=None):
        """How it ended, as it should where a status is given."""
        environment = {**os.environ, "PENNYWORTH_TOKEN": token, "PENNYWORTH_URL": url or self.server.url}
        done = subprocess.run(["sh", str(SCRIPT), *words], env=environment, text=True,
                              capture_output=True, timeout=120)
        self.assertIn(status, (None, done.returncode), done)
        return done

    @staticmethod
    def spec(engine, **labels):
        return json.dumps({"engine": engine, **QUICK, "labels": labels})

    def test_it_helps(self):
        said = self.check_sh("--help", status=0).stdout
        self.assertIn("Exit status: 0 pass, 1 fail, 2 cannot tell, 3 an error", said)

    def test_as_fast_is_0_and_slower_is_1(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.check_sh("--spec", self.spec("same", commit="a"),
                                 "--against", self.spec("old", commit="b"),
                                 "--json", folder + "/json", "--github", folder + "/github",
                                 "--bencher", folder + "/bencher", "--markdown", folder + "/md", status=0)
            self.assertTrue(done.stdout.startswith("**pass**: "), done.stdout)
            self.assertEqual(done.stdout, Path(folder, "md").read_text())
            answer = json.loads(Path(folder, "json").read_text())
            self.assertEqual((3, 3), (answer["candidate"]["n"], answer["baseline"]["n"]))
            self.assertEqual(1, len(json.loads(Path(folder, "github").read_text())))
            self.assertEqual(1, len(json.loads(Path(folder, "bencher").read_text())))
        done = self.check_sh("--spec", self.spec("slow", commit="c"), "--against",
                             self.spec("old", commit="b"), status=1)
        self.assertTrue(done.stdout.startswith("**fail**: "), done.stdout)
        self.assertIn("Measured again", done.stdout)

    def test_an_unknown_result_exits_with_2(self):
        done = self.check_sh("--spec", self.spec("old", commit="d"), "--repeat", "1",
                             "--baseline", "branch=nowhere", status=2)
        self.assertTrue(done.stdout.startswith("**cannot_tell**: "), done.stdout)
        run = measure(self.server, "old", labels={"commit": "e"})[0]
        self.check_sh("--run", run, "--baseline", "commit=none", status=2)

    def test_an_error_exits_with_3_and_its_reason(self):
        for words, said in ((["--spec", '{"engine":"none"}', "--repeat", "1"], "refused with status 400"),
                            (["--run", "0" * 26], "refused with status 404"),
                            (["--mood", "good"], "there is no option --mood"),
                            (["--margin"], "requires a value"), ([], "--spec or --run is needed"),
                            (["--spec", "@/no/file"], "--spec: the file /no/file cannot be read"),
                            (["--spec", "{}", "--repeat", "1", "--against", "@/no/file"],
                             "--against: the file /no/file cannot be read"),
                            (["--spec", "{}", "--repeat", "x"], "--repeat must be")):
            done = self.check_sh(*words, status=3)
            self.assertIn(said, done.stderr)
            self.assertEqual("", done.stdout)
        done = self.check_sh("--spec", "{}", "--repeat", "1", url="http://127.0.0.1:1", status=3)
        self.assertIn("did not answer", done.stderr)

    def test_without_curl_it_says_what_is_missing(self):
        done = subprocess.run(["/bin/sh", str(SCRIPT), "--spec", "{}"], env={"PATH": "/nowhere"}, text=True,
                              capture_output=True)
        self.assertEqual((3, "check.sh: curl is not installed\n"), (done.returncode, done.stderr))

    def test_a_repeat_that_failed_is_told_with_its_reason(self):
        server = self.own_server(engines={"old": fake("failed")})
        spec = {**QUICK, "labels": {"commit": "f"}}
        lost = server.wait(server.queue("old", **spec))
        server.stop()
        server.engines = ENGINES
        server.start()
        url = server.url
        (run,) = measure(server, "old", labels={"commit": "f"})
        done = self.check_sh("--run", run, url=url)
        self.assertIn(f"a repeat does not count ([failed]({url}/v1/runs/{lost['id']})): ", done.stdout)
        self.assertIn("no such precision here", done.stdout)
        answer = server.get(f"/v1/runs/{run}/check").json()
        self.assertEqual([(lost["id"], "failed", lost["reason"])], [
            (each["run"], each["how"], each["because"]) for each in answer["candidate"]["lost"]])
        done = self.check_sh("--run", lost["id"], url=url, status=3)  # nothing of it can be checked
        self.assertIn("no such precision here", done.stderr)

    def test_the_runs_together_take_4_minutes_and_it_says_so_beforehand(self):
        server = self.own_server(engines={"one": fake("paced", 200000), "two": fake("paced", 200000)})
        def limits(*words, **fields):
            """What it says beforehand, and the limits of each run that it then posts."""
            labels = {"labels": {"commit": json.dumps(words)[:60]}}
            one, two = (json.dumps({"engine": engine, "workload": "mlp2017", "batch_size": 4, "precision": "f32",
                                    **fields, **labels}) for engine in ("one", "two"))
            done = self.check_sh("--spec", one, "--against", two, *words, url=server.url)
            self.assertIn(done.returncode, (0, 1, 2), done)
            said, count = re.search(r"^check.sh: ((\d+) runs .*)$", done.stderr, re.M).groups()
            runs = server.get(f"/v1/runs?limit={count}").json()["runs"]
            return said, {(run["spec"]["max_seconds"], run["spec"]["min_seconds"]) for run in runs}

        self.assertEqual(("6 runs take about 4 minutes at most, behind what is queued already; a failure is "
                          "measured again, about 8 minutes more", {(35, 17)}), limits())
        self.assertEqual(("10 runs take about 4 minutes at most, behind what is queued already", {(20, 10)}),
                         limits("--repeat", "5", "--no-confirm"))
        said, both = limits("--minutes", "1", "--no-confirm")
        self.assertEqual({(20, 10)}, both)  # less is no measurement
        self.assertIn("about 3 minutes", said)
        self.assertIn("about a minute at most", limits("--repeat", "1", "--no-confirm", max_seconds=20)[0])
        said, both = limits("--no-confirm", max_seconds=70)  # what a spec says itself stands
        self.assertEqual({(70, 60)}, both)
        self.assertIn("about 8 minutes", said)
        said, both = limits("--no-confirm", steps=20)
        self.assertEqual({(120, 60)}, both)
        done = self.check_sh("--spec", "{ }", "--minutes", "no")
        self.assertIn("--minutes must be a number from 1", done.stderr)

    def test_repeats_without_labels_are_refused_because_each_would_count_alone(self):
        labelled = self.spec("old", commit="a")
        for option, words in (("--spec", ["--spec", '{"engine":"old"}']),
                              ("--against", ["--spec", labelled, "--against", '{"engine":"old"}'])):
            done = self.check_sh(*words, status=3)
            self.assertEqual("", done.stdout)
            self.assertIn(f'{option} needs "labels"', done.stderr)

    def test_a_token_gets_through_and_is_not_shown(self):
        token = 'w"' + "x" * 20
        url = self.own_server(engines=ENGINES, environment={"PENNYWORTH_WRITE_TOKEN": token}).url
        words = ["--spec", self.spec("old", commit="a"), "--repeat", "1"]
        self.check_sh(*words, url=url, token="wrong", status=3)
        done = self.check_sh(*words, url=url, token=token)
        self.assertTrue(done.stdout.startswith("**cannot_tell**: "), done)
        self.assertNotIn("xxxx", done.stdout + done.stderr)

    def test_the_shell_has_nothing_to_complain_of(self):
        if not shutil.which("shellcheck"):
            self.skipTest("there is no shellcheck here")
        done = subprocess.run(["shellcheck", str(SCRIPT)], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual("", done.stdout)
