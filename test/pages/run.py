#!/usr/bin/env python3
"""Examples on the pages of the documentation are run, and the commands that pages name are there.

    run.py [--plugin FILE] [--polyrs FILE] [--llvm FOLDER] [--only PAGE] [--commands] [--show]

A block ```LANGUAGE,file=NAME of a page is that file; a block ```console has commands behind `$ `, which must end with 0, and
lines that their output has in this order, … standing for anything within a line. All blocks of a page share a folder, and
`libpolyrs.so` in a command, or `/usr/lib/libpolyrs.so`, is the plugin. Besides, but for `--commands`, in all code of all pages:
subcommands and options of `polyrs`, options of the plugin, and tasks and steps of `cargo xtask`.
"""

import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from typed import ROOT, arguments, pattern

SECONDS = 300
FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.M | re.S)
# What is not this version's: pages that tell what was, and pages that others write.
HISTORY = ("CHANGELOG.md",)


def main():
    options = arguments("--commands")
    pages = sorted(page for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")] if page.name not in HISTORY)
    failed, blocks, names = 0, 0, 0
    known = None if options.commands else Known(options)
    for page in pages:
        if options.only not in str(page):
            continue
        text = page.read_text()
        name = page.relative_to(ROOT)
        with tempfile.TemporaryDirectory(prefix="polyrs-pages-") as folder:
            for number, problem in run(text, pathlib.Path(folder), options):
                blocks += 1
                failed += bool(problem)
                if problem:
                    print(f"FAIL pages: {name}:{number}: {problem}")
        for number, line in code_lines(text) if known else []:
            for problem in known.problems(line):
                failed += bool(problem)
                names += 1
                if problem:
                    print(f"FAIL pages: {name}:{number}: {problem}")
    print(f"{blocks} commands run, {names} names looked up, {failed} failed")
    few = not blocks if options.commands else not options.only and (blocks < 20 or names < 100)
    if few:
        print("FAIL pages: there are more commands or names")
        failed += 1
    sys.exit(failed > 0)


def run(text, folder, options):
    """Runs the blocks of a page: for each command its line, and what is wrong."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("POLYRS_")}
    environment |= {
        "PATH": f"{os.path.dirname(options.polyrs)}:{options.llvm}:{os.environ['PATH']}",
        "POLYRS_MACHINE": "generic",
        "LC_ALL": "C.UTF-8",
    }
    for block in FENCE.finditer(text):
        words = block["info"].split(",")
        number = text.count("\n", 0, block.start()) + 1
        for word in words[1:]:
            if word.startswith("file="):
                (folder / word.removeprefix("file=")).write_text(block["text"])
        if words[0] != "console":
            continue
        for command, wanted, offset in commands(block["text"]):
            typed = re.sub(r"(?<![\w./])(/usr/lib/)?libpolyrs\.so", lambda _: options.plugin, command)
            ended = subprocess.run(
                ["bash", "-c", typed],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=SECONDS,
            )
            said = ended.stdout.decode(errors="replace")
            if options.show:
                print(f"$ {command}\n{said}")
            yield number + offset, judge(command, ended.returncode, said, wanted)


def commands(block):
    """The commands of a block, each with the lines that follow it and its line."""
    found = []
    for offset, line in enumerate(block.splitlines(), 1):
        if line.startswith("$ "):
            found.append((line[2:], [], offset))
        elif found:
            found[-1][1].append(line)
    return found


def judge(command, code, said, wanted):
    if code != 0:
        return f"`{command}` ended with {code}:\n{said}"
    lines = iter(said.splitlines())
    for line in wanted:
        if not any(re.fullmatch(pattern(line.strip()), one.strip()) for one in lines):
            return f"`{command}` does not say `{line}`:\n{said}"
    return ""


def code_lines(text):
    """Lines of code on a page: in fences, indented, or between backticks."""
    fenced, before = False, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield number, line.strip().removeprefix("$ ")
        else:
            for span in re.findall(r"`([^`]+)`", line):
                yield number, span


class Known:
    """What there is that pages may name."""

    def __init__(self, options):
        self.polyrs = options.polyrs
        tasks = (ROOT / "xtask/src/main.rs").read_text()
        tasks = tasks[tasks.index("enum Task {") :]
        self.tasks = {name.lower() for name in re.findall(r"^    (\w+)[(,]", tasks[: tasks.index("\n}")], re.M)}
        steps = (ROOT / "xtask/src/test/steps.rs").read_text()
        self.steps = set(re.findall(r'^        name: "([\w-]+)"', steps, re.M)) | {"build"}
        page = (ROOT / "docs/options.md").read_text()
        self.options = set(re.findall(r"^\| `([\w-]+)` \|", page, re.M))

    @functools.cache
    def help(self, subcommand):
        """The help of a subcommand; nothing where there is none."""
        ended = subprocess.run([self.polyrs, subcommand, "--help"], capture_output=True, text=True)
        return ended.stdout if ended.returncode == 0 else ""

    def problems(self, line):
        """For each name in a line, what is wrong with it."""
        # What is quoted is another program's.
        for command in re.split(r"[|;]|&&", re.sub(r"'[^']*'", "''", line)):
            words = command.split("#")[0].split()
            while words and (re.fullmatch(r"\w+=\S*", words[0]) or words[0] in ("not", "env", "$")):
                words.pop(0)
            if words[:1] == ["polyrs"] and len(words) > 1:
                yield from self.of_command(words[1:])
            if words[:2] == ["cargo", "xtask"] and len(words) > 2:
                yield from self.of_task(words[2:])
        for given in re.findall(r'poly-schedule="([^"]*)"', line):
            for word in re.split(r"[\s;]+", given):
                name, equals, _ = word.partition("=")
                if equals and name.islower():
                    yield "" if name in self.options else f"the plugin has no option {name}"

    def of_command(self, words):
        if words[0].startswith("-") or not re.fullmatch(r"[a-z]+", words[0]):
            return
        known = self.help(words[0])
        yield "" if known else f"there is no `polyrs {words[0]}`"
        for word in words[1:] if known else []:
            if word == "--":
                break
            name = re.match(r"--[a-z][a-z-]*", word)
            if name and name[0] not in ("--help", "--version"):
                # Switches that are turned off have a former name that help does not tell.
                there = re.search(rf"(^|[\s,]){re.escape(name[0].replace('--no-', '--'))}\b", known)
                yield "" if there else f"`polyrs {words[0]}` has no {name[0]}"

    def of_task(self, words):
        task = words[0].strip("`,.")
        if re.fullmatch(r"[a-z]+", task):
            yield "" if task in self.tasks else f"there is no `cargo xtask {task}`"
        if task == "test" and "--only" in words[:-1]:
            step = words[words.index("--only") + 1]
            if step.islower():
                yield "" if step in self.steps else f"`cargo xtask test` has no step {step}"


if __name__ == "__main__":
    main()
