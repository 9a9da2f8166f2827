#!/usr/bin/env python3
"""What is said of errors of use: each case of `cases.toml` is tried, and docs/errors.md is the table of them.

    run.py [--plugin FILE] [--polyrs FILE] [--llvm FOLDER] [--only TEXT] [--show]

A case is typed into a shell, in a folder of its own with the files of `Inputs` and some odd ones. It has to end with its
code, to say what `says` and `help` have (… stands for anything within a line), and nothing that a user must never see.
POLYRS_BLESS=1 writes docs/errors.md anew. `--only` takes the cases with a text in them, `--show` prints what they say.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from typed import ROOT, arguments, pattern

HERE = pathlib.Path(__file__).resolve().parent
PAGE = ROOT / "docs/errors.md"
MARK = "<!-- From here on written by test/errors/run.py (POLYRS_BLESS=1). -->\n"
# What a user must never see.
NEVER = ["panicked at", "RUST_BACKTRACE", "stack backtrace", "Stack dump", "PLEASE submit", "internal error", "(os error"]
# What is typed before each case.
PRELUDE = """
clang_with() { clang -O3 -fpass-plugin="$PLUGIN" -mllvm -poly-schedule="$*" -c kernel.c -o kernel.o; }
clang_listening() { clang_with "$*"; }
mlir_opt_with() { mlir-opt --load-pass-plugin="$PLUGIN" --poly-schedule="$*" kernel.mlir -o /dev/null; }
"""
SECONDS = 120


def main():
    options = arguments()
    groups = tomllib.loads((HERE / "cases.toml").read_text())["group"]
    cases = [case for group in groups for case in group["case"]]
    chosen = [case for case in cases if options.only in str(case)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda case: attempt(case, options), chosen))
    failed = 0
    for case, (said, problems) in zip(chosen, results):
        if options.show:
            print(f"--- {case['case']}\n    {case['run']}\n{said}")
        for problem in problems:
            print(f"FAIL errors: {case['case']}: {problem}\n{said}")
        failed += bool(problems)
    failed += not options.only and not compare(table(groups))
    print(f"{len(chosen)} cases, {failed} failed")
    sys.exit(failed > 0 or not chosen)


def attempt(case, options):
    """Tries a case: what was said, and what is wrong with that."""
    for needed in case.get("needs", []):
        if not os.path.exists(needed):
            return f"not tried: there is no {needed}\n", []
    with tempfile.TemporaryDirectory(prefix="polyrs-errors-") as folder:
        prepare(pathlib.Path(folder))
        environment = {name: value for name, value in os.environ.items() if not name.startswith("POLYRS_")}
        environment |= {
            "PATH": f"{os.path.dirname(options.polyrs)}:{options.llvm}:{os.environ['PATH']}",
            "PLUGIN": options.plugin,
            "POLYRS_MACHINE": "generic",
            "LC_ALL": "C",
        }
        ended = subprocess.run(
            ["bash", "-c", PRELUDE + case["run"]],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
        )
        said = ended.stdout.decode(errors="replace").replace(os.path.realpath(folder) + "/", "").replace(folder + "/", "")
    said = said.replace(os.path.dirname(options.plugin), "/path")
    return said, list(judge(case, ended.returncode, said))


def prepare(folder):
    """The files that a case finds."""
    shutil.copytree(HERE / "Inputs", folder, dirs_exist_ok=True)
    for region in (ROOT / "test/scop/bad").glob("*.scop"):
        shutil.copy(region, folder)
    shutil.copy(ROOT / "test/scop/basic/gemm.scop", folder)
    (folder / "empty").touch()
    (folder / "binary").write_bytes(b"\x7fELF\xff\xfe\0\1" * 40)
    (folder / "folder").mkdir()


def judge(case, code, said):
    if code != case["code"]:
        yield f"ended with {code}, not {case['code']}"
    for key in ("says", "help"):
        text = case.get(key, "")
        if not re.search(pattern(text), said):
            yield f"does not say `{text}`"
    if case["says"] == "" and said:
        yield "says something"
    for text in NEVER:
        if text in said:
            yield f"says `{text}`"


def table(groups):
    """The part of the page that is made of the cases."""
    lines = []
    for group in groups:
        lines += [f"## {group['title']}", ""]
        if "text" in group:
            lines += [group["text"].strip(), ""]
        lines += ["| case | ends with | what is said | what helps |", "|---|--:|---|---|"]
        for case in group["case"]:
            says = code(case["says"]) if case["says"] else "nothing"
            help = code(case["help"]) if "help" in case else ""
            help = " ".join(filter(None, [help, case.get("advice", "").replace("|", "\\|")]))
            lines.append(f"| {case['case']} | {case['code']} | {says} | {help} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def code(text):
    """Text as code in a cell of a table."""
    text = text.replace("|", "\\|")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def compare(made):
    """Whether the page has the table."""
    head, mark, known = PAGE.read_text().partition(MARK)
    if os.environ.get("POLYRS_BLESS") == "1":
        PAGE.write_text(head + MARK + "\n" + made)
        return True
    if mark and known == "\n" + made:
        return True
    print(f"FAIL errors: {PAGE} is not what the cases say; POLYRS_BLESS=1 {sys.argv[0]} writes it anew")
    return False


if __name__ == "__main__":
    main()
