"""A run followed on the page to its end, and what may happen meanwhile."""
import contextlib
import re

from browser import BrowserCase
from harness import fake

# Notes what each stream was asked with, and cuts the first one off after three pieces.
CUT = """
    const real = window.fetch;
    window.resumed = [];
    window.fetch = async (target, options) => {
        const answer = await real(target, options);
        if (!target.endsWith('/events')) return answer;
        window.resumed.push(new Headers(options.headers).get('Last-Event-ID'));
        if (window.resumed.length > 1) return answer;
        const reader = answer.body.getReader();
        let pieces = 0;
        return new Response(new ReadableStream({
            pull: async (controller) => {
                if (pieces++ === 3) return controller.error(new TypeError('cut'));
                controller.enqueue((await reader.read()).value);
            },
            cancel: () => reader.cancel(),
        }));
    };
    const link = document.createElement('a');
    link.href = arguments[0];
    document.querySelector('main').append(link);
    link.click();
"""


class Following(BrowserCase):
    ENGINES = {"slow": fake("slow", 20)}

    @contextlib.contextmanager
    def follow(self, steps):
        """A run that the page shows; it goes on when the block ends."""
        run_id = self.server.queue("slow", steps=steps, warmup_steps=1, max_seconds=600)
        with self.paused(run_id):
            self.open(f"/?view=run&id={run_id}")
            self.until(lambda: re.search(r"\d done", self.text(".live dl")), "it moves")
            yield run_id

    def test_a_run_is_seen_to_its_end_without_loading_the_page_again(self):
        with self.follow(150) as run_id:
            self.script("window.mark = 1")
            self.until(lambda: self.script("return document.querySelector('.live progress').value > 0"),
                       "the bar moves")
            self.assertIn("unknown: ", self.text(".live dl"))  # the machine has no price
            self.screenshot("live")
        self.server.wait(run_id, {"finished"})
        self.until(lambda: not self.all(".live .cancel"), "its end is shown")
        self.assertEqual(1, self.script("return window.mark"))

    def test_a_button_cancels_it(self):
        with self.follow(100000) as run_id:
            self.click(".live .cancel")
        self.assertEqual("cancelled", self.server.wait(run_id)["state"])
        self.until(lambda: "cancelled" in self.text().lower(), "and it is seen")

    def test_not_every_tick_is_announced(self):
        with self.follow(150) as run_id:
            self.script("""
                window.news = 0;
                new MutationObserver(() => window.news++)
                    .observe(document.querySelector('#news'), {childList: true});""")
        self.server.wait(run_id)
        self.until(lambda: not self.all(".live .cancel"), "its end is shown")
        self.assertLess(self.script("return window.news"), 4)

    def test_a_stream_that_is_cut_goes_on_where_it_was(self):
        run_id = self.server.queue("slow", steps=100000, warmup_steps=1, max_seconds=600)
        self.open("/?view=measure")
        self.script(CUT, f"/?view=run&id={run_id}")
        self.until(lambda: len(self.script("return window.resumed")) == 2, "it is asked again")
        first, again = self.script("return window.resumed")
        self.assertIsNone(first)
        self.assertRegex(again, "^2-[0-9]+$")
        self.until(lambda: self.text(".live .trouble") == "", "and the trouble is over")
        self.assertEqual("running", self.one(".live").get_dom_attribute("data-state"))
        self.server.request("DELETE", f"/v1/runs/{run_id}")
        self.until(lambda: not self.all(".live .cancel"), "its end is shown")

    def test_a_server_that_restarts_is_found_again(self):
        self.forgive("ERR_CONNECTION", "ERR_INCOMPLETE", "Failed to load resource", "network error")
        with self.follow(100000) as run_id:
            port = self.server.port
        self.server.kill()
        self.until(lambda: "lost" in self.text(".live .trouble"), "the lost connection is shown")
        self.server.flags += ["--port", str(port)]
        self.server.start()
        self.assertEqual(port, self.server.port)
        self.assertEqual("interrupted", self.server.show(run_id)["state"])
        self.until(lambda: "interrupted" in self.text().lower(), "what became of it is shown")
