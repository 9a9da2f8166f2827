#!/usr/bin/python3
"""Pictures of pages that `polyrs report` makes of real projects, for docs/report.md.

    screenshots.py --polyrs=FILE --plugin=FILE --scratch=FOLDER --output=FOLDER [--only=NAME]

Builds a project in C (gsl), one in C++ with CMake (IT++) and one in Fortran (the reference BLAS) with a report each, and has
a browser take pictures of them, at the width of a desk and of a telephone, light and dark. Sources are those of Debian's
packages. Prints a line `ok screenshots: FILE` or `FAIL screenshots: NAME: why` for each picture.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "llvm/projects"))

from browser import start  # noqa: E402
from check import BIN, Sources, sh  # noqa: E402

# Bytes that a picture may have.
MOST = 150_000
# Project, what is done before and what is reported on. `{clang}` and the like are programs.
PROJECTS = {
    "gsl": (
        ["CC={clang} CFLAGS=-O2 ./configure --disable-shared --quiet", "make -C gsl"],
        "for folder in linalg cblas blas matrix; do make -j2 -C $folder || exit 1; done",
    ),
    "libitpp": (
        ["cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O2 -DCMAKE_CXX_COMPILER={clang}++ -DCMAKE_C_COMPILER={clang} -DITPP_SHARED_LIB=off -DCMAKE_CXX_STANDARD=14"],
        "cmake --build build -j2",
    ),
    "lapack": (
        [],
        "for file in BLAS/SRC/d[gst]*.f; do {flang} -O3 -c $file -o /dev/null || exit 1; done",
    ),
}
# Picture: project, width, colours, and what is at its top (nothing: the page's).
PICTURES = [
    ("report-c", "gsl", 1280, "light", ""),
    ("report-cpp", "libitpp", 1280, "dark", ""),
    ("report-fortran", "lapack", 1280, "light", ".source"),
    ("report-telephone", "lapack", 360, "dark", ""),
]
HEIGHT = {1280: 860, 360: 720}
NAMES = {"gsl": "gsl", "libitpp": "IT++", "lapack": "BLAS"}


def main():
    parser = argparse.ArgumentParser()
    for name in ("polyrs", "plugin", "scratch", "output"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    scratch = Path(options.scratch)
    scratch.mkdir(parents=True, exist_ok=True)
    Path(options.output).mkdir(parents=True, exist_ok=True)
    failed, pages = 0, {}
    for project in PROJECTS:
        if options.only and options.only != project:
            continue
        try:
            pages[project] = make(project, scratch, options)
        except (RuntimeError, OSError, StopIteration, subprocess.SubprocessError) as error:
            print(f"FAIL screenshots: {project}: {error or 'its sources cannot be fetched'} (the network is needed)", flush=True)
            failed += 1
    with tempfile.TemporaryDirectory() as profile:
        driver = start(profile)
        try:
            for name, project, width, scheme, top in PICTURES:
                if project in pages:
                    failed += not take(driver, pages[project], Path(options.output) / f"{name}.png", (width, scheme, top))
        finally:
            driver.quit()
    sys.exit(failed > 0)


def make(project, scratch, options):
    """Builds a project with a report; the page."""
    log = scratch / f"{project}.log"
    log.write_bytes(b"")
    folder = scratch / project
    page = scratch / f"{project}.html"
    before, build = PROJECTS[project]
    words = {"clang": BIN / "clang", "flang": BIN / "flang"}
    Sources(scratch, log).unpack(project, folder)
    for command in before:
        sh(command.format(**words), folder, log)
    report = [options.polyrs, "report", "--plugin", options.plugin, "--title", NAMES[project], "-o", str(page)]
    with log.open("ab") as out:
        ended = subprocess.run(
            [*report, "--", "sh", "-c", build.format(**words)], cwd=folder, stdout=out, stderr=out, check=False
        )
    if not page.exists():
        raise RuntimeError(f"there is no page ({ended.returncode}); see {log}")
    return page


def take(driver, page, file, look):
    """Takes one picture; whether it is small enough."""
    width, scheme, top = look
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    size = {"width": width, "height": HEIGHT[width], "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.get(f"file://{page}")
    if top:
        # The nest that is predicted to gain most.
        driver.execute_script(
            """const gain = note => Number((note.textContent.match(/predicted gain ([0-9.]+)/) || [0, 0])[1]);
            const notes = Array.from(document.querySelectorAll(arguments[0] + " .note.transformed"));
            const note = notes.sort((a, b) => gain(b) - gain(a))[0];
            scrollTo(0, note ? note.getBoundingClientRect().top + scrollY - innerHeight / 3 : 0)""",
            top,
        )
    driver.save_screenshot(str(file))
    smaller(file)
    bytes = file.stat().st_size
    good = 0 < bytes <= MOST
    print(f"{'ok' if good else 'FAIL'} screenshots: {file.name}: {bytes} bytes", flush=True)
    return good


def smaller(file):
    """Few colours are enough for text, where Python's imaging library is there to count them."""
    try:
        from PIL import Image
    except ImportError:
        return
    with Image.open(file) as picture:
        picture.convert("RGB").quantize(64).save(file, optimize=True)


if __name__ == "__main__":
    main()
