#!/usr/bin/python3
"""The documentation tells the truth: links lead somewhere, and the commands it shows work.

Every relative link and picture of every .md file must exist (and, with #anchor, its heading). Every
`coluber …` command in a ```sh block of README.md, docs/ and examples/ is run, page by page in the order of
the page, in a temporary folder that holds scenarios/ and reproduce/, and must exit 0.
Prints `N passed, M failed` last; the program is $COLUBER.
"""

import os
import re
import shlex
import signal
import subprocess
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


def commands(page):
    for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(), flags=re.S | re.M):
        for line in block.replace("\\\n", " ").splitlines():
            line = line.strip().removeprefix("$ ")
            if line.startswith("coluber "):
                yield shlex.split(line, comments=True)


def run_command(words, folder):
    done = subprocess.run([COLUBER, *words[1:]], cwd=folder, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    return done.returncode, done.stderr


def run_server(words, folder):
    """`coluber view` serves until it is told to stop: once its address is there, Ctrl-C."""
    server = subprocess.Popen(
        [COLUBER, *words[1:], "--no-open"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
    )
    address = server.stdout.readline()  # empty when it ends without one
    if address:
        server.send_signal(signal.SIGINT)
    _, stderr = server.communicate(timeout=60)
    return (server.returncode if address else server.returncode or 1), stderr


def check_commands(page):
    shown = list(commands(page))
    if not shown or not os.access(COLUBER, os.X_OK):
        return
    with tempfile.TemporaryDirectory(prefix="coluber-docs-") as folder:
        for name in ("scenarios", "reproduce", "examples"):
            (Path(folder) / name).symlink_to(SOURCE / name)
        for words in shown:
            code, stderr = run_server(words, folder) if words[1] == "view" else run_command(words, folder)
            check(
                f"{page.relative_to(SOURCE)}: `{shlex.join(words)}` works",
                code == 0,
                f"exit code {code}: {stderr.strip()[-400:]}",
            )


check(f"there is a program to run the commands with ({COLUBER})", os.access(COLUBER, os.X_OK))
for page in pages():
    check_links(page)
    if page.name == "README.md" or (SOURCE / "docs") in page.parents:
        check_commands(page)
finish()
