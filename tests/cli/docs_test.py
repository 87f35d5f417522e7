#!/usr/bin/python3
"""The documentation tells the truth: links lead somewhere, and the commands it shows work.

Every relative link and picture of every .md file must exist (and, with #anchor, its heading). Every line of every
```sh block and every ```python block of README.md and docs/ is run, page by page in the order of the page, in a
temporary folder that holds scenarios/, reproduce/ and examples/, and must exit 0. A Python block may use what those
above it on its page have defined. A block that imports coluber, and those below it on its page, are run by
tests/python/test_docs.py, which has the package and must name the page. A block that is not to be run says so, and why, in the line above it:
<!-- not run: … -->. MATLAB always does. A block under a line that says "Save this as `name`" is written into that file.
Every test that an equation map of docs/theory-*.md names must be in tests/. So must be every test that any page names
as `Suite.Name`, and every file of the source tree that a page names must exist. No line is longer than 120
characters, and words that readers stumbled over do not come back.
Without a program ($COLUBER is not there), all but the commands is checked, and that counts as one failure.
Prints `N passed, M failed` last; the program is $COLUBER.
"""

import ast
import builtins
import fnmatch
import functools
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
    targets += re.findall(r"^\[[^\]]+\]: (\S+)$", text, flags=re.M)
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
    pattern = re.compile(r"\b(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)")
    sources = (SOURCE / "tests").rglob("*.cpp")
    return {f"{suite}.{name}" for source in sources for suite, name in pattern.findall(source.read_text())}


