"""The page in a real browser: a server of its own, a headless Chromium, and after each test a look
at what the browser complained about and at whom it asked."""
import atexit
import base64
import contextlib
import functools
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "api"))
from harness import PATIENCE, ROOT, ServerCase, until, worker_pids  # noqa: E402

try:
    from selenium import webdriver
    from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys  # noqa: F401 (tests have both from here)
    from selenium.webdriver.support.ui import Select  # noqa: F401
except ImportError:
    raise SystemExit("selenium is missing; on Debian: apt-get install python3-selenium")

AXE = ROOT / "build/browser/node_modules/axe-core/axe.min.js"
AXE_INSTALL = "npm install --prefix build/browser --no-save axe-core@4.14.1"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN_AXE = """
    const done = arguments[arguments.length - 1];
    axe.run(document, { runOnly: arguments[0], resultTypes: ['violations'] }).then(
        (found) => done(found.violations.map((each) =>
            `${each.id}: ${each.help}\\n` + each.nodes.map((node) =>
                `    ${node.target}: ${node.failureSummary}`).join('\\n'))),
        (error) => done([`axe broke: ${error}`]));
"""
# The text that is seen, with one space between cells and one line for each block.
TEXT = r"""
    const found = document.querySelector(arguments[0]);
    if (found === null)
        return null;
    if (!found.checkVisibility({ visibilityProperty: true }))
        return found instanceof HTMLOptionElement ? found.text : "";
    return (found.innerText ?? found.textContent).replace(/[\t\u00a0 ]+/g, " ").replace(/ ?\n[\n ]*/g, "\n").trim();
"""
# Chromium without its own windows and menus, which takes a third less processor time. Not the script
# in /usr/bin: that starts this program, and it would live on when the driver ends the script.
CHROMIUM = "/usr/lib/chromium/chromium-headless-shell"
# One process draws all pages, and every other host name resolves to no server.
SWITCHES = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--process-per-site",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-default-apps", "--disable-extensions", "--disable-sync", "--lang=en",
            "--force-color-profile=srgb", "--hide-scrollbars",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]


def program(name):
    found = shutil.which(name, path="/usr/bin:" + os.environ.get("PATH", ""))
    if not found:
        raise SystemExit(f"{name} is missing; on Debian: apt-get install chromium-headless-shell "
                         "chromium-driver")
    return found


@functools.cache
def open_browser():
    """One for all tests of a program: each class has a server, hence an origin, of its own."""
    options = webdriver.ChromeOptions()
    options.binary_location = program(CHROMIUM)
    for switch in SWITCHES:
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.chrome.service.Service(program("chromedriver"))
    driver = webdriver.Chrome(service=service, options=options)
    atexit.register(driver.quit)
    return driver


