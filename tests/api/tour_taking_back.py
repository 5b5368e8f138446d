"""The part of the tour of the API that takes back what was stored."""
BECAUSE = {"reason": "a typo"}
VOID = "/v1/runs/" + "0" * 26 + "/void"
# Paths of nothing that is there.
WITHDRAWN = {path: BECAUSE for path in (VOID, "/v1/prices/1-1/withdraw",
                                        "/v1/discounts/1000/withdraw")}
REMOVED = (VOID, "/v1/figures/none")


class TourOfTakingBack:
    def visit_taking_back(self, server):
        for path in WITHDRAWN:
            self.post(server, 404, path=path)
        self.visit_voids(server)
        self.visit_withdrawals(server)
        self.visit_removal(server)

    def visit_voids(self, server):
        for engine in ("ok", "crash"):
            path = self.post(server, 201, {"engine": engine, "steps": 2}, "?wait=30").headers["location"]
            self.ask(server, "GET", path + "/void", 200)
            self.post(server, 200, path=path + "/void", spec=BECAUSE)
            self.ask(server, "GET", path, 200)
            self.ask(server, "GET", path + "/void", 200)
            for _ in range(2):
                self.ask(server, "DELETE", path + "/void?reason=x", 200)
            self.ask(server, "GET", path + "/void", 200)
        path = self.post(server, 201, {"engine": "slow", "steps": 1000}).headers["location"]
        self.post(server, 409, path=path + "/void", spec=BECAUSE)
        server.wait(path.rpartition("/")[2], {"running"})
        self.ask(server, "DELETE", path, 202)
        self.ask(server, "GET", path + "?wait=30", 200)

    def visit_withdrawals(self, server):
        lists = {"/v1/prices": "?history=true&instance_type=wrong.large",
                 "/v1/discounts": "?history=true"}
        bodies = {"/v1/prices": {"instance_type": "wrong.large", "price_per_hour": 5},
                  "/v1/discounts": {"provider": "aws", "family": "wrong", "factor": 0.01}}
        for path, body in bodies.items():
            wrong = self.post(server, 201, body, path=path).json()
            wrong = wrong["prices"][0] if "prices" in wrong else wrong
            for _ in range(2):
                self.post(server, 200, path=f"{path}/{wrong['id']}/withdraw", spec=BECAUSE)
            self.ask(server, "GET", path + lists[path], 200)
        self.ask(server, "GET", "/v1/discounts?history=x", 400)

    def visit_removal(self, server):
        """Of the figure that was entered before; those that come with the program stay."""
        self.ask(server, "DELETE", "/v1/figures/mine?reason=x", 200)
        full = self.serve("--published", "on")
        self.ask(full, "DELETE", "/v1/figures/rand-2024-r8", 409)
        listed = self.ask(full, "GET", "/v1/prices?feed=published", 200).json()["prices"][0]
        self.post(full, 409, path=f"/v1/prices/{listed['id']}/withdraw", spec=BECAUSE)
