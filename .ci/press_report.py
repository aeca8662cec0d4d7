#!/usr/bin/env python3
"""press_report.py [--csv FILE.csv] PAGE.html...

Opens pages of `batfill report` in Debian's Chromium, without a window and without a network, and prints for each how
large it is, how long it took until it could be used and how long it takes to redraw. Presses every control of the page
by mouse, keyboard and touch, as the operating system would. Fails if a chart shows nothing though its run has a
finished job, if a press does not do what it should or leaves a chart blank, if a part of the page is cut off at 800,
1,300 or 1,900 pixels, or if the console has an error. A page of runs without a finished job must have no chart, and say
so. What a page says must fit its numbers, to the plural. With --csv writes the measurements. With --bounds, a page of
two runs must have at most 8 MB, be usable after 3 s and redraw the whole run in 50 ms (median).
"""

import argparse
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

SCRIPT = pathlib.Path(__file__).with_name("press-report-controls.js")
# Scrolls the page so that the element can be pressed, and returns its middle.
MIDDLE = """(() => {{ const e = document.querySelector({selector}); e.scrollIntoView({{ block: "center" }});
  const box = e.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; }})()"""
DRAWN = "new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(() => then(true))))"
KEYS = {"Enter": 13, " ": 32, "ArrowLeft": 37, "ArrowRight": 39, "ArrowDown": 40, "+": 187, "=": 187, "-": 189, "0": 48}


class Problem(Exception):
    """The page does not do what it should."""


class Browser:
    """Chromium, and one page in it, by the DevTools protocol over two pipes."""

    def __init__(self, profile: str) -> None:
        read_commands, commands = os.pipe()
        messages, write_messages = os.pipe()
        self.commands = os.fdopen(commands, "wb", buffering=0)
        self.messages = os.fdopen(messages, "rb")
        arguments = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"]
        # The browser reads from descriptor 3 and writes to 4.
        shell = f"exec {{0}} 3<&{read_commands} 4>&{write_messages}"
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            ["bash", "-c", shell.format('"$@"'), "bash", *arguments],
            pass_fds=(read_commands, write_messages), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_messages)
        self.calls = 0
        self.errors: list[str] = []
        self.session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=1280, height=1000, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Calls a method, and returns its result. Keeps what the console says meanwhile."""
        self.calls += 1
        message = {"id": self.calls, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            self.keep_errors(answer)
            if answer.get("id") == self.calls:
                if "error" in answer:
                    raise Problem(f"{method}: {answer['error']['message']}")
                result: dict[str, Any] = answer["result"]
                return result

    def receive(self) -> dict[str, Any]:
        """The next message."""
        text = bytearray()
        while byte := self.messages.read(1):
            if byte == b"\0":
                message: dict[str, Any] = json.loads(text)
                return message
            text += byte
        raise Problem("the browser ended")

    def keep_errors(self, message: dict[str, Any]) -> None:
        """Notes what a message says of errors in the page."""
        details = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(details["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif message.get("method") == "Log.entryAdded" and details["entry"]["level"] == "error":
            self.errors.append(details["entry"]["text"])

    def value(self, expression: str) -> Any:
        """The value of an expression in the page, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Problem(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def open(self, page: pathlib.Path) -> None:
        """Opens a page, and waits until it can be used."""
        self.call("Page.navigate", url=page.as_uri())
        deadline = time.monotonic() + 120
        while not self.value("document.documentElement?.dataset.interactive"):
            if time.monotonic() > deadline or self.errors:
                raise Problem("the page was not drawn to its end")
            time.sleep(0.02)
        self.value(SCRIPT.read_text(encoding="utf-8"))

    def mouse(self, kind: str, place: list[float], **more: Any) -> None:
        """An event of the mouse."""
        self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], **more)

    def touch(self, kind: str, *places: list[float]) -> None:
        """An event of fingers on the screen."""
        self.call("Input.dispatchTouchEvent", type=kind,
                  touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)])

    def key(self, selector: str, key: str) -> None:
        """Gives an element the focus and presses a key."""
        self.value(f"document.querySelector({json.dumps(selector)}).focus()")
        # Chromium forgets a space key that is down when it lays out the page: what the last press did is drawn first.
        self.value(DRAWN)
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else None)
        more = {"text": text} if text else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=KEYS[key],
                      **(more if kind == "keyDown" else {}))

    def middle(self, selector: str) -> list[float]:
        """Where to press an element."""
        place: list[float] = self.value(MIDDLE.format(selector=json.dumps(selector)))
        return place

    def press(self, way: str, selector: str) -> None:
        """Presses an element by mouse, touch, or a key."""
        if way == "mouse":
            place = self.middle(selector)
            self.mouse("mousePressed", place, button="left", clickCount=1)
            self.mouse("mouseReleased", place, button="left", clickCount=1)
        elif way == "touch":
            self.touch("touchStart", self.middle(selector))
            self.touch("touchEnd")
        else:
            self.key(selector, way)

    def close(self) -> None:
        """Ends the browser."""
        self.process.kill()
        self.process.wait()


