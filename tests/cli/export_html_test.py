#!/usr/bin/python3
"""`coluber export --to html|png` and the replay.html of a run: one page, safe against what the files say.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import base64
import html.parser
import json
import math
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import zlib
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish

FIXTURES = SOURCE / "viewer" / "tests" / "fixtures"
STAND_IN = "<!doctype html>\n<html><head><title>page</title><!--COLUBER_DATA--></head><body>page</body></html>\n"


def coluber(*words, **more):
    return subprocess.run([COLUBER, *map(str, words)], capture_output=True, text=True, timeout=300, **more)


class Scripts(html.parser.HTMLParser):
    """What a browser takes for scripts, by id."""

    def __init__(self, text):
        super().__init__()
        self.found, self.names, self.open, self.metas = {}, {}, None, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "script":
            self.open = dict(attributes)
            self.found[self.open.get("id")] = (self.open.get("type"), "")
            self.names[self.open.get("id")] = self.open.get("data-name")
        if tag == "meta":
            self.metas.append(dict(attributes))

    def handle_endtag(self, tag):
        if tag == "script":
            self.open = None

    def handle_data(self, text):
        if self.open is not None:
            kind, before = self.found[self.open.get("id")]
            self.found[self.open.get("id")] = (kind, before + text)


def unpack(data, frames):
    """The numbers by column, from the description of the format."""
    columns = data["columns"]
    count = frames * len(columns)
    planes = zlib.decompress(base64.b64decode(data["bytes"], validate=True), -15)
    assert len(planes) == 2 * count
    result = []
    for c, column in enumerate(columns):
        level, numbers = 0, []
        for k in range(c * frames, (c + 1) * frames):
            level = (level + planes[k] + 256 * planes[count + k]) % 65536
            numbers.append(math.nan if level == 65535 else column["min"] + column["step"] * level)
        result.append(numbers)
    return result


def fixture(folder):
    folder.mkdir()
    for file in ("run.json", "replay.json", "replay.bin"):
        shutil.copy(FIXTURES / file, folder / file)
    return folder


def test_the_page(tmp, environment):
    run = fixture(tmp / "run")
    done = coluber("export", run, "--to", "html", env=environment)
    page = run / "replay.html"
    check("export exits 0 and prints the file", done.returncode == 0 and done.stdout == f"{page}\n", done)
    check("the size of the data is stated", "data" in done.stderr and "float32" in done.stderr, done.stderr)
    text = page.read_text()
    scripts = Scripts(text)
    check("one script element carries the run", list(scripts.found) == ["coluber-run"] and scripts.found["coluber-run"][0] == "application/json", scripts.found.keys())
    before, after = STAND_IN.split("<!--COLUBER_DATA-->")
    check("the rest of the page is the viewer's", text.startswith(before) and text.endswith(after))
    check("the page may fetch nothing", any("default-src 'none'" in m.get("content", "") and "connect-src" not in m.get("content", "") for m in scripts.metas), scripts.metas)
    packed = json.loads(scripts.found["coluber-run"][1])
    header = json.loads((run / "replay.json").read_text())
    known = json.loads((run / "run.json").read_text())
    planes = zlib.decompress(base64.b64decode(packed["data"]["time"], validate=True), -15)
    bits, times = 0, []
    for k in range(header["frames"]):
        bits = (bits + sum(planes[b * header["frames"] + k] << 8 * b for b in range(4))) % 2**32
        times.append(bits)
    column = next(f["offset"] for f in header["fields"] if f["name"] == "time")
    words = struct.unpack(f"<{header['frames'] * header['floats_per_frame']}I", (run / "replay.bin").read_bytes())
    check("time comes back to the last bit", times == list(words[column :: header["floats_per_frame"]]), times[:4])
    check("replay.json is in it", packed["replay"] == header)
    check("title, scenario and figures of the run are in it", packed["run"]["title"] == known["title"] and packed["run"]["scenario"] == known["scenario"]["resolved"] and packed["run"]["summary"] == known["summary"])
    check("no path of this machine is in it", known["scenario"]["path"] not in text or known["scenario"]["path"] == "three_links.toml")
    frames, width = header["frames"], header["floats_per_frame"]
    raw = struct.unpack(f"<{frames * width}f", (run / "replay.bin").read_bytes())
    worst, nans = 0.0, 0
    for c, numbers in enumerate(unpack(packed["data"], frames)):
        step = packed["data"]["columns"][c]["step"]
        for k, number in enumerate(numbers):
            true = raw[k * width + c]
            if math.isnan(true) or math.isnan(number):
                nans += 1
                worst = max(worst, 0.0 if math.isnan(true) and math.isnan(number) else math.inf)
            elif number != true:
                worst = max(worst, abs(number - true) / step)
    # half a step, with room for the rounding of the division
    check("every number comes back within half a step, NaN as NaN", worst <= 0.5 + 1e-6 and nans > 0, (worst, nans))
    check("the fixture of the viewer's tests is what this program writes", json.loads((FIXTURES / "packed.json").read_text()) == packed)
    other = coluber("export", run, "--to", "html", "-o", tmp / "other.html", env=environment)
    check("-o chooses the file, the same run gives the same bytes", other.returncode == 0 and (tmp / "other.html").read_bytes() == page.read_bytes())


def test_two_runs(tmp, environment):
    first, second = fixture(tmp / "one"), fixture(tmp / "an \"other\" & <b>")
    before = sorted(p.name for p in first.iterdir())
    done = coluber("export", first, second, "--to", "html", env=environment)
    page = first / f"replay-and-{second.name}.html"
    check("two runs go into one page, beside the first run's own", done.returncode == 0 and done.stdout == f"{page}\n" and sorted(p.name for p in first.iterdir()) == sorted([*before, page.name]), done)
    scripts = Scripts(page.read_text())
    check("each has an element with its name", list(scripts.found) == ["coluber-run", "coluber-run-2"] and scripts.names == {"coluber-run": "one", "coluber-run-2": second.name}, scripts.names)
    alone = coluber("export", first, "--to", "html", "-o", tmp / "alone.html", env=environment)
    single = Scripts((tmp / "alone.html").read_text()).found["coluber-run"]
    check("each as in a page of its own", alone.returncode == 0 and list(scripts.found.values()) == [single, single])
    check("the page may fetch nothing", any("default-src 'none'" in m.get("content", "") and "connect-src" not in m.get("content", "") for m in scripts.metas), scripts.metas)
    done = coluber("export", first, second, "--to", "html", "-o", tmp / "two.html", env=environment)
    check("-o chooses its file", done.returncode == 0 and (tmp / "two.html").read_bytes() == page.read_bytes(), done)
    for words, code in (((first, second, "--to", "png"), 2), ((first, second, first, "--to", "html"), 2), ((first, tmp / "nowhere", "--to", "html"), 3)):
        done = coluber("export", *words, "-o", tmp / "none.html", env=environment)
        check(f"{len(words) - 2} runs --to {words[-1]}: exit {code}", done.returncode == code and not (tmp / "none.html").exists(), done)
    done = coluber("export", first, second, "--to", "html", "-o", tmp / "none.html", env=environment | {"COLUBER_PAGE_LIMIT": "0"})
    check("two runs too large for a page are refused, exit 1", done.returncode == 1 and "these runs" in done.stderr and not (tmp / "none.html").exists(), done)


def test_hostile_names(tmp, environment):
    run = fixture(tmp / "hostile")
    evil = "</script><script>alert('1')</script><!--<script>\u2028\"&amp;"
    for file in ("run.json", "replay.json"):
        known = json.loads((run / file).read_text())
        known["title"] = evil
        if file == "replay.json":
            for field in known["fields"]:
                if field["body"] == known["bodies"][0]["name"]:
                    field["body"] = evil
            known["bodies"][0]["name"] = evil
            known["fields"][0]["label"] = evil
        (run / file).write_text(json.dumps(known))
    check("hostile names export", coluber("export", run, "--to", "html", env=environment).returncode == 0)
    text = (run / "replay.html").read_text()
    scripts = Scripts(text)
    packed = json.loads(scripts.found["coluber-run"][1])
    check("a title that ends the script element stays a title", list(scripts.found) == ["coluber-run"] and packed["run"]["title"] == evil and packed["replay"]["title"] == evil, list(scripts.found))
    check("names of bodies and fields stay names", packed["replay"]["bodies"][0]["name"] == evil and packed["replay"]["fields"][0]["label"] == evil)
    check("the page has no script element of theirs", text.count("<script") == 1 and "<!--" not in text)


def test_refusals(tmp, environment):
    run = fixture(tmp / "broken")
    (tmp / "bare").mkdir()
    bare = environment | {"COLUBER_DATA": str(tmp / "bare")}
    done = coluber("export", run, "--to", "html", env=bare)
    check("without the viewer's page it says what to do", done.returncode == 1 and "script/bootstrap" in done.stderr and done.stdout == "" and not (run / "replay.html").exists(), done)
    (tmp / "old" / "viewer").mkdir(parents=True)
    (tmp / "old" / "viewer" / "viewer.html").write_text("<html></html>")
    done = coluber("export", run, "--to", "html", env=environment | {"COLUBER_DATA": str(tmp / "old")})
    check("a page without the place for data is refused", done.returncode == 1 and "COLUBER_DATA" in done.stderr, done)
    header = (run / "replay.json").read_text()
    data = (run / "replay.bin").read_bytes()
    spoilt = {
        "a field beyond its frame": (lambda h: h["fields"][2].update(offset=1000000), "a frame has only"),
        "a field that wraps around": (lambda h: h["fields"][2].update(offset=2**64 - 3), "a frame has only"),
        "a field of no floats": (lambda h: h["fields"][2].update(count=0), "no place in a frame"),
        "a pose of six numbers": (lambda h: h["fields"][1].update(count=6), "a pose has 7"),
        "a field of no body": (lambda h: h["fields"][1].update(body="wheel"), "which is not a body"),
        "a field that is no object": (lambda h: h["fields"].append(7), "no name"),
        "a body without a shape": (lambda h: h["bodies"][0].pop("shape"), "no shape"),
        "a negative size": (lambda h: h["bodies"][0].update(size=[-1]), "list of lengths"),
        "half a pose": (lambda h: h["bodies"][3].update(pose=[0, 0, 0]), "seven numbers"),
        "no rate": (lambda h: h.update(rate_hz=0), "rate_hz"),
        "no bodies": (lambda h: h.pop("bodies"), "list of bodies"),
    }
    for what, (spoil, words) in spoilt.items():
        known = json.loads(header)
        spoil(known)
        (run / "replay.json").write_text(json.dumps(known))
        for to in ("html", "png"):
            done = coluber("export", run, "--to", to, env=environment)
            check(f"{what} exits 3 before {to} is written", done.returncode == 3 and words in done.stderr and "replay.json" in done.stderr and not (run / f"replay.{to}").exists(), done)
    (run / "replay.json").write_text(header)
    (run / "replay.bin").write_bytes(struct.pack("<f", math.nan) + data[4:])
    done = coluber("export", run, "--to", "html", env=environment)
    check("time that is not a number exits 3", done.returncode == 3 and "frame 1" in done.stderr, done)
    (run / "replay.bin").write_bytes(data[:-10])
    done = coluber("export", run, "--to", "html", env=environment)
    check("data cut short exit 3", done.returncode == 3 and "replay.bin" in done.stderr and not (run / "replay.html").exists(), done)
    (run / "replay.json").write_text("{")
    check("a damaged replay.json exits 3", coluber("export", run, "--to", "html", env=environment).returncode == 3)
    check("a folder that is not there exits 3", coluber("export", tmp / "nowhere", "--to", "html", env=environment).returncode == 3)
    check("a format that does not exist exits 2", coluber("export", run, "--to", "pdf", env=environment).returncode == 2)
    check("--time without png exits 2", coluber("export", run, "--to", "html", "--time", "1", env=environment).returncode == 2)
    check("--view without png exits 2", coluber("export", run, "--to", "html", "--view", "cam=top", env=environment).returncode == 2)
    done = coluber("export", run, "--to", "png", "--view", 'cam=top" --x', env=environment)
    check("a view that is not one exits 2 and shows one", done.returncode == 2 and "cam=top&theme=dark" in done.stderr and done.stdout == "", done)
    good = fixture(tmp / "good")
    done = coluber("export", good, "--to", "html", "-o", tmp / "no" / "such" / "x.html", env=environment)
    check("a file that cannot be written exits 1", done.returncode == 1 and "x.html" in done.stderr, done)
    (tmp / "bin").mkdir()
    done = coluber("export", good, "--to", "png", env=environment | {"PATH": str(tmp / "bin")})
    check("png without chromium says so and exits 1", done.returncode == 1 and "chromium" in done.stderr and done.stdout == "" and not (good / "replay.png").exists(), done)


def fake_chromium(folder, script):
    """A folder for PATH whose chromium is a shell script."""
    folder.mkdir()
    (folder / "chromium").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "chromium").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_what_chromium_is_asked(tmp, environment):
    run = fixture(tmp / "asked")
    scratch = tmp / "a #b%20c"
    scratch.mkdir()
    # the words it was given; then a picture, and the page as it would look when all went well
    script = f"""printf '%s\\n' "$@" > {tmp}/words