class BrowserCase(ServerCase):
    """Tests that share a server and a browser. self.driver is Selenium's; the methods here
    are shorthands."""
    driver = None
    looks = None  # what look() set; as long as the browser lives
    STAYS = False  # whether what a test opens stays for the next one, since none changes it
    shown = None  # in such a class: what has been opened

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.driver, cls.shown = open_browser(), None
        cls.driver.execute_cdp_cmd("Network.clearBrowserCache", {})  # of a server at the same port

    def setUp(self):
        # The browser asks for it with whatever is not a page, such as an answer of the API.
        self.forgiven = ("/favicon.ico",)
        self.urls = []  # filled by requests()
        if not self.shown:
            self.driver.get("about:blank")
        self.look(dark=False, width=1280)
        self.driver.get_log("browser")
        self.driver.get_log("performance")

    def tearDown(self):
        complaints = [entry["message"] for entry in self.driver.get_log("browser")
                      if entry["level"] in ("SEVERE", "WARNING")
                      and not any(part in entry["message"] for part in self.forgiven)]
        self.assertEqual([], complaints, "the console complains")
        self.assertEqual(set(), {url for url in self.requests() if not self.is_ours(url)},
                         "requests that leave the origin")

    def forgive(self, *parts):
        """What the console may say in this test: it tells of every answer that is not a 2xx."""
        self.forgiven += parts

    def requests(self):
        """The URLs that were asked for since the test began."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.urls.append(message["params"]["request"]["url"])
            elif message["method"] == "Network.webSocketCreated":
                self.urls.append(message["params"]["url"])
        return self.urls

    def is_ours(self, url):
        return url.startswith((self.origin() + "/", "data:", "blob:", "about:"))

    def origin(self):
        return self.server.url

    @contextlib.contextmanager
    def paused(self, run_id):
        """Stops the worker of a run that has done a step until the block ends, so that the run cannot
        end before the page has shown it."""
        self.until(lambda: (self.server.show(run_id)["progress"] or {}).get("steps_done"), "a step")
        pids = worker_pids([run_id])
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):  # cancelled
                    os.kill(pid, signal.SIGCONT)

    # How it is looked at

    def look(self, dark=False, width=1280, height=900, moving=False):
        wanted = (dark, width, height, moving)
        if BrowserCase.looks == wanted:
            return
        BrowserCase.looks = wanted
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "no-preference" if moving else "reduce"}]})

    def screenshot(self, name):
        """Of the whole page, as NAME.png in $PENNYWORTH_TEST_SCREENSHOTS, where that is set."""
        folder = os.environ.get("PENNYWORTH_TEST_SCREENSHOTS")
        if folder:
            image = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
                "format": "png", "captureBeyondViewport": True})["data"]
            Path(folder).mkdir(parents=True, exist_ok=True)
            Path(folder, name + ".png").write_bytes(base64.b64decode(image))

    # What is done

    def open(self, target="/", shows=None):
        """Opens a path of the page, and waits until it is there, and on it what a selector finds."""
        if self.shown != target:
            self.driver.get(self.origin() + target)
            type(self).shown = target if self.STAYS else None
        self.loaded()
        if shows:
            self.until(lambda: self.all(shows), shows)

    def loaded(self):
        until(lambda: self.script("return document.querySelector('main h1') !== null && "
                                  "document.querySelector('main .loading') === null"),
              "the view is loaded", pause=0.05)

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector):
        self.until(lambda: self.one(selector).click() is None, f"a click on {selector}")

    def heading(self):
        return self.text("main h1")

    def news(self):
        """What was announced last."""
        return self.script("return document.querySelector('#news').textContent")

    def text(self, selector="main"):
        """In one step: between finding it and reading it the page may have drawn it anew. The browser's
        own words for what is shown: Selenium asks for the style of each node."""
        found = self.script(TEXT, selector)
        if found is None:
            raise NoSuchElementException(selector)
        return found

    def press(self, *keys):
        """Keys, to whatever has the focus."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def focused(self):
        return self.driver.switch_to.active_element

    def address(self):
        """Path and query of where the browser is."""
        parts = urlsplit(self.driver.current_url)
        return parts.path + (f"?{parts.query}" if parts.query else "")

    def until(self, truth, what, seconds=PATIENCE):
        """Calls truth() until it returns something true, and returns that. What is drawn anew
        while it is looked at, or not drawn yet, is looked at again."""
        def there():
            try:
                return truth()
            except (NoSuchElementException, StaleElementReferenceException):
                return None
        return until(there, what, seconds, pause=0.05)

    # What must hold everywhere

    def assertAccessible(self, what=""):
        if not AXE.exists():
            print(f"nothing asked axe about {what or 'the page'}: {AXE_INSTALL}")
            return
        if not self.script("return 'axe' in window"):
            self.script(AXE.read_text())
        violations = self.driver.execute_async_script(RUN_AXE, RULES)
        self.assertFalse(violations, f"{what}\n" + "\n".join(violations))

    def assertLooksRight(self, name):
        """Wide in the light and narrow in the dark: what is pale is so at any width, what is crowded
        in any light."""
        for dark, width in ((False, 1280), (True, 360)):
            what = f"{name}-{'dark' if dark else 'light'}-{width}"
            self.look(dark=dark, width=width)
            self.screenshot(what)
            self.assertNoSideways(what)
            self.assertAccessible(what)

    def assertNarrowAndWide(self, what):
        for width in (360, 1280):
            self.look(width=width)
            self.assertNoSideways(f"{what} at {width}")

    def assertNoSideways(self, what=""):
        """The body is not wider than the screen; parts of it may scroll."""
        widths = self.script("return [document.documentElement.scrollWidth, innerWidth]")
        self.assertLessEqual(*widths, f"{what} is wider than the screen")