class Presses:
    """Presses the controls of an open page."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.pressed = 0
        self.redraws: list[float] = []
        self.beginning: list[dict[str, Any]] = self.pictures()

    def pictures(self) -> list[dict[str, Any]]:
        """The charts over time as they are now."""
        drawn: list[dict[str, Any]] = self.browser.value("batfillPictures()")
        return drawn

    def require_changed(self, name: str, before: list[dict[str, Any]], all_shown: bool) -> None:
        """Each chart shows something, and something else than before, or the whole run."""
        after = self.pictures()
        self.pressed += 1
        self.redraws.append(float(self.browser.value("document.documentElement.dataset.redraw")))
        for was, now, first in zip(before, after, self.beginning):
            if now["blank"] and now["marks"] > 0:
                raise Problem(f"{name}: {now['id']} is blank")
            if now["picture"] == was["picture"]:
                raise Problem(f"{name}: {now['id']} does not change")
            if all_shown and now["picture"] != first["picture"]:
                raise Problem(f"{name}: {now['id']} is not as in the beginning")
        if not any(now["marks"] > 0 for now in after):
            raise Problem(f"{name}: no chart shows anything")

    def require_soon(self, expression: str, name: str) -> None:
        """A press has had its effect. On a busy machine the browser answers before."""
        self.pressed += 1
        for _ in range(40):
            if self.browser.value(expression):
                return
            time.sleep(0.05)
        raise Problem(f"{name}: nothing happens")

    def buttons(self) -> None:
        """The buttons above the charts."""
        steps = [("Zoom in", False), ("Earlier", False), ("Later", False), ("Zoom out", True), ("Zoom in", False),
                 ("Show all", True)]
        for way in ("mouse", "touch", "Enter", " "):
            for label, all_shown in steps:
                before = self.pictures()
                self.browser.press(way, f'button[aria-label="{label}"]')
                self.require_changed(f"button {label} by {way}", before, all_shown)

    def keys(self) -> None:
        """The keys on each chart."""
        for chart in (f"#{picture['id']}" for picture in self.beginning):
            for key, all_shown in [("+", False), ("ArrowLeft", False), ("ArrowRight", False), ("-", True), ("=", False),
                                   ("0", True)]:
                before = self.pictures()
                self.browser.key(chart, key)
                self.require_changed(f"key {key} on {chart}", before, all_shown)

    def show_all(self) -> None:
        """Shows the whole run, so that the next press begins there."""
        before = self.pictures()
        self.browser.key(f"#{self.beginning[0]['id']}", "0")
        self.require_changed("key 0", before, True)

    def gestures(self) -> None:
        """Wheel, dragging and pinching on each chart."""
        for chart in (f"#{picture['id']}" for picture in self.beginning):
            across, down = self.browser.middle(chart)
            before = self.pictures()
            self.browser.mouse("mouseWheel", [across, down], deltaX=0, deltaY=-300, modifiers=2)
            self.require_changed(f"wheel on {chart}", before, False)
            before = self.pictures()
            self.browser.mouse("mousePressed", [across, down], button="left", clickCount=1)
            self.browser.mouse("mouseMoved", [across - 60, down], button="left", buttons=1)
            self.browser.mouse("mouseReleased", [across - 60, down], button="left", clickCount=1)
            self.require_changed(f"drag on {chart}", before, False)
            self.show_all()
            before = self.pictures()
            self.browser.touch("touchStart", [across - 40, down], [across + 40, down])
            for distance in (60, 90, 120):
                self.browser.touch("touchMove", [across - distance, down], [across + distance, down])
            self.browser.touch("touchEnd")
            self.require_changed(f"pinch on {chart}", before, False)
            before = self.pictures()
            self.browser.touch("touchStart", [across, down])
            for moved in (20, 40, 60):
                self.browser.touch("touchMove", [across + moved, down])
            self.browser.touch("touchEnd")
            self.require_changed(f"drag by touch on {chart}", before, False)
            self.show_all()

    def tells(self) -> None:
        """What a chart tells of an instant."""
        chart = self.beginning[-1]["id"]
        place = self.browser.middle(f"#{chart}")
        for way in ("mouse", "touch"):
            self.browser.value("hideTooltip()")
            if way == "mouse":
                self.browser.mouse("mouseMoved", place)
            else:
                self.browser.press("touch", f"#{chart}")
            self.pictures()
            self.pressed += 1
            if self.browser.value("tooltip.hidden || !tooltip.textContent"):
                raise Problem(f"{chart} by {way}: tells nothing")

    def colours(self) -> None:
        """The colours of the jobs."""
        looks = {json.dumps(self.beginning)}
        options = self.browser.value('document.getElementById("colour-by").options.length')
        for _ in range(options - 1):
            self.browser.key("#colour-by", "ArrowDown")
            pictures = self.pictures()
            self.pressed += 1
            for picture in pictures:
                if picture["blank"] and picture["marks"] > 0:
                    raise Problem(f"colours: {picture['id']} is blank")
            looks.add(json.dumps(pictures))
        if len(looks) < 3:
            raise Problem(f"the {options} colourings look like {len(looks)}")

    def folds(self) -> None:
        """What can be unfolded."""
        count = self.browser.value('batfillFolds()')
        for fold in (f"fold-{place}" for place in range(count)):
            self.browser.value(f'batfillUnfoldAround("{fold}")')
            for way in ("mouse", "touch", "Enter", " "):
                is_open = f'document.getElementById("{fold}").parentNode.open'
                was = self.browser.value(is_open)
                self.browser.press(way, f"#{fold}")
                self.require_soon(f"{is_open} !== {json.dumps(was)}", f"{fold} by {way}")

    def explanations(self) -> None:
        """Why jobs waited: each choice lists instants, and each instant marks the chart."""
        for place in range(self.browser.value('document.querySelectorAll(".explained select").length')):
            name = self.browser.value(f'document.querySelectorAll(".explained select")[{place}].id')
            select = f"#{name}"
            for _ in range(self.browser.value(f'document.querySelector("{select}").options.length')):
                seen = set()
                for way in ("mouse", "touch", "Enter"):
                    self.browser.press(way, f"{select} ~ .reasons li:first-child button")
                    self.pressed += 1
                    seen.add(json.dumps(self.pictures()))
                chosen = self.browser.value(
                    f'document.querySelector("{select} ~ .reasons button").getAttribute("aria-pressed")')
                if chosen != "true" or len(seen) != 1:
                    raise Problem(f"{select}: an instant is not marked")
                self.browser.key(select, "ArrowDown")
                self.pressed += 1

    def links(self) -> None:
        """The contents."""
        for target in self.browser.value('[...document.querySelectorAll("#contents a")].map((a) => a.hash)'):
            for way in ("mouse", "touch", "Enter"):
                self.browser.value('history.replaceState(null, "", location.pathname)')
                self.browser.press(way, f'#contents a[href="{target}"]')
                self.require_soon(f"location.hash === {json.dumps(target)}", f"link {target} by {way}")

    def all(self) -> None:
        """Everything."""
        self.links()
        self.folds()
        self.buttons()
        self.keys()
        self.gestures()
        self.tells()
        self.colours()
        self.explanations()  # last, as marks stay on the charts


def require_charts(browser: Browser) -> bool:
    """Whether the page has charts. Each of them must show something, except those of a run without a finished job."""
    charts = browser.value("batfillCharts()")
    counts = browser.value("runs.map((run) => run.jobs.count)")
    empty_runs = counts.count(0)
    if empty_runs == len(counts):
        if charts or browser.value('document.getElementById("time-title").textContent') != "Nothing to draw":
            raise Problem("no job finished, and the page does not say so")
        print("  no job finished, no chart")
        return False
    # The Gantt chart and the heat map belong to one run.
    if sum(chart["marks"] == "none" for chart in charts) != 2 * empty_runs:
        raise Problem("a chart shows nothing")
    for chart in charts:
        if chart["marks"] in ("0", "undefined", "NaN", ""):
            raise Problem(f"a chart shows nothing: {chart['label']}")
        print(f"  {chart['marks']} marks: {chart['label']}")
    return True


def require_all_shown(browser: Browser) -> None:
    """Nothing is cut off at the usual widths, the table of all metrics and those of users and queues included."""
    browser.value('document.querySelectorAll("#metrics > details").forEach((fold) => { fold.open = true; })')
    for width in (800, 1300, 1900):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=False)
        hidden = browser.value(
            '[document.documentElement, ...document.querySelectorAll(".scroll")]'
            '.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)'
            '.map((e) => `${e.getAttribute("aria-label") || "the page"}: ${e.scrollWidth - e.clientWidth} pixels`)')
        if hidden:
            raise Problem(f"cut off at a width of {width} pixels: {', '.join(hidden)}")


def require_words(browser: Browser) -> None:
    """What the page says fits its numbers."""
    problems = browser.value("batfillWords()")
    if problems:
        raise Problem("; ".join(problems))


def require_bounds(row: list[str]) -> None:
    """A page of two runs is small and fast."""
    _, runs, _, size, usable, *redraws = row
    bounds = [("bytes", float(size), 8e6), ("milliseconds until usable", float(usable), 3000),
              *(("milliseconds to redraw", float(redraw), 50) for redraw in redraws[:1])]
    for what, value, bound in bounds:
        if runs == "2" and value > bound:
            raise Problem(f"{value:g} {what}, expected at most {bound:g}")


def prove(browser: Browser, page: pathlib.Path) -> list[str]:
    """Opens a page and presses everything on it. Returns its measurements."""
    browser.open(page)
    size = page.stat().st_size
    usable = browser.value("document.documentElement.dataset.interactive")
    print(f"{page.name}: {size} bytes, usable after {usable} ms")
    row = [page.name, str(browser.value("runs.length")), str(browser.value("runs[0].jobs.count")), str(size), usable]
    if require_charts(browser):
        whole = browser.value("batfillRedraw()")
        presses = Presses(browser)
        presses.all()
        print(f"  {presses.pressed} presses; redrawn within {whole} ms (the whole run), "
              f"{max(presses.redraws)} ms (after any press)")
        row += [str(whole), str(max(presses.redraws))]
    require_words(browser)
    require_all_shown(browser)
    if browser.errors:
        raise Problem("; ".join(browser.errors))
    return row


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description="Presses every control of pages of batfill report.")
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--bounds", action="store_true")
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    rows = []
    status = 0
    for page in arguments.pages:
        profile = tempfile.mkdtemp()
        browser = Browser(profile)
        try:
            rows.append(prove(browser, page.resolve(strict=True)))
            if arguments.bounds:
                require_bounds(rows[-1])
        except Problem as problem:
            print(f"press_report: {page}: {'; '.join([str(problem), *browser.errors])}", file=sys.stderr)
            status = 1
        finally:
            browser.close()
            shutil.rmtree(profile, ignore_errors=True)
    if arguments.csv and status == 0:
        with arguments.csv.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["page", "runs", "jobs", "bytes", "usable_ms", "redraw_whole_ms", "redraw_most_ms"])
            writer.writerows(rows)
    return status


if __name__ == "__main__":
    sys.exit(main())