for word; do case $word in --screenshot=*) printf '\\211PNG\\r\\n\\032\\n%040d' 0 > "${{word#--screenshot=}}";; esac; done
printf '%s' "$SHOWN" """
    path = fake_chromium(tmp / "asking", script)
    good = '<!DOCTYPE html>\n<html lang="en" data-ready="yes"><head></head></html>'
    base = environment | {"PATH": path, "TMPDIR": str(scratch), "SHOWN": good}

    def asked(*words):
        done = coluber("export", run, "--to", "png", "-o", tmp / "asked.png", *words, env=base)
        return done, (tmp / "words").read_text().splitlines()[-1]

    for words, state in (
        ((), "still=1"),
        (("--time", "0.3"), "t=0.3&still=1"),
        (("--view", "cam=top"), "cam=top&still=1"),
        (("--time", "0.3", "--view", "t=0.1&cam=top"), "t=0.3&t=0.1&cam=top&still=1"),
    ):
        done, address = asked(*words)
        check(f"{' '.join(words) or 'nothing'} is asked for as #{state}", done.returncode == 0 and address.partition("#")[2] == state, (done, address))
    check("odd letters in the folder's name are encoded in the address", address.startswith(f"file://{tmp}/a%20%23b%2520c/coluber-"), address)
    check("the scratch folder is gone", list(scratch.iterdir()) == [])
    (tmp / "asked.png").unlink()
    done, _ = asked("--time", "99")
    check("a moment after the end exits 3, says when that is, and draws nothing", done.returncode == 3
          and re.search(r"--time 99 is after the end of the run, [\d.]+ s\n  hint: for example  --time", done.stderr)
          and done.stdout == "" and not (tmp / "asked.png").exists() and list(scratch.iterdir()) == [], done)
    done, _ = asked("--view", "cam=top&t=99")
    check("… also where the view names it", done.returncode == 3 and re.search(r"--view t=99 is after the end of the run, [\d.]+ s\n  hint: for example  --time", done.stderr)
          and done.stdout == "" and not (tmp / "asked.png").exists(), done)
    refused = '<html lang="en" data-refused="trails: there is no &quot;a&amp;b&lt;&quot;" data-known="link_1, link_2" data-ready="yes"><head>'
    done = coluber("export", run, "--to", "png", "-o", tmp / "asked.png", "--view", "trails=a%26b%3C", env=base | {"SHOWN": refused})
    check("a view that names what the run does not have exits 2, says what it has, and leaves no picture", done.returncode == 2
          and done.stderr == 'error: --view: trails: there is no "a&b<"\n  hint: link_1, link_2\n' and done.stdout == "" and not (tmp / "asked.png").exists(), done)
    for what, shown, words in (
        ("shows a fault", '<html lang="en" data-fault="Time runs backwards."><head>', "Time runs backwards."),
        ("is not ready", '<html lang="en"><head>', "not ready"),
        ("writes nothing", "", "not ready"),
    ):
        done = coluber("export", run, "--to", "png", "-o", tmp / "asked.png", env=base | {"SHOWN": shown})
        check(f"a page that {what} makes no picture: exit 1", done.returncode == 1 and words in done.stderr and done.stdout == "" and not (tmp / "asked.png").exists(), done)


def test_interrupted(tmp, environment):
    run = fixture(tmp / "interrupted")
    for number in (signal.SIGINT, signal.SIGTERM):
        scratch = tmp / f"scratch-{number}"
        scratch.mkdir()
        # with a child of its own, as a browser has
        path = fake_chromium(tmp / f"sleeping-{number}", f"sleep 300 & echo $! > {tmp}/child.part; mv {tmp}/child.part {tmp}/child; wait")
        process = subprocess.Popen(
            [COLUBER, "export", str(run), "--to", "png"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment | {"PATH": path, "TMPDIR": str(scratch)}
        )
        end = time.monotonic() + 60
        while not (tmp / "child").exists() and time.monotonic() < end:
            time.sleep(0.02)
        child = int((tmp / "child").read_text())
        process.send_signal(number)
        output = process.communicate(timeout=60)[0]
        name = signal.Signals(number).name
        check(f"{name} ends export --to png with 130", process.returncode == 130 and output == b"", process.returncode)
        status = Path(f"/proc/{child}/stat")
        end = time.monotonic() + 10
        while status.exists() and status.read_text().split()[2] != "Z" and time.monotonic() < end:
            time.sleep(0.02)
        check(f"{name}: the browser's children are gone", not status.exists() or status.read_text().split()[2] == "Z", child)
        check(f"{name}: the scratch folder is gone and there is no picture", list(scratch.iterdir()) == [] and not (run / "replay.png").exists(), list(scratch.iterdir()))
        (tmp / "child").unlink()


def test_run_writes_the_page(tmp, environment):
    scenario = FIXTURES / "three_links.toml"
    done = coluber("run", scenario, "--out", tmp / "new", env=environment)
    check("a run leaves replay.html and names it", done.returncode == 0 and (tmp / "new/replay.html").exists() and "replay.html" in done.stderr, done)
    done = coluber("run", scenario, "--out", tmp / "new", "--force", "-q", env=environment | {"COLUBER_DATA": str(tmp / "bare")})
    check("a run replaced without the viewer's page keeps no old replay.html", done.returncode == 0 and not (tmp / "new/replay.html").exists(), done)


def test_a_page_has_a_largest_size(tmp, environment):
    run = tmp / "large"
    done = coluber("run", SOURCE / "scenarios/aiko_course.toml", "--out", run, "--set", "solver.dt=5e-4", "--set", "record.rate_hz=2000", env=environment | {"COLUBER_PAGE_LIMIT": "1"})
    check("a run whose page would be too large completes without it", done.returncode == 0 and not (run / "replay.html").exists()
          and json.loads((run / "run.json").read_text())["status"] == "completed", done)
    check("… and says why, and how to see it", re.search(r"warning: there is no replay\.html: a page of this run would have .*MB.* more than 1\.0 MB", done.stderr)
          and f"coluber view {run}" in done.stderr, done.stderr)
    check("… and what makes it smaller", "; a smaller record.rate_hz makes it smaller; COLUBER_PAGE_LIMIT=N" in done.stderr, done.stderr)
    done = coluber("export", run, "--to", "html", env=environment | {"COLUBER_PAGE_LIMIT": "1"})
    check("export --to html of it exits 1 and says the same", done.returncode == 1 and "coluber view" in done.stderr and not (run / "replay.html").exists(), done)
    done = coluber("export", run, "--to", "html", env=environment)
    check("with the usual limit it is written", done.returncode == 0 and (run / "replay.html").stat().st_size > 1_000_000, done)
    many = tmp / "many"
    coluber("run", SOURCE / "scenarios/aiko_floor.toml", "--out", many, "--duration", "0.002", "--set", "robot.links=5000", "--set", "start.link=1", "--set", "record.page=whole", "-q", env=environment | {"COLUBER_PAGE_LIMIT": "1"})
    (many / "replay.bin").write_bytes(b"")  # which packing would stumble over
    for words in ([many], [many, many]):
        done = coluber("export", *words, "--to", "html", "-o", tmp / "many.html", env=environment | {"COLUBER_PAGE_LIMIT": "5"})
        check("a page that is too large for its many links is refused before it is packed", done.returncode == 1 and re.search(r"would have at least [\d.]+ MB, more than 5\.0 MB", done.stderr) and not (tmp / "many.html").exists(), done)
        check("… and fewer frames are said not to help", "; fewer links or obstacles make it smaller, fewer frames do not; COLUBER_PAGE_LIMIT=N" in done.stderr and "rate_hz" not in done.stderr, done.stderr)
    for word in ("", "many", "-1", "1e3"):
        done = coluber("export", run, "--to", "html", env=environment | {"COLUBER_PAGE_LIMIT": word})
        check(f"a limit of {word!r} exits 3", done.returncode == 3 and "COLUBER_PAGE_LIMIT" in done.stderr, done)


def test_picture(tmp):
    """With chromium and the real page only."""
    if shutil.which("chromium") is None or not (SOURCE / "viewer/dist/viewer.html").exists():
        print("no chromium or no viewer/dist/viewer.html: pictures are not tested")
        return
    run = fixture(tmp / "picture")
    pictures = []
    for moment in ("0", "0.4"):
        done = coluber("export", run, "--to", "png", "--time", moment, "-o", tmp / f"{moment}.png")
        check(f"png at {moment} s is written", done.returncode == 0 and (tmp / f"{moment}.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n", done)
        if done.returncode == 0:
            pictures.append((tmp / f"{moment}.png").read_bytes())
            check("it is 1280 × 720", struct.unpack(">II", pictures[-1][16:24]) == (1280, 720), struct.unpack(">II", pictures[-1][16:24]))
    check("two moments are two pictures", len(set(pictures)) == 2)
    done = coluber("export", run, "--to", "png", "--view", "cam=top&theme=dark", "-o", tmp / "dark.png")
    check("another view is another picture", done.returncode == 0 and (tmp / "dark.png").read_bytes() not in pictures, done)
    done = coluber("export", run, "--to", "png", "--view", "plot=joint_torque&series=1,2&trails=link_1,link_3&forces=1&colour=&vectors=&speed=0.25&arrow=-0.5", "-o", tmp / "named.png")
    check("names that the run has are taken", done.returncode == 0 and (tmp / "named.png").exists(), done)
    done = coluber("export", run, "--to", "png", "--view", "plot=joint_torque&series=1,77", "-o", tmp / "none.png")
    check("a name that it does not have exits 2 without a picture", done.returncode == 2 and not (tmp / "none.png").exists()
          and done.stderr == 'error: --view: series: there is no "77"\n  hint: joint_torque has 1, 2\n', done)
    (run / "run.json").write_text(json.dumps(json.loads((run / "run.json").read_text()) | {"summary": {"distance": 1}, "scenario": {"resolved": {"world": [1]}}}))
    done = coluber("export", run, "--to", "png", "-o", tmp / "odd.png")
    check("an odd run.json is no reason for no picture", done.returncode == 0, done)


def main():
    with tempfile.TemporaryDirectory() as folder:
        tmp = Path(folder)
        (tmp / "data" / "viewer").mkdir(parents=True)
        (tmp / "data" / "viewer" / "viewer.html").write_text(STAND_IN)
        environment = os.environ | {"COLUBER_DATA": str(tmp / "data")}
        test_the_page(tmp, environment)
        test_two_runs(tmp, environment)
        test_hostile_names(tmp, environment)
        test_refusals(tmp, environment)
        test_what_chromium_is_asked(tmp, environment)
        test_a_page_has_a_largest_size(tmp, environment)
        test_interrupted(tmp, environment)
        test_run_writes_the_page(tmp, environment)
        test_picture(tmp)
    finish()


if __name__ == "__main__":
    main()