def tree():
    """Every file and folder of the source tree, as a path from its top."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=SOURCE, capture_output=True, text=True
    ).stdout.split()
    if not listed:  # an unpacked archive
        listed = [str(p.relative_to(SOURCE)) for p in SOURCE.rglob("*") if p.is_file()]
    files = {name for name in listed if (SOURCE / name).exists()}
    folders = {str(parent) for name in files for parent in Path(name).parents}
    return files | folders


# Folders of the source tree that pages name files of. A name with <…> or * stands for any that fits.
FOLDERS = "apps|benchmarks|cmake|completions|docs|examples|fuzz|include|python|reproduce|scenarios|script|src|tests|viewer"
NAMED_FILE = re.compile(rf"(?<![\w./*<>:-])((?:\.ci/|(?:{FOLDERS})/)[\w./*<>-]*[\w*>/])")
INCLUDED = re.compile(r"#include [<\"](coluber/[^>\"]+)[>\"]")
SOURCE_FILE = re.compile(r"`([\w*]+\.(?:cpp|hpp|inl|py|ts|cff|cmake))`")
NAMED_TEST = re.compile(r"`([A-Z][A-Za-z0-9]+\.(?:[A-Z]\w*\*?|\*))`")
NAMED_TYPE = re.compile(r"`(?:\w+::)*([A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)?)`")
# made by the build or by installing
GENERATED = {"include/coluber/core/version.hpp", "viewer/dist/viewer.html", "viewer/viewer.html"}
# pages that the program writes and other tests compare: docs/keys.md (list_check_test.py), docs/errors.md (bad_input_test.py)
WRITTEN_BY_PROGRAM = {"docs/keys.md", "docs/errors.md"}
# types of other packages that pages name, besides Python's own exceptions
TYPES_OF_OTHERS = {"AsyncVectorEnv": "Gymnasium", "MjData": "MuJoCo", "MjModel": "MuJoCo"}
PYTHON_EXCEPTIONS = {
    name for name, it in vars(builtins).items() if isinstance(it, type) and issubclass(it, BaseException)
}


@functools.cache
def words_of_sources():
    """Every word of the C++ sources and of the Python package."""
    folders = ("apps", "benchmarks", "examples", "include", "src", "tests")
    sources = [p for folder in folders for p in (SOURCE / folder).rglob("*") if p.suffix in (".cpp", ".hpp", ".inl")]
    sources += [p for p in (SOURCE / "python").rglob("*") if p.suffix in (".cpp", ".hpp", ".py", ".pyi")]
    return {word for source in sources for word in re.findall(r"\w+", source.read_text())}


def check_names(page, there, files):
    """The tests and files that a page names are there."""
    where = page.relative_to(SOURCE)
    text = re.sub(r"\]\([^)]*\)", "]", page.read_text())  # links are checked by themselves
    for name in sorted(set(NAMED_TEST.findall(text))):
        check(f"{where}: the test {name} exists", bool(fnmatch.filter(there, name)), "nothing in tests/ is called that")
    named = set(NAMED_FILE.findall(text)) | {f"include/{name}" for name in INCLUDED.findall(text)}
    for name in sorted(named):
        pattern = re.sub(r"<[^>]*>", "*", name).rstrip("/")
        found = pattern in files or pattern in GENERATED or bool(fnmatch.filter(files, pattern))
        check(f"{where}: the file {name} exists", found, "it is not in the source tree")
    last_names = {Path(name).name for name in files}
    for name in sorted(set(SOURCE_FILE.findall(text))):
        check(f"{where}: the file {name} exists", bool(fnmatch.filter(last_names, name)), "no file is called that")
    for name in sorted(set(NAMED_TYPE.findall(text))):
        exists = name in words_of_sources() or name in PYTHON_EXCEPTIONS or name in TYPES_OF_OTHERS
        check(f"{where}: the type or test suite {name} exists", exists, "no source file has the word")


# Each with what to write instead. Only phrases that are wrong wherever they stand.
COUNTED = (
    "steps?|sweeps?|points?|velocities|numbers|instructions|minutes|times|axes|entries|rows|lines|loads|gains|passes|"
    "metres|millimetres|micrometres|nanometres|degrees|iterations|programs?|files?|one|[µnm]?s|us|[µnm]?m"
)
THINGS = "link|joint|step|second|frame|point|pass|quantity|entry|label|line|row|key|module|subcommand|scene|name"
STUMBLED_OVER = [
    (rf"\b(?:{COUNTED}) an? (?:{THINGS})\b(?!'s| (?:of|that|which|is|to|in|on|has|was)\b)", '"per link", "per step"'),
    (r"\b(?:same|the last) bits?\b|\bto the bit\b", '"bit-identical"'),
    (r"\bknows? (?:of )?no\b|\bknows? nothing of\b", '"does not model", "does not support"'),
    (r"\bg(?:o|oes|oing) on\b", '"continues"'),
    (r"\bt(?:ake|akes|aken|ook) away\b", '"removes"'),
    (r"\btalking is\b|\bis the program's job\b", "what is where"),
    (r"\bA failed step\*{0,2} is none\b", '"A failed step leaves the state unchanged"'),
]
LONGEST_LINE = 120


def check_words(page):
    """Short lines, and none of the phrases above."""
    where = page.relative_to(SOURCE)
    # tables of `benchmarks/peers/run --docs`: as many columns as it measures
    prose = re.sub(r"^<!-- peers: begin -->.*?^<!-- peers: end -->", lambda m: "\n" * m.group().count("\n"),
                   page.read_text(), flags=re.S | re.M)
    lines = enumerate(prose.splitlines(), 1)
    long = [f"line {number}, {len(line)}: {line[:60]}…" for number, line in lines if len(line) > LONGEST_LINE]
    check(f"{where}: lines have at most {LONGEST_LINE} characters", not long, "\n      ".join(long))
    words = re.sub(r"\s+", " ", without_code(prose))
    for pattern, instead in STUMBLED_OVER:
        seen = [f"…{words[max(0, m.start() - 40):m.end() + 20]}…" for m in re.finditer(pattern, words)]
        check(f"{where}: plain words: {instead}", not seen, "\n      ".join(seen))


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
    """Each code block as (line, language, text, why it is not run or None, the file it is to be saved as or None)."""
    found = []
    start, language, lines, above, before = 0, None, [], "", ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if language is not None and line.startswith("```"):
            why = re.fullmatch(r"<!-- not run: (.+) -->", above.strip())
            saved = re.search(r"\bSave this as `([\w-]+\.\w+)`", before)
            found.append((start, language, "".join(each + "\n" for each in lines), why and why.group(1), saved and saved.group(1)))
            language = None
            above = before = ""
        elif language is not None:
            lines.append(line)
        elif line.startswith("```"):
            start, language, lines = number, line[3:].strip(), []
        else:
            above = line
            before = line if line.strip() else before
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


def imports_coluber(text):
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except SyntaxError:  # running it will say so
        return False
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return any(name.split(".")[0] == "coluber" for name in names)


@functools.cache
def pages_of_python_tests():
    """The pages whose Python blocks tests/python runs, all of them: those its test is parametrised with."""
    path = SOURCE / "tests/python/test_docs.py"
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    lists = [call.args[1] for call in calls
             if ast.unparse(call.func) == "pytest.mark.parametrize" and ast.literal_eval(call.args[0]) == "page"]
    return {page for pages in lists for page in ast.literal_eval(pages)}


def check_blocks(page, folder):
    where = page.relative_to(SOURCE)
    python = ""
    needs_package = False  # from the first block that imports coluber on
    for number, language, text, not_run, saved in blocks(page):
        if saved:
            (Path(folder) / saved).write_text(text)
            ran["saved"] += 1
            continue
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
        elif language == "python" and (needs_package or imports_coluber(text)):
            needs_package = True
            check(f"{where}:{number}: tests/python runs the Python there", str(where) in pages_of_python_tests(),
                  "name the page in tests/python/test_docs.py")
            ran["tests/python"] += 1
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


ran = {"sh": 0, "python": 0, "saved": 0, "tests/python": 0}
kept_back = []
check(f"there is a program to run the commands with ({COLUBER})", os.access(COLUBER, os.X_OK))
named_files = tree()
named_tests = tests_there()
for page in pages():
    check_links(page)
    if str(page.relative_to(SOURCE)) not in WRITTEN_BY_PROGRAM and SOURCE / "viewer" not in page.parents:
        check_words(page)
        if page != SOURCE / "CHANGELOG.md":  # which names what was
            check_names(page, named_tests, named_files)
    if page.match("docs/theory-*.md"):
        check_equation_map(page, named_tests)
    shown_to_users = page == SOURCE / "README.md" or {SOURCE / "docs", SOURCE / "examples"} & set(page.parents)
    if not shown_to_users or not os.access(COLUBER, os.X_OK):
        continue
    with tempfile.TemporaryDirectory(prefix="coluber-docs-") as name:
        for tree in ("scenarios", "reproduce", "examples", "completions"):
            (Path(name) / tree).symlink_to(SOURCE / tree)
        (Path(name) / ".bin").mkdir()
        (Path(name) / ".bin" / "coluber").symlink_to(COLUBER)
        check_blocks(page, name)
check("there are commands, Python and files to run", min(ran.values()) > 0, ran)
print(f"ran {ran['sh']} lines of shell and {ran['python']} blocks of Python on {ran['saved']} files shown; left to tests/python: {ran['tests/python']} blocks; not run, as they say themselves: {len(kept_back)}")
print("".join(f"  {each}\n" for each in kept_back), end="")
finish()
