"""pennyworth-worker-mpi under mpirun on this machine: what ranks learn together, against PyTorch's numbers, and how a run
ends where a rank fails, dies or does not agree."""
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from reference_file import file_of, first_step

CACHE = tempfile.TemporaryDirectory()  # plans that are measured here are not to be found by others
os.environ["XDG_CACHE_HOME"] = CACHE.name
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
os.environ["OMP_WAIT_POLICY"] = "passive"  # a thread that waits leaves its processor to other ranks
WORKER = os.environ["PENNYWORTH_TEST_MPI_WORKER"]
OTHER_VERSION = os.environ["PENNYWORTH_TEST_MPI_OTHER"]
PLAIN_WORKER = os.environ["PENNYWORTH_TEST_WORKER"]
MPIRUN = [os.environ["PENNYWORTH_TEST_MPIRUN"], "--oversubscribe", "--bind-to", "none", "--mca",
          "btl", "self,vader,tcp"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
REFERENCE = pathlib.Path(__file__).parent / "reference"
THREE = REFERENCE / "ranks3_batch3_seed9_momentum.json"
ONE = REFERENCE / "batch4_seed1.json"
TWO = pathlib.Path(__file__).parents[4] / "shared/samples/resnet50/ranks2_batch3_seed5.json"
SMALL = ("--batch", "2", "--steps", "2", "--threads", "1", "--plan", "fixed")
LONG = {"workload": "resnet50", "ranks": 2, "batch_size": 2, "steps": 1000, "threads": 1,
        "plan": "fixed"}
SECONDS = 60  # within which all ranks have ended where one cannot go on, or they hang


def program(ranks, *words):
    return ["-n", str(ranks), *words]


def mpirun(*programs, spec=None):
    """Runs the programs, each with its number of ranks, as one."""
    words = list(programs[0])
    for other in programs[1:]:
        words += [":", *other]
    return subprocess.run(MPIRUN + words, input=spec, stdin=None if spec else subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300, check=False)


def verify(ranks, *options):
    return mpirun(program(ranks, WORKER, "verify", *options))


def ranks_of(mpirun_pid):
    """The processes of the ranks, in their order."""
    children = pathlib.Path(f"/proc/{mpirun_pid}/task/{mpirun_pid}/children")
    return [int(pid) for pid in children.read_text().split()
            if os.path.realpath(f"/proc/{pid}/exe") == os.path.realpath(WORKER)]


class Ranks(unittest.TestCase):
    def expect(self, status, done):
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def expect_failure(self, done):
        self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
        return done


class Pairs(Ranks):
    """Two ranks learn what PyTorch learns."""

    @unittest.skipUnless(TWO.exists(), f"there is no {TWO}")
    def test_two_ranks_learn_what_pytorch_learns_in_f32_and_bf16(self):
        # "auto" takes what was fastest, and rounds otherwise each time
        self.expect(0, verify(2, "--plan", "fixed", "--threads", "1", "--against", str(TWO)))
        with file_of(first_step(TWO)) as first:
            for options in (("--plan", "plain", "--threads", "1"), ("--plan", "fixed", "--threads", "2"),
                            ("--precision", "bf16", "--threads", "1", "--orderings", "3")):
                self.expect(0, verify(2, *options, "--against", first))


class Threes(Ranks):
    """So do three, and what is wrong is found."""

    def test_three_ranks_learn_what_pytorch_learns_with_momentum(self):
        done = self.expect(0, verify(3, "--plan", "fixed", "--threads", "1", "--against", str(THREE)))
        self.assertEqual(done.stdout.count("loss, relative"), 1)  # one rank alone prints
        self.expect(0, verify(3, "--precision", "bf16", "--threads", "1", "--orderings", "3",
                              "--against", str(THREE)))

    def test_a_wrong_number_is_found(self):
        wrong = json.loads(THREE.read_text())
        wrong["gradients"]["layer3.2.conv2.weight"]["l2"] *= 1.01
        with file_of(wrong) as file:
            done = self.expect_failure(verify(3, "--plan", "fixed", "--threads", "1", "--against",
                                              file))
        self.assertIn("LARGE  layer3.2.conv2.weight", done.stdout)


class Bits(Ranks):
    """Ranks compute what one worker computes of all samples, to the bit where the order of sums is the same."""

    def test_one_rank_computes_the_bits_of_the_plain_worker(self):
        alone = subprocess.run([PLAIN_WORKER, "verify", *SMALL], capture_output=True, text=True,
                               timeout=300, check=True)
        self.assertEqual(alone.stdout, self.expect(0, verify(1, *SMALL)).stdout)
        self.expect(0, verify(1, "--plan", "fixed", "--against", str(ONE)))

    def test_ranks_of_a_graph_learn_what_one_learns_of_all_samples(self):
        for name, ranks in (("gpt2_tiny", 2), ("mlp2017_second", 5), ("bilstm2017_second", 3),
                            ("fasttext2017_unigrams", 4), ("cifar2017", 2), ("lstm2017", 2)):
            reference = json.loads((REFERENCE / "networks" / f"{name}.json").read_text())
            reference["batch"], rest = divmod(reference["batch"], ranks)
            self.assertEqual(rest, 0)
            reference["ranks"] = ranks
            with self.subTest(name), file_of(reference) as file:
                self.expect(0, verify(ranks, "--threads", "1", "--against", file))

    def test_two_runs_have_the_same_bits(self):
        for ranks in (2, 3):
            first, second = (self.expect(0, verify(ranks, *SMALL)).stdout for _ in range(2))
            self.assertEqual(first, second)
            self.assertEqual(json.loads(first)["ranks"], ranks)


class Ends(Ranks):
    """How a run ends where ranks do not agree, or one fails or dies."""

    def test_ranks_with_different_commands_do_not_start(self):
        done = self.expect_failure(mpirun(program(1, WORKER, "verify", "--seed", "5"),
                                          program(1, WORKER, "verify", "--seed", "6")))
        self.assertRegex(done.stderr, r"rank 1 on \S+ has another command than rank 0 on \S+: "
                                      r"'verify --seed 6', not 'verify --seed 5'")
        self.assertEqual(done.stdout, "")

    def test_ranks_of_different_versions_do_not_start(self):
        done = self.expect_failure(mpirun(program(2, WORKER), program(1, OTHER_VERSION)))
        self.assertRegex(done.stderr, r"rank 2 on \S+ has another version than rank 0 on \S+: "
                                      r"'pennyworth-worker-mpi 0\.0\.0-other', not")
        self.assertEqual(done.stdout, "")

    def test_a_file_of_so_many_ranks_is_compared_with_so_many_only(self):
        for ranks in (1, 2):
            done = self.expect_failure(verify(ranks, "--against", str(THREE)))
            self.assertIn(f"the file has 3 ranks, here are {ranks}: start it with "
                          "'mpirun -n 3 pennyworth-worker-mpi verify'", done.stderr)
        done = self.expect_failure(verify(2, "--against", str(ONE)))
        self.assertIn("the file has 1 ranks, here are 2", done.stderr)
        done = subprocess.run([PLAIN_WORKER, "verify", "--against", str(THREE)], timeout=300,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the file has 3 ranks, here are 1", done.stderr)

    def test_a_rank_that_fails_alone_ends_all(self):
        """Rank 1 has too little memory, while rank 0 waits for it."""
        small = f"ulimit -v 700000; exec {WORKER} verify " + " ".join(SMALL)
        done = self.expect_failure(mpirun(program(1, WORKER, "verify", *SMALL),
                                          program(1, "sh", "-c", small)))
        self.assertRegex(done.stderr, r"rank 1 on \S+: .*memory")
        self.assertEqual(done.stdout, "")

    def start(self, spec):
        running = subprocess.Popen(MPIRUN + program(2, WORKER), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.communicate)
        self.addCleanup(running.kill)
        running.stdin.write(json.dumps(spec) + "\n")
        running.stdin.flush()
        for line in running.stdout:
            if '"type":"step"' in line:
                break
        return running, ranks_of(running.pid)

    def expect_end(self, running, ranks):
        self.assertEqual(len(ranks), 2)
        status = running.wait(timeout=SECONDS)
        until = time.monotonic() + SECONDS
        while any(os.path.exists(f"/proc/{pid}") for pid in ranks):
            self.assertLess(time.monotonic(), until, "a rank is left")
            time.sleep(0.05)
        return status

    def test_a_killed_rank_ends_all(self):
        for victim in (0, 1):
            running, ranks = self.start(LONG)
            os.kill(ranks[victim], signal.SIGKILL)
            self.assertNotEqual(self.expect_end(running, ranks), 0)
            self.assertRegex(running.stderr.read(), r"on node \S+ exited on\s+signal 9")

    def test_mpirun_that_is_stopped_leaves_no_rank(self):
        running, ranks = self.start(LONG)
        running.terminate()
        self.assertNotEqual(self.expect_end(running, ranks), 0)

    def test_enough_ends_all_ranks_behind_the_step(self):
        running, ranks = self.start(LONG)
        out, _ = running.communicate('{"type":"enough"}\n', timeout=60)
        self.assertEqual(running.returncode, 0)
        done = json.loads(out.splitlines()[-1])
        self.assertEqual(done["type"], "done")
        self.assertEqual(done["samples"], done["steps"] * 2 * 2)
        self.assertFalse(any(os.path.exists(f"/proc/{pid}") for pid in ranks))


class Protocol(Ranks):
    """What ranks say to who has started them."""

    def train(self, started, **spec):
        return mpirun(program(started, WORKER), spec=json.dumps(spec) + "\n")

    def test_rank_0_alone_speaks_and_counts_the_samples_of_all(self):
        for workload in ("resnet50", "mlp2017"):
            done = self.expect(0, self.train(2, workload=workload, ranks=2, batch_size=4, steps=3,
                                             warmup_steps=1, threads=1, plan="fixed"))
            events = [json.loads(line) for line in done.stdout.splitlines()]
            steps = [event for event in events if event["type"] == "step"]
            self.assertEqual(events[0]["type"], "hello")
            self.assertRegex(events[0]["software"], r"^pennyworth-worker-mpi \S+, oneDNN \S+, 2 ranks, 1 threads$")
            self.assertEqual([step["index"] for step in steps], [0, 1, 2, 3])
            self.assertEqual(events[-1]["samples"], 4 * 4 * 2)
            for step in steps:
                self.assertGreater(step["split"]["communication"], 0)
                self.assertLessEqual(sum(step["split"].values()), step["nanoseconds"])

    def test_the_number_of_ranks_is_as_in_the_spec(self):
        for ranks, spec in ((2, {"ranks": 3}), (2, {}), (1, {"ranks": 2})):
            done = self.expect_failure(self.train(ranks, steps=1, **spec))
            self.assertEqual(
                {"type": "failed", "message": f"ranks: the spec has {spec.get('ranks', 1)}, mpirun has started {ranks}"},
                json.loads(done.stdout))

    def test_what_no_rank_can_train_fails_as_the_plain_worker_does(self):
        done = self.expect_failure(self.train(2, ranks=2, workload="gpt2_tiny", layout="nchw",
                                              steps=1))
        failed = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(failed["type"], "failed")
        self.assertIn("has one layout", failed["message"])

    def test_the_plain_worker_is_linked_to_no_mpi(self):
        for worker, found in ((PLAIN_WORKER, False), (WORKER, True)):
            linked = subprocess.run(["ldd", worker], capture_output=True, text=True, check=True)
            self.assertEqual(bool(re.search(r"libmpi", linked.stdout)), found)
