#!/usr/bin/python3
"""A page of `polyrs report` in a browser: every link, filter and order, at the width of a telephone and of a desk, light and dark.

    browser.py --polyrs=FILE --plugin=FILE --scratch=FOLDER

prints a line `ok report: NAME` or `FAIL report: NAME: why` for each check. Pictures of the page stay in the scratch folder.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

HERE = os.path.dirname(os.path.abspath(__file__))
# Nothing is asked of the network, and nothing is written but to a folder that is empty at first.
FLAGS = """--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
           --disable-component-update --disable-sync --no-default-browser-check"""
WIDTHS = (1280, 360)
SCHEMES = ("light", "dark")
# The least contrast of text that is not large, by WCAG 2.2 (1.4.3).
CONTRAST = 4.5


def main():
    parser = argparse.ArgumentParser()
    for name in ("polyrs", "plugin", "scratch"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    page = make(options)
    checks = Checks()
    with tempfile.TemporaryDirectory() as profile:
        driver = start(profile)
        try:
            for name, check in CHECKS:
                driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
                driver.get("file://" + page)
                checks.run(name, lambda: check(driver, options.scratch))
            checks.run("the console has no message", lambda: silent(driver))
        finally:
            driver.quit()
    sys.exit(checks.failed > 0)


def make(options):
    """Builds the project with a report; the page."""
    project = os.path.join(options.scratch, "project")
    shutil.rmtree(project, ignore_errors=True)
    shutil.copytree(os.path.join(HERE, "project"), project)
    page = os.path.join(options.scratch, "report.html")
    words = [options.polyrs, "report", "-o", page, "--plugin", options.plugin, "--", "sh", "build.sh"]
    ended = subprocess.run(words, cwd=project, capture_output=True, text=True)
    if ended.returncode != 1 or not os.path.exists(page):
        sys.exit(f"`{' '.join(words)}` ended with {ended.returncode}:\n{ended.stderr}")
    return page


def start(profile):
    options = webdriver.ChromeOptions()
    for flag in FLAGS.split() + [f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Checks:
    failed = 0

    def run(self, name, check):
        try:
            check()
            print(f"ok report: {name}", flush=True)
        except Exception as error:
            self.failed += 1
            print(f"FAIL report: {name}: {type(error).__name__}: {error}", flush=True)


def equal(found, wanted, what=""):
    assert found == wanted, f"{what}: {found!r} instead of {wanted!r}"


def rows(driver):
    """The rows that are shown: class, function, cells."""
    return driver.execute_script(
        """return Array.from(document.querySelectorAll("#table tbody tr")).filter(row => row.offsetParent !== null)
        .map(row => [row.className, row.querySelector("a").textContent, Array.from(row.cells, cell => cell.textContent)])"""
    )


def press(driver, selector):
    element = driver.find_element(By.CSS_SELECTOR, selector)
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def content(driver, _):
    """What is there, from records of a build that failed."""
    found = {function: state for state, function, _ in rows(driver)}
    equal(found["product"], "transformed")
    equal(found["transposed"], "transformed")
    equal(found["as_it_is"], "left")
    equal(found["calls"], "refused")
    equal(found["indirect"], "refused")
    equal(found["single"], "left")
    order = [state for state, _, _ in rows(driver)]
    equal(order, sorted(order, key=["refused", "left", "transformed"].index), "order")
    text = driver.find_element(By.TAG_NAME, "body").text
    assert "The build ended with exit status: 1" in text
    assert "document.title" in text, "the source is there as text"
    equal(driver.title, "project: loop nests")
    assert "2 compilations" in text, "a header is told once"


def links(driver, _):
    """Each leads to a place of the page."""
    places = driver.execute_script("return Array.from(document.querySelectorAll('a[href]'), link => link.getAttribute('href'))")
    assert len(places) > 15, places
    for number, place in enumerate(places):
        assert place.startswith("#"), place
        driver.execute_script("scrollTo(0, 0); document.querySelectorAll('a[href]')[arguments[0]].click()", number)
        equal(driver.execute_script("return location.hash"), place)
        seen = """const box = document.getElementById(arguments[0]).getBoundingClientRect();
                  return box.top > -2 && box.top < innerHeight && box.height > 0"""
        assert driver.execute_script(seen, place[1:]), f"{place} is not seen"


def filters(driver, _):
    """Each chooses what it says, in the table and the sources; together they choose what all say."""
    everything = rows(driver)
    count = lambda: driver.find_element(By.ID, "count").text
    for state in ("transformed", "left", "refused"):
        press(driver, f"[data-state={state}]")
        wanted = [row for row in everything if row[0] == state]
        equal(rows(driver), wanted, state)
        equal(count(), f"{len(wanted)} of {len(everything)} nests")
        notes = driver.find_elements(By.CSS_SELECTOR, ".note")
        equal({note.get_attribute("class") for note in notes if note.is_displayed()}, {f"note {state}"})
        pressed = driver.find_elements(By.CSS_SELECTOR, "[aria-pressed=true]")
        equal([button.get_attribute("data-state") for button in pressed], [state])
    press(driver, "[data-state='']")
    equal(rows(driver), everything)
    for name, column in (("reason", 5), ("file", None)):
        choice = Select(driver.find_element(By.ID, name))
        assert len(choice.options) > 2, name
        for place in range(1, len(choice.options)):
            choice.select_by_index(place)
            words = choice.options[place].text
            shown = rows(driver)
            assert shown and len(shown) < len(everything), words
            for _, _, cells in shown:
                assert cells[column] == words if column else words + ":" in cells[0], (words, cells)
            shown_sources = [one for one in driver.find_elements(By.CSS_SELECTOR, ".source") if one.is_displayed()]
            assert column or len(shown_sources) == 1, "other sources are not hidden"
        choice.select_by_index(0)
    text = driver.find_element(By.ID, "text")
    text.send_keys("INDIRECT")
    equal([function for _, function, _ in rows(driver)], ["indirect"])
    press(driver, "[data-state=left]")
    equal((rows(driver), count()), ([], f"0 of {len(everything)} nests"))
    press(driver, "[data-state='']")
    text.send_keys(Keys.CONTROL + "a", Keys.DELETE)
    equal((rows(driver), count()), (everything, f"{len(everything)} nests"))


def orders(driver, _):
    """Each heading orders by its column, and the other way when it is pressed again."""
    heads = driver.find_elements(By.CSS_SELECTOR, "#table thead th")
    number = lambda text: float("".join(c for c in text if c.isdigit() or c == ".") or "-1")
    for column, head in enumerate(heads):
        seen = []
        for _ in range(2):
            head.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
            sort = head.get_attribute("aria-sort")
            cells = [cells[column] for _, _, cells in rows(driver)]
            if head.get_attribute("data-by") == "number":
                equal([number(cell) for cell in cells], sorted(map(number, cells), reverse=sort == "descending"), head.text)
            elif head.get_attribute("data-by") == "text":
                equal([cell.lower() for cell in cells], sorted((c.lower() for c in cells), reverse=sort == "descending"), head.text)
            seen.append(sort)
        equal(sorted(seen), ["ascending", "descending"])
        equal(sum(bool(other.get_attribute("aria-sort")) for other in heads), 1)


def keyboard(driver, _):
    """The first thing that the key Tab finds is the way to the table; all that can be pressed is found, and seen to be."""
    body = driver.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.TAB)
    first = driver.switch_to.active_element
    equal(first.text, "Skip to the loop nests")
    first.send_keys(Keys.ENTER)
    equal(driver.execute_script("return document.activeElement.id"), "nests")
    found, outlined = set(), True
    for _ in range(200):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        name = driver.execute_script(
            """const at = document.activeElement; return [at.tagName, getComputedStyle(at).outlineStyle, at.getBoundingClientRect().height]"""
        )
        if name[0] == "BODY":
            break
        found.add(name[0])
        outlined = outlined and name[1] != "none" and name[2] > 0
    assert {"BUTTON", "SELECT", "INPUT", "A", "SUMMARY", "PRE"} <= found, found
    assert outlined, "what has the focus is not outlined"


def structure(driver, _):
    """Headings, labels and roles, as programs that read pages aloud need them."""
    levels = driver.execute_script("return Array.from(document.querySelectorAll('h1,h2,h3,h4'), one => Number(one.tagName[1]))")
    equal(levels.count(1), 1)
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:])), levels
    missing = """const bad = [];
        for (const one of document.querySelectorAll("#filters select, #filters input")) if (!one.labels.length) bad.push(one.id);
        for (const one of document.querySelectorAll("img")) if (!one.alt) bad.push("img");
        for (const one of document.querySelectorAll("table")) if (!one.caption) bad.push("table");
        for (const one of document.querySelectorAll("th")) if (!one.scope) bad.push("th");
        const ids = Array.from(document.querySelectorAll("[id]"), one => one.id);
        return bad.concat(ids.filter((id, place) => ids.indexOf(id) !== place))"""
    equal(driver.execute_script(missing), [])
    equal(driver.execute_script("return document.documentElement.lang"), "en")


def pictures(driver, _):
    """Regions unfold to code and pictures, which can be drawn."""
    places = driver.find_elements(By.CSS_SELECTOR, ".region")
    assert len(places) >= 3, len(places)
    driver.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
    broken = driver.execute_async_script(
        """const done = arguments[0];
        const all = Array.from(document.querySelectorAll("img"));
        Promise.all(all.map(one => one.decode().then(() => "", () => one.alt))).then(bad => done([all.length, bad.filter(Boolean)]))"""
    )
    equal(broken[1], [])
    # Those with sizes that are known to be large are not drawn point by point.
    assert broken[0] >= 7, broken
    code = driver.execute_script("return Array.from(document.querySelectorAll('.region pre'), one => one.textContent)")
    assert len(code) >= 6 and all("for (" in text for text in code), code


def sizes(driver, scratch):
    """No page is wider than the screen, all unfolded; texts can be read on their grounds."""
    for scheme in SCHEMES:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        for width in WIDTHS:
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            driver.refresh()
            for unfolded in (False, True):
                if unfolded:
                    driver.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
                    # Pictures are decoded when they are seen.
                    driver.execute_async_script(
                        "Promise.all(Array.from(document.images, one => one.decode())).then(() => arguments[0]())"
                    )
                wide = driver.execute_script("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
                assert wide[0] <= wide[1], f"{scheme}, {width}: {wide}"
                poor = driver.execute_script(FAINT, CONTRAST)
                equal(poor, [], f"{scheme}, {width}: contrast")
                height = driver.execute_script("return document.documentElement.scrollHeight")
                driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", dict(size, height=min(height, 4000)))
                name = f"{scheme}-{width}{'-unfolded' if unfolded else ''}.png"
                driver.save_screenshot(os.path.join(scratch, name))
                driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


# Texts with too little contrast to the ground that is behind them.
FAINT = """
const least = arguments[0], bad = [];
const parts = color => color.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const ground = one => { for (; one; one = one.parentElement) { const c = parts(getComputedStyle(one).backgroundColor); if (c.length < 4 || c[3] === 1) return c; } return [255, 255, 255]; };
for (const one of document.querySelectorAll("body *")) {
  const text = Array.from(one.childNodes).some(node => node.nodeType === 3 && node.data.trim());
  if (!text || !one.checkVisibility() || one.tagName === "SCRIPT" || one.tagName === "OPTION") continue;
  const [a, b] = [light(parts(getComputedStyle(one).color)), light(ground(one))].sort((x, y) => y - x);
  const contrast = (a + .05) / (b + .05);
  if (contrast < least) bad.push(`${one.tagName} ${one.className} ${one.textContent.slice(0, 20)}: ${contrast.toFixed(2)}`);
}
return bad;
"""


def scriptless(driver, _):
    """Without scripts all content is there, and nothing that does nothing."""
    wanted = rows(driver)
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        driver.refresh()
        equal(rows(driver), wanted)
        assert not driver.find_element(By.ID, "filters").is_displayed()
        equal(driver.find_elements(By.CSS_SELECTOR, "thead button"), [])
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def silent(driver):
    equal([entry["message"] for entry in driver.get_log("browser")], [])


CHECKS = [
    ("what was built is told", content),
    ("links lead somewhere", links),
    ("filters", filters),
    ("orders", orders),
    ("the keyboard is enough", keyboard),
    ("headings and labels", structure),
    ("code and pictures of regions", pictures),
    ("telephone and desk, light and dark", sizes),
    ("without scripts", scriptless),
]

if __name__ == "__main__":
    main()
