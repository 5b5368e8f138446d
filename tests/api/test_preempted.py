"""The cloud provider reclaims the machine in the middle of a run: what clients see, what is kept,
and what continues later."""
import re

import harness
from feed_server import FeedServer, silent, status
from harness import fake, until, worker_pids
from price_server import PriceServer
from test_identity import play_gcp

ENGINES = {"ok": fake("ok"), "slow": fake("slow", 50), "stubborn": fake("stubborn")}
HASTE = 50  # it is asked every tenth of a second, and less often while a notice stands


class Gcp:
    NAME = "gcp"
    ASKED = "/computeMetadata/v1/instance/preempted"
    REASON = "Google takes this machine back (preempted)"

    def __init__(self, clouds):
        self.preempted = "FALSE"
        play_gcp(clouds, preemptible="TRUE")
        for path, body in ((self.ASKED, lambda: self.preempted),
                           ("/computeMetadata/v1/instance/maintenance-event", lambda: "NONE")):
            clouds.route(path, self.answer(body))

    @staticmethod
    def answer(body):
        def behave(exchange):
            good = exchange.request.headers.get("metadata-flavor") == "Google"
            exchange.send(200 if good else 403, body(), {"Metadata-Flavor": "Google"})
        return behave

    def take_back(self):
        self.preempted = "TRUE"


class Case(harness.Case):
    def play(self, cloud):
        self.clouds = self.running(FeedServer())
        self.cloud = cloud(self.clouds)
        return self.cloud

    def serve(self, *flags, known=True):
        server = self.running(PriceServer("--metadata", f"{self.cloud.NAME}={self.clouds.url}", *flags,
                                          engines=ENGINES, haste=HASTE))
        if known:
            until(lambda: server.get("/v1/machine").json()["identity"]["life_cycle"],
                  "the machine knows itself")
        return server

    def busy(self, server, engine="slow"):
        return server.begin_steps(engine)

    def notices(self):
        return len(self.clouds.asked(self.cloud.ASKED))

    def until_asked_again(self):
        """While a notice stands that takes six pauses: time for what must not happen."""
        seen = self.notices()
        until(lambda: self.notices() > seen, "it is asked again")

    def assertTakesNothing(self, server):
        for path, body in (("/v1/runs", {"engine": "ok"}),
                           ("/v1/sweeps", {"knobs": {"seed": [1]}, "base": {"engine": "ok"}})):
            reply = server.post(body, path=path)
            self.assertEqual(503, reply.status, reply)
            self.assertEqual(f"this machine is being taken back: {self.cloud.REASON}",
                             reply.json()["detail"])
        reply = server.get("/readyz")
        self.assertEqual(503, reply.status)
        self.assertIn(self.cloud.REASON, reply.json()["detail"])
        self.assertEqual(200, server.get("/healthz").status)
        self.assertEqual(1, server.metrics()["pennyworth_spot_notice"])

    def assertCounted(self, server):
        """Among the events of capacity, with the type and the zone of this machine."""
        [count] = until(lambda: server.get("/v1/capacity").json()["capacity"], "it is counted")
        identity = server.get("/v1/machine").json()["identity"]
        self.assertEqual((identity["provider"], identity["instance_type"],
                          identity["zone"] or identity["region"], "spot", 0, 0, 1),
                         (count["provider"], count["instance_type"], count["zone"],
                          count["price_kind"], count["launched"], count["launch_failed"],
                          count["preempted"]))


