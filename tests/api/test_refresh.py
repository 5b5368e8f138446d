"""The refresh of prices as a whole: which feed is read when, what is reported meanwhile, which
failures do not disturb others, how it stops, and what it never reveals."""
import json
import re

from feed_payloads import Aws, Azure
from feed_server import Document, FeedServer, silent, slow, status
from harness import Case, until
from price_server import (GCP_KEY, GcpCatalog, OnDemandPage, PriceServer, SpotPage)

AWS_SECRET = "wJalrXUtnFEMIsecretOfAwsForTestsEXAMPLEKEY"
AWS_ID, AWS_TOKEN = "AKIAEXAMPLEFORTESTS1", "IQoJsessionTokenForTests" * 8
# A page that takes for ever, but not so long that it would be given up.
AT_LEISURE = slow(b" " * 10_000_000, 0.05, 200)


class RefreshCase(Case):
    """Each test has servers of its own."""
    def on(self, make, *arguments, **options):
        stage = make(*arguments, **options)
        self.addCleanup(stage.__exit__)
        return stage.__enter__()


class Apart(RefreshCase):
    """What fails fails alone."""

    def test_a_region_that_fails_disturbs_no_other(self):
        stage = self.on(OnDemandPage, "regions=us-east-1,eu-west-1,eu-west-2")
        server = stage.server
        self.assertEqual(stage.expected(), stage.stored_prices())
        old = server.prices(region="eu-west-1")
        stage.play(day=1)
        stage.feeds.route(stage.WHERE + "EU%20(Ireland)", status(503))
        stage.feeds.route(stage.WHERE + "EU%20%28Ireland%29", status(503))
        feed = server.refresh(stage.NAME)
        self.assertEqual("partly_failed", feed["state"])
        self.assertRegex(feed["reason"], "^it answered 503")
        scopes = server.scopes(stage.NAME)
        self.assertEqual({"us-east-1": "ok", "eu-west-1": "failed", "eu-west-2": "ok"},
                         {name: scope["state"] for name, scope in scopes.items()})
        self.assertEqual((503, 1), (scopes["eu-west-1"]["http_status"],
                                    scopes["eu-west-1"]["failures"]))
        self.assertEqual(old, server.prices(region="eu-west-1"))
        elsewhere = {key: price for key, price in stage.expected().items()
                     if key[0] != "eu-west-1"}
        self.assertEqual(elsewhere, {key: price for key, price in stage.stored_prices().items()
                                     if key[0] != "eu-west-1"})

    def test_a_feed_that_fails_disturbs_no_other(self):
        with FeedServer() as feeds:
            azure, aws = Azure(kinds=10), Aws(regions=32, kinds=10)
            feeds.route("/spot.json", status(500))
            feeds.route(Azure.URL, azure.answer)
            server = self.running(PriceServer(
                "--feed", f"aws-spot-page=on patience=1 url={feeds.url}/spot.json",
                "--feed", f"azure-retail=on patience=1 regions=eastus2 url={feeds.url}{Azure.URL}", haste=50))
            server.settle()
            self.assertEqual("failed", server.feed("aws-spot-page")["state"])
            self.assertEqual("ok", server.feed("azure-retail")["state"])
            self.assertEqual({"azure-retail"}, {price["feed"] for price in server.prices()})
            feeds.route("/spot.json", Document(aws.spot_page()))
            feeds.route(Azure.URL, status(500))
            server.refresh()
            self.assertEqual("ok", server.feed("aws-spot-page")["state"])
            self.assertEqual("failed", server.feed("azure-retail")["state"])
            self.assertEqual({"azure-retail", "aws-spot-page"},
                             {price["feed"] for price in server.prices()})

    def test_a_feed_that_cannot_say_what_it_has_keeps_what_it_had(self):
        stage = self.on(OnDemandPage)
        locations = "/locations/1.0/aws/current/locations.json"
        old = stage.server.prices()
        for behaviour, reason in ((status(404), "answered 404"), (status(200, "{}"), "no region"),
                                  (status(200, "<html>"), "not the JSON")):
            stage.feeds.route(locations, behaviour)
            feed = stage.server.refresh(stage.NAME)
            self.assertEqual("failed", feed["state"])
            self.assertRegex(feed["reason"], reason)
            self.assertEqual(old, stage.server.prices())
        stage.play(day=1)
        self.assertEqual("ok", stage.server.refresh(stage.NAME)["state"])
        self.assertEqual(["eu-west-1"], list(stage.server.scopes(stage.NAME)))
        self.assertEqual(stage.expected(), stage.stored_prices())

    def test_one_region_that_is_misspelt_is_named_and_the_others_are_read(self):
        stage = self.on(OnDemandPage, "regions=us-east-1,eu-wset-1")
        self.assertEqual("regions are not all known: it has no eu-wset-1",
                         stage.server.scopes(stage.NAME)["*"]["reason"])
        self.assertEqual("ok", stage.server.scopes(stage.NAME)["us-east-1"]["state"])
        self.assertEqual("partly_failed", stage.server.feed(stage.NAME)["state"])
        self.assertTrue(stage.server.prices(feed=stage.NAME, region="us-east-1"))


