#!/usr/bin/python3
"""The documentation tells the truth: links lead somewhere, and the commands it shows work.

Every relative link and picture of every .md file must exist (and, with #anchor, its heading). Every line of every
```sh block and every ```python block of README.md and docs/ is run, page by page in the order of the page, in a
temporary folder that holds scenarios/, reproduce/ and examples/, and must exit 0. A Python block may use what those
above it on its page have defined. A block that is not to be run says so, and why, in the line above it:
<!-- not run: … -->. MATLAB always does.
Every test that an equation map of docs/theory-*.md names must be in tests/.
Prints `N passed, M failed` last; the program is $COLUBER.
"""

import fnmatch
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish



def pages():
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=SOURCE, capture_output=True, text=True
    ).stdout.split()
    if not listed:  # not a clone: an unpacked archive
        listed = [str(p.relative_to(SOURCE)) for p in SOURCE.rglob("*.md") if "build" not in p.parts]
    return sorted(SOURCE / name for name in listed if (SOURCE / name).is_file())


def without_code(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page):
    """Headings as GitHub names them."""
    names = set()
    for heading in re.findall(r"^#+\s+(.*)$", page.read_text(), flags=re.M):
        words = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        names.add(words.replace(" ", "-"))
    return names


def check_links(page):
    text = without_code(page.read_text())
    targets = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r"<img[^>]*src=\"([^\"]+)\"", text)
    for target in targets:
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        where = page.relative_to(SOURCE)
        check(f"{where}: the link {target} leads somewhere", path.exists(), f"there is no {path}")
        if anchor and path.suffix == ".md" and path.exists():
            check(f"{where}: the heading of {target} exists", anchor in anchors(path), f"no such heading in {path}")


def tests_there():
    """Every C++ test as Suite.Name."""
    pattern = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)")
    return {f"{suite}.{name}" for source in (SOURCE / "tests").rglob("*.cpp") for suite, name in pattern.findall(source.read_text())}


def check_equation_map(page, there):
    where = page.relative_to(SOURCE)
    found = re.search(r"^## Equation map\n(.*?)(?=^## |\Z)", page.read_text(), flags=re.S | re.M)
    rows = [line.strip().strip("|").split("|") for line in (found.group(1) if found else "").splitlines() if line.startswith("| ")][1:]
    check(f"{where}: the equation map has rows", bool(rows))
    for row in rows:
        named = re.findall(r"`([^`]+)`", row[-1])
        check(f"{where}: {row[0].strip()} names its tests", bool(named), row[-1])
        for name in named:
            exists = (SOURCE / name).exists() if "/" in name else bool(fnmatch.filter(there, name))
            check(f"{where}: the test {name} exists", exists, f"nothing in tests/ is called {name}")


def blocks(page):
    """Each code block as (line, language, text, why it is not run or None)."""
    found = []
    start, language, lines, above = 0, None, [], ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if language is not None and line.startswith("```"):
            why = re.fullmatch(r"<!-- not run: (.+) -->", above.strip())
            found.append((start, language, "".join(each + "\n" for each in lines), why and why.group(1)))
            language = None
            above = ""
        elif language is not None:
            lines.append(line)
        elif line.startswith("```"):
            start, language, lines = number, line[3:].strip(), []
        else:
            above = line
    return found


def run_line(line, folder):
    """A line as a shell would take it, `coluber` being the program under test."""
    environment = {**os.environ, "PATH": f"{folder}/.bin:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    return done.returncode, done.stderr


def run_server(line, folder):
    """`coluber view` serves until it is told to stop: once its address is there, Ctrl-C."""
    server = subprocess.Popen(
        [COLUBER, *shlex.split(line, comments=True)[1:], "--no-open"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    address = server.stdout.readline()  # empty when it ends without one
    if address:
        server.send_signal(signal.SIGINT)
    _, stderr = server.communicate(timeout=60)
    return (server.returncode if address else server.returncode or 1), stderr


def run_python(text, folder):
    environment = {**os.environ, "PATH": f"{folder}/.bin:{os.environ['PATH']}"}
    done = subprocess.run([sys.executable, "-"], input=text, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stderr


def check_blocks(page, folder):
    where = page.relative_to(SOURCE)
    python = ""
    for number, language, text, not_run in blocks(page):
        if not_run:
            kept_back.append(f"{where}:{number}: {language}: {not_run}")
            continue
        if language == "sh":
            for line in text.replace("\\\n", " ").splitlines():
                line = line.strip().removeprefix("$ ")
                if not line or line.startswith("#"):
                    continue
                code, stderr = run_server(line, folder) if line.startswith("coluber view") else run_line(line, folder)
                check(f"{where}: `{line}` works", code == 0, f"exit code {code}: {stderr.strip()[-400:]}")
                ran["sh"] += 1
        elif language == "python":
            python += text
            code, stderr = run_python(python, folder)
            check(f"{where}:{number}: the Python there works", code == 0, f"exit code {code}: {stderr.strip()[-800:]}")
            ran["python"] += 1
        elif language == "matlab":
            check(f"{where}:{number}: MATLAB, which nobody here can run, says so", False, "write <!-- not run: … --> above it")
        else:
            shown = re.search(r"^(\$ |coluber |python3? |>>> )", text, flags=re.M)
            check(f"{where}:{number}: commands stand in a block that is run, sh or python", not shown and language not in ("bash", "shell", "console", "py"),
                  f"{language!r}: {text[:200]}")


ran = {"sh": 0, "python": 0}
kept_back = []
check(f"there is a program to run the commands with ({COLUBER})", os.access(COLUBER, os.X_OK))
for page in pages():
    check_links(page)
    if page.match("docs/theory-*.md"):
        check_equation_map(page, tests_there())
    shown_to_users = page == SOURCE / "README.md" or {SOURCE / "docs", SOURCE / "examples"} & set(page.parents)
    if not shown_to_users or not os.access(COLUBER, os.X_OK):
        continue
    with tempfile.TemporaryDirectory(prefix="coluber-docs-") as name:
        for tree in ("scenarios", "reproduce", "examples", "completions"):
            (Path(name) / tree).symlink_to(SOURCE / tree)
        (Path(name) / ".bin").mkdir()
        (Path(name) / ".bin" / "coluber").symlink_to(COLUBER)
        check_blocks(page, name)
check("there are commands and Python to run", min(ran.values()) > 0, ran)
print(f"ran {ran['sh']} lines of shell and {ran['python']} blocks of Python; not run, as they say themselves: {len(kept_back)}")
print("".join(f"  {each}\n" for each in kept_back), end="")
finish()
