"""What a machine should measure next: a hub asks for what it lacks, and the answer can be run as it
is."""
from harness import ServerCase
from run_documents import document, take_in


class Wanted(ServerCase):
    @classmethod
    def prepare(cls):
        runs = [document(number, vm=f"i{number:015x}",
                         instance_type="many.large" if number < 3 else "one.large")
                for number in range(4)]
        take_in(cls.server, runs)

    def ask(self, **question):
        return self.server.ask("/v1/wanted", **question)

    def test_a_new_type_is_asked_for_all_that_others_measured(self):
        answer = self.ask(instance_type="new.large", provider="aws")
        self.assertEqual(("new.large", "aws"), (answer["instance_type"], answer["provider"]))
        self.assertEqual(3, answer["count"])
        self.assertTrue(all(each["reason"] == "never_measured" and each["row"] is None
                            for each in answer["wanted"]))
        self.assertEqual(("mlp2017", 2), (answer["wanted"][0]["spec"]["workload"],
                                      answer["wanted"][0]["other_types"]))
        self.assertEqual(1, len(self.ask(instance_type="new.large", limit=1)["wanted"]))

    def test_a_machine_may_ask_itself(self):
        server = self.own_server("--instance-type", "test.large", "--provider", "aws")
        answer = server.get("/v1/wanted").json()
        self.assertEqual(("test.large", "aws"), (answer["instance_type"], answer["provider"]))
        self.assertEqual({"native"}, {each["spec"]["engine"] for each in answer["wanted"]})

    def test_the_answer_can_be_run_as_it_is(self):
        server = self.own_server(engines={"elsewhere": self.server.engines["ok"]})
        [wanted] = self.ask(instance_type="one.large", engine="elsewhere")["wanted"]
        self.assertEqual(201, server.post(wanted["spec"]).status)