class Asking(RefreshCase):
    def serve(self, *flags, **options):
        return self.running(PriceServer(*flags, **options))

    def test_a_feed_that_cannot_be_refreshed_is_refused(self):
        server = self.serve("--feed", "price-file=on url=/nowhere/at/all.csv")
        server.settle()
        path = "/v1/prices/refresh"
        self.assertProblem(server.post(b"", "?feed=unknown", path), 400, field="feed")
        self.assertProblem(server.post(b"", "?feed=aws-spot-page", path), 422, field="feed")
        self.assertProblem(server.post(b"", "?fed=price-file", path), 400, field="fed")
        feed = server.refresh("price-file")
        self.assertEqual("failed", feed["state"])
        self.assertIn("No such file", feed["reason"])
        self.assertEqual("off", server.feed("aws-spot-page")["state"])
        alone = self.serve()
        self.assertProblem(alone.post(b"", "", path), 422)
        self.assertIsNone(alone.get("/v1/feeds").json()["refresh"]["started_at"])

    def test_a_second_refresh_is_refused_and_the_first_reports_progress(self):
        stage = self.on(OnDemandPage, "regions=us-east-1,eu-west-1")
        stage.feeds.route(re.compile("Ireland"), AT_LEISURE)
        reply = stage.server.post(b"", "?feed=" + stage.NAME, "/v1/prices/refresh")
        self.assertEqual((202, "/v1/feeds"), (reply.status, reply.headers["location"]))
        self.assertTrue(reply.json()["running"])
        again = stage.server.post(b"", "", "/v1/prices/refresh")
        self.assertProblem(again, 409, "conflict")

        def reading():
            refresh = stage.server.get("/v1/feeds").json()["refresh"]
            return refresh if refresh["scope"] == "eu-west-1" else None
        refresh = until(reading, "the second region is read")
        self.assertEqual((stage.NAME, 1, 2, 0, 1, None), tuple(refresh[name] for name in (
            "feed", "scopes_done", "scopes", "feeds_done", "feeds", "ended_at")))
        self.assertEqual(10, len(stage.server.page(limit=10)["prices"]), "it answers meanwhile")
        self.assertTrue(reading(), "the region is still read")

    def test_a_missing_setting_of_a_feed_is_reported_and_no_request_is_sent(self):
        with FeedServer() as feeds:
            server = self.serve(
                "--feed", f"gcp-billing-catalog=on url={feeds.url}",
                "--feed", f"aws-spot-history=on regions=us-east-1 url={feeds.url}",
                "--feed", f"aws-offer=on url={feeds.url}", "--feed", "price-file=on",
                environment={"HOME": "/nowhere"})
            server.settle()
            for name, lack in (("gcp-billing-catalog", "PENNYWORTH_GCP_KEY"),
                               ("aws-spot-history", "types="),
                               ("aws-offer", "regions="), ("price-file", "url=PATH")):
                feed = server.feed(name)
                self.assertEqual("idle", feed["state"])
                self.assertIn(lack, feed["reason"])
            absent = {row["feed"]: row["reason"] for row in server.page()["absent"]}
            self.assertIn("PENNYWORTH_GCP_KEY", absent["gcp-billing-catalog"])
            self.assertEqual("switched off", absent["aws-spot-page"])
            self.assertEqual([], feeds.requests)

    def test_a_restart_reads_no_feed_again_and_has_the_prices(self):
        stage = self.on(SpotPage)
        before, asked = stage.server.prices(), len(stage.feeds.requests)
        stage.server.stop()
        stage.server.start()
        self.assertEqual(before, stage.server.prices())
        # A reading at the start would be under way or over now, and come before this one.
        self.assertEqual("unchanged", stage.server.refresh(stage.NAME)["scopes"][0]["state"])
        self.assertEqual(asked + 1, len(stage.feeds.requests))