class TakenBack(Case):
    def test_by_google(self):
        """How each cloud says it is a matter of tests/pricing/machine/preemption_notice_test.c."""
        self.play(Gcp)
        server = self.serve()
        running = self.busy(server)
        queued = [server.queue(steps=2) for _ in range(2)]
        self.assertEqual(200, server.get("/readyz").status)
        self.assertEqual(0, server.metrics()["pennyworth_spot_notice"])
        held = [server.raw() for _ in range(2)]
        for raw, run_id in zip(held, (running, queued[0])):
            self.addCleanup(raw.close)
            raw.send(f"GET /v1/runs/{run_id} HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=600\r\n\r\n")
        reader = self.following(server, running)
        until(lambda: self.notices() >= 1, "it asks")
        self.assertEqual("running", server.show(running)["state"])

        self.cloud.take_back()
        run = server.wait(running)
        self.assertEqual(("preempted", self.cloud.REASON), (run["state"], run["reason"]))
        self.assertGreater(run["steps_stored"], 0)
        self.assertEqual(run["steps_stored"],
                         len(server.get(f"/v1/runs/{running}/steps?limit=1000").json()["steps"]))
        self.assertEqual([], worker_pids([running]))
        self.assertEqual(["preempted", "queued"], [raw.reply().json()["state"] for raw in held])
        states = [data for _, name, data in reader if name == "state"]
        self.assertEqual(["queued", "running", "preempted"], [data["state"] for data in states])
        self.assertEqual(self.cloud.REASON, states[-1]["reason"])
        self.assertTakesNothing(server)
        self.assertCounted(server)
        self.assertEqual(1, server.metrics()['pennyworth_runs{state="preempted"}'])
        found = server.get("/v1/runs?state=preempted").json()["runs"]
        self.assertEqual([running], [run["id"] for run in found])
        self.assertEqual(["queued"] * 2, [server.show(run_id)["state"] for run_id in queued])
        server.stop()

        # Somebody else goes on with the database.
        self.play(Gcp)
        after = self.serve_again(server)
        self.assertEqual(["finished"] * 2, [after.wait(run_id)["state"] for run_id in queued])
        self.assertEqual("preempted", after.show(running)["state"])
        self.assertEqual(200, after.get("/readyz").status)

    def serve_again(self, server):
        server.flags = ["--metadata", f"{self.cloud.NAME}={self.clouds.url}"]
        return server.start()

    def test_a_worker_that_will_not_go_is_killed(self):
        cloud = self.play(Gcp)
        server = self.serve()
        running = self.busy(server, "stubborn")
        cloud.take_back()
        self.assertEqual("preempted", server.wait(running)["state"])
        self.assertEqual([], worker_pids([running]))

    def test_a_run_of_a_sweep_is_repeated_by_the_next_server(self):
        cloud = self.play(Gcp)
        server = self.serve()
        sweep = server.create("/v1/sweeps", {"base": {"engine": "slow", "warmup_steps": 0, "steps": 200},
                                             "knobs": {"seed": [1]}, "blocks": 1})["id"]

        def states():
            return [run["state"] for run in server.runs_of_sweep(sweep)]
        until(lambda: states() == ["running"], "it runs")
        cloud.take_back()
        until(lambda: states() == ["preempted"], "it is preempted")
        self.until_asked_again()  # nothing is queued again here
        self.assertEqual(["preempted"], states())
        self.assertEqual("running", server.ask(f"/v1/sweeps/{sweep}")["state"])
        server.stop()
        self.play(Gcp)
        server.engines = {**ENGINES, "slow": ENGINES["ok"]}
        self.serve_again(server)
        server.wait_for_sweep(sweep)
        self.assertEqual(["finished", "preempted"], sorted(states()))

    def test_queued_runs_survive_a_standing_notice(self):
        cloud = self.play(Gcp)
        server = self.serve()
        cloud.take_back()  # the server does not ask while the machine is idle
        queued = [server.queue(steps=2)]
        until(lambda: server.metrics()["pennyworth_spot_notice"], "now it is known")
        self.assertTakesNothing(server)
        server.stop()
        for _ in range(2):
            self.serve_again(server)
            until(lambda: server.metrics()["pennyworth_spot_notice"], "it looks before it begins")
            self.until_asked_again()
            self.assertEqual(["queued"], [server.show(run_id)["state"] for run_id in queued])
            self.assertTakesNothing(server)
            server.stop()
            self.assertNotIn("state=", server.read_log())
        self.play(Gcp)
        self.serve_again(server)
        self.assertEqual(["finished"], [server.wait(run_id)["state"] for run_id in queued])

    def test_two_runs_that_wait_both_outlast_two_starts(self):
        cloud = self.play(Gcp)
        server = self.serve()
        first = self.busy(server)
        queued = [server.queue(steps=2) for _ in range(2)]
        server.kill()  # with a run under way
        cloud.take_back()
        for _ in range(2):
            self.serve_again(server)
            until(lambda: server.metrics()["pennyworth_spot_notice"], "it looks before it begins")
            self.until_asked_again()
            self.assertEqual(["queued"] * 2, [server.show(run_id)["state"] for run_id in queued])
            server.stop()
        self.serve_again(server)
        self.assertEqual("interrupted", server.show(first)["state"])
        self.assertEqual(0, server.metrics()['pennyworth_runs{state="preempted"}'])


class Asking(Case):
    def test_a_service_that_fails_is_logged_once_and_ends_no_run(self):
        cloud = self.play(Gcp)
        server = self.serve()
        running = self.busy(server)
        for behaviour in (silent, status(500), status(200, "TRUE")):  # the last is not Google's
            seen = self.notices()
            self.clouds.route(cloud.ASKED, behaviour)
            until(lambda seen=seen: self.notices() >= seen + 1, "it is asked again")
        self.assertEqual("running", server.show(running)["state"])
        self.assertEqual(1, len(re.findall("cannot read the preemption notice",
                                           server.read_log())))
        self.clouds.route(cloud.ASKED, cloud.answer(lambda: "TRUE"))
        self.assertEqual("preempted", server.wait(running)["state"])

    def test_a_server_that_is_asking_stops(self):
        cloud = self.play(Gcp)
        self.clouds.route(cloud.ASKED, silent)
        server = self.serve()
        self.busy(server)
        until(lambda: self.notices() >= 1, "it asks")