class Stopping(RefreshCase):
    def stops(self, behaviour):
        """In the middle of what would last longer than the patience of stop()."""
        stage = SpotPage("patience=600", haste=1)
        self.addCleanup(stage.__exit__)
        stage.spoil(behaviour)
        stage.server.start()
        until(lambda: stage.feeds.requests, "it asks")
        stage.server.stop()
        asked = len(stage.feeds.requests)
        stage.play()
        stage.server.start()
        self.assertEqual([], stage.server.prices(), "half a page is no page")
        return asked

    def test_in_the_middle_of_a_page(self):
        self.stops(AT_LEISURE)

    def test_while_no_hub_answers(self):
        self.stops(silent)

    def test_between_two_attempts(self):
        self.assertLess(self.stops(status(503)), 4, "all attempts were made")


class Secrets(RefreshCase):
    def test_the_key_of_google_goes_to_google_alone(self):
        stage = self.on(GcpCatalog, flags=("--log", "debug"))
        self.assertTrue(stage.stored_prices())
        for request in stage.feeds.requests:
            self.assertEqual(GCP_KEY, request.headers["x-goog-api-key"])
            self.assertNotIn(GCP_KEY, request.target)
        self.assertEqual([], stage.server.secrets_kept(GCP_KEY))
        said = json.dumps({"error": {"code": 400, "status": "INVALID_ARGUMENT",
                                     "message": "API key not valid"}})
        with FeedServer() as other:
            for behaviour in (status(400, said), status(302, headers={
                    "Location": other.url + "/"}), status(503)):
                stage.spoil(behaviour)
                self.assertEqual("failed", stage.server.refresh(stage.NAME)["state"])
                self.assertEqual([], stage.server.secrets_kept(GCP_KEY))
            self.assertEqual([], other.requests)

    def test_the_secret_of_aws_is_never_sent_and_never_printed(self):
        with FeedServer() as feeds:
            feeds.route("/", status(401, "<Response><Errors><Error><Code>AuthFailure</Code>"
                                    "<Message>AWS was not able to validate the provided access "
                                    "credentials</Message></Error></Errors></Response>"))
            server = self.running(PriceServer(
                "--feed", f"aws-spot-history=on regions=us-east-1 types=c5.large url={feeds.url}",
                "--log", "debug",
                environment={"AWS_ACCESS_KEY_ID": AWS_ID, "AWS_SECRET_ACCESS_KEY": AWS_SECRET,
                             "AWS_SESSION_TOKEN": AWS_TOKEN}))
            server.settle()
            feed = server.feed("aws-spot-history")
            self.assertEqual("failed", feed["state"])
            self.assertRegex(feed["reason"], "^it answered 401: AuthFailure: AWS was not able")
            self.assertEqual([], server.secrets_kept(AWS_SECRET, AWS_TOKEN))
            for request in feeds.requests:
                sent = (request.target + json.dumps(request.headers) +
                        request.body.decode("latin-1"))
                self.assertNotIn(AWS_SECRET, sent)
                self.assertIn(AWS_ID, request.headers["authorization"])
                self.assertEqual(AWS_TOKEN, request.headers["x-amz-security-token"])
