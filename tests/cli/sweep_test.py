#!/usr/bin/python3
"""Sweeps on the command line: the same table for any number of threads and parts, kills, disks, folders, bad input.

$COLUBER_SWEEP_KILLS kills by SIGKILL (4; 50 takes some minutes), after numbers of rows drawn from $COLUBER_SWEEP_SEED.
Prints `N passed, M failed` last; the program is $COLUBER.
"""

import csv
import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import zlib
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish

KILLS = int(os.environ.get("COLUBER_SWEEP_KILLS", "4"))
SEED = int(os.environ.get("COLUBER_SWEEP_SEED", "1"))

SHORT = """sweep = 1
base = "aiko_floor"
set = {{ duration = {duration} }}
{top}
"""
SPEED = """
[[measure]]
name = "speed"
of = { name = "mean_velocity", axis = "x", from = 0.0, to = 0.02 }
[[measure]]
name = "torque"
of = { name = "summary", item = "max_torque" }
[goal]
measure = "speed"
towards = "max"
"""


def coluber(*words, **more):
    return subprocess.run([COLUBER, *map(str, words)], capture_output=True, text=True, timeout=600, **more)


def axis(key, **rest):
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in rest.items())
    return f"[[axis]]\nkey = {json.dumps(key)}\n{lines}"


def write(name, body, top="", duration=0.02, base="aiko_floor"):
    text = SHORT.format(duration=duration, top=top).replace("aiko_floor", base) + body
    Path(name).write_text(text)
    return name


def table(folder):
    return (Path(folder) / "results.csv").read_bytes()


def rows(folder):
    with open(Path(folder) / "results.csv", newline="") as file:
        return list(csv.DictReader(file))


def journals(folder):
    return sorted((Path(folder) / "rows").glob("*.jsonl"))


def lines(folder, kind="row"):
    found = []
    for file in journals(folder):
        for line in file.read_bytes().split(b"\n"):
            if len(line) > 10 and int(line[:8], 16) == zlib.crc32(line[9:]):
                content = json.loads(line[9:])
                if content["kind"] == kind:
                    found.append(content)
    return found


MAP = axis("gait.amplitude_deg", **{"from": 10.0, "to": 54.0, "count": 12}) + axis(
    "gait.phase_deg", **{"from": -65.0, "to": -10.0, "step": 5.0}
)
SWEEPS = {
    "gait map": (MAP + SPEED, {}),
    "sobol, latin and uniform by seeds": (
        axis("gait.amplitude_deg", **{"from": 10.0, "to": 50.0, "sample": "sobol"})
        + axis("gait.phase_deg", **{"from": -60.0, "to": -20.0, "sample": "latin"})
        + axis("world.friction.2", **{"from": 0.1, "to": 1.0, "sample": "uniform", "scale": "log"})
        + axis("seed", **{"from": 1, "to": 3, "step": 1})
        + SPEED,
        {"top": "samples = 8\nseed = 5"},
    ),
    "log axis and words": (
        axis("controller.kp", **{"from": 10.0, "to": 1000.0, "count": 5, "scale": "log"})
        + axis("solver.law", values=["anchored", "rigid"])
        + SPEED,
        {},
    ),
    "refusals": (axis("gait.amplitude_deg", **{"from": 30.0, "to": 50.0, "step": 1.0}), {"base": "aiko_course"}),
    "spatial": (axis("gait.amplitude_deg", **{"from": 10.0, "to": 30.0, "count": 5}), {"base": "aiko_spatial_floor"}),
}


def same_table():
    for name, (body, more) in SWEEPS.items():
        file = write("s.toml", body, **more)
        done = coluber("sweep", file, "--out", "one", "-j", 1)
        check(f"{name}: a sweep ends with 0", done.returncode == 0, done.stderr)
        for threads in (2, 7):
            coluber("sweep", file, "--out", f"j{threads}", "-j", threads, "-q")
            check(f"{name}: -j {threads} gives the same bytes", table(f"j{threads}") == table("one"))
        for k in (3, 1, 2):
            done = coluber("sweep", file, "--out", "parts", "--part", f"{k}/3", "-q")
            check(f"{name}: part {k} of 3 ends with 0", done.returncode == 0, done.stderr)
        check(f"{name}: three parts in any order give the same bytes", table("parts") == table("one"))
        coluber("sweep", file, "--out", "mixed", "--part", "2/3", "-q")
        check(f"{name}: no table while parts are missing", not (Path("mixed") / "results.csv").exists())
        for k in (5, 4, 1, 2, 3):
            coluber("sweep", file, "--out", "mixed", "--part", f"{k}/5", "-q")
        check(f"{name}: begun with 3 parts, finished with 5, the same bytes", table("mixed") == table("one"))
        about = json.loads((Path("one") / "sweep.json").read_text())
        count = about["counts"]
        check(f"{name}: sweep.json counts the rows", count["missing"] == 0 and about["status"] == "complete", count)
        check(f"{name}: one line per point", len(rows("one")) == count["points"])
        for folder in ("one", "j2", "j7", "parts", "mixed"):
            shutil.rmtree(folder)


def refusals_name_link_and_peg():
    file = write("s.toml", axis("gait.amplitude_deg", **{"from": 30.0, "to": 50.0, "step": 1.0}), base="aiko_course")
    coluber("sweep", file, "--out", "course", "-q")
    refused = [row for row in rows("course") if row["status"] == "refused"]
    check("13 of 21 amplitudes are refused", len(refused) == 13, len(refused))
    named = [row for row in refused if "link" in row["reason"] and "obstacle" in row["reason"]]
    check("each refusal names link and peg", len(named) == 13, [row["reason"] for row in refused])
    amplitudes = sorted(float(row["gait.amplitude_deg"]) for row in refused)
    check("they are 30 … 33 and 42 … 50", amplitudes == [30, 31, 32, 33, *range(42, 51)], amplitudes)
    done = coluber("check", file)
    check("check counts them", done.returncode == 0 and "13 would be refused" in done.stdout, done.stdout)
    check("check names the points", "point 1: " in done.stdout, done.stdout)
    file = write("s.toml", axis("gait.amplitude_deg", values=[30.0, 31.0]), base="aiko_course")
    done = coluber("sweep", file, "--out", "none", "-q")
    check("with no point completed it ends with 1", done.returncode == 1, done)


def points_are_runs():
    file = write("s.toml", MAP + SPEED)
    coluber("sweep", file, "--out", "map", "-q")
    found = rows("map")
    states = {}
    for k in (1, 17, 60, 144):
        done = coluber("sweep", file, "--out", "map", "--point", k)
        states[k] = found[k - 1]["final_state"]
        check(f"--point {k} has its row's final_state", done.returncode == 0 and states[k] in done.stdout, done.stderr)
        check(f"--point {k} is a run folder", (Path("map/points") / str(k) / "run.json").exists())
    row = found[16]
    done = coluber("run", "aiko_floor", "--out", "direct", "-q", "--set", "duration=0.02",
                   "--set", f"gait.amplitude_deg={row['gait.amplitude_deg']}.0",
                   "--set", f"gait.phase_deg={row['gait.phase_deg']}.0")
    direct = json.loads(Path("direct/run.json").read_text())["summary"]
    check("a point is the run that --set gives", direct["final_state"] == row["final_state"], direct)
    best = max(found, key=lambda r: float(r["speed"]))
    about = json.loads(Path("map/sweep.json").read_text())
    check("best is the best row", about["best"]["point"] == int(best["point"]), about["best"])
    run = json.loads(Path("map/best/run.json").read_text())
    check("best/ is its run folder", run["summary"]["final_state"] == best["final_state"])
    plan = coluber("sweep", file, "--plan").stdout.splitlines()
    check("--plan has a line per point", len(plan) == 145 and plan[0].startswith("point,gait.amplitude_deg"), plan[:2])
    check("--plan has the hashes of the rows", plan[17].endswith(row["hash"]), plan[17])
    for words in (["--point", "0"], ["--point", "145"], ["--point", "x"]):
        check(f"{words} is wrong usage", coluber("sweep", file, *words).returncode in (2,), words)


def set_goes_to_the_base():
    file = write("s.toml", axis("gait.amplitude_deg", values=[30.0, 40.0]) + SPEED)
    coluber("sweep", file, "--out", "plain", "-q")
    coluber("sweep", file, "--out", "longer", "-q", "--set", "duration=0.03")
    steps = {name: rows(name)[0]["steps"] for name in ("plain", "longer")}
    check("--set changes the base scenario", steps == {"plain": "20", "longer": "30"}, steps)
    done = coluber("sweep", file, "--out", "plain", "--resume", "--set", "duration=0.03")
    check("a folder of another base is refused", done.returncode == 3 and "another base" in done.stderr, done.stderr)
    done = coluber("sweep", file, "--out", "bad", "--set", "solver.dtt=1")
    check("a fault of --set is told", done.returncode == 3 and "solver.dt" in done.stderr, done.stderr)


def grows():
    def some(count):
        return write("s.toml", axis("gait.amplitude_deg", **{"from": 10.0, "to": 50.0, "count": count}) + SPEED)

    coluber("sweep", some(9), "--out", "grown", "-q")
    coluber("sweep", some(17), "--out", "grown", "-q", "--resume")
    check("9 → 17 values run only what is new", len(lines("grown")) == 17, len(lines("grown")))
    coluber("sweep", some(17), "--out", "anew", "-q")
    check("the grown table is that of a new sweep", table("grown") == table("anew"))

    def samples(count):
        return write("s.toml", axis("gait.amplitude_deg", **{"from": 10.0, "to": 50.0, "sample": "sobol"}) + SPEED,
                     top=f"samples = {count}")

    coluber("sweep", samples(16), "--out", "sampled", "-q")
    coluber("sweep", samples(64), "--out", "sampled", "-q", "--resume")
    check("16 → 64 Sobol samples run 64 in all", len(lines("sampled")) == 64, len(lines("sampled")))
    more = Path(samples(64)).read_text() + '[[measure]]\nname = "end"\nof = { name = "end_time" }\n'
    Path("s.toml").write_text(more)
    coluber("sweep", "s.toml", "--out", "sampled", "-q", "--resume")
    check("a new measure runs all", len(lines("sampled")) == 128, len(lines("sampled")))
    done = coluber("sweep", "s.toml", "--out", "sampled", "-q", "--resume", "--retry", "completed")
    check("--retry runs rows again", done.returncode == 0 and len(lines("sampled")) == 192, done.stderr)
    about = json.loads(Path("sampled/sweep.json").read_text())
    about["revision"] = "another"
    Path("sampled/sweep.json").write_text(json.dumps(about))
    done = coluber("sweep", "s.toml", "--out", "sampled", "--resume")
    check("rows of another revision are refused", done.returncode == 3 and "another" in done.stderr, done.stderr)


def other_arithmetic():
    file = write("s.toml", axis("gait.amplitude_deg", values=[30.0, 40.0]) + SPEED)
    coluber("sweep", file, "--out", "fused", "-q")
    if json.loads(Path("fused/sweep.json").read_text())["arithmetic"] != "fused":
        return  # a processor without
    more = Path(file).read_text().replace("[30.0, 40.0]", "[30.0, 40.0, 50.0]")
    Path(file).write_text(more)
    env = {**os.environ, "COLUBER_CODE_PATH": "portable"}
    done = coluber("sweep", file, "--out", "fused", "--resume", env=env)
    check("rows of both arithmetics never mix", done.returncode == 1 and "COLUBER_CODE_PATH" in done.stderr, done)


def killed():
    random.seed(SEED)
    body = axis("gait.amplitude_deg", **{"from": 10.0, "to": 50.0, "count": 50}) + axis(
        "gait.phase_deg", **{"from": -60.0, "to": -10.0, "count": 40}
    ) + SPEED
    file = write("s.toml", body)
    coluber("sweep", file, "--out", "calm", "-q")
    kills = 0
    target = 0
    while kills < KILLS:
        done = len(lines("hunted")) if Path("hunted").exists() else 0
        target = done + random.randint(1, max(1, 2000 // (KILLS + 1)))
        with subprocess.Popen([COLUBER, "sweep", file, "--out", "hunted", "--resume", "-q", "-j", "2"]) as process:
            # by bytes of its journal, not by time
            per_row = 500
            before = sum(f.stat().st_size for f in journals("hunted")) if Path("hunted/rows").exists() else 0
            while process.poll() is None:
                size = sum(f.stat().st_size for f in journals("hunted")) if Path("hunted/rows").exists() else 0
                if size - before > (target - done) * per_row:
                    break
                time.sleep(0.001)
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGKILL)
            process.wait()
        kills += 1
    done = coluber("sweep", file, "--out", "hunted", "--resume", "-q")
    check(f"after {kills} kills the sweep completes", done.returncode == 0 and kills > 0, done.stderr)
    check(f"after {kills} kills the table is that of a calm run", table("hunted") == table("calm"))
    hashes = [line["hash"] for line in lines("hunted")]
    check("no row was run twice", len(hashes) == len(set(hashes)) == 2000, len(hashes))


def flipped_and_torn():
    file = write("s.toml", MAP + SPEED)
    coluber("sweep", file, "--out", "whole", "-q")
    for name, damage in {
        "a flipped bit": lambda b: b[: len(b) // 2] + bytes([b[len(b) // 2] ^ 4]) + b[len(b) // 2 + 1 :],
        "a torn end": lambda b: b[: len(b) - 37],
        "half of it": lambda b: b[: len(b) // 2],
        "nothing in it": lambda b: b"",
        "zeros in it": lambda b: b[:1000] + bytes(3000) + b[4000:],
        "no text": lambda b: bytes(range(256)) * 20,
    }.items():
        shutil.rmtree("hurt", ignore_errors=True)
        shutil.copytree("whole", "hurt")
        (journal,) = journals("hurt")
        journal.write_bytes(damage(journal.read_bytes()))
        done = coluber("sweep", file, "--out", "hurt", "--resume", "-q")
        check(f"a journal with {name}: resumed", done.returncode == 0, done.stderr)
        check(f"a journal with {name}: the same table", table("hurt") == table("whole"))


def crashing_points():
    """A process that died with a point in flight leaves a start without a row; a test writes such journals."""
    file = write("s.toml", axis("gait.amplitude_deg", values=[20.0, 30.0, 40.0]) + SPEED)
    coluber("sweep", file, "--out", "full", "-q")
    (journal,) = journals("full")
    kept = journal.read_bytes().split(b"\n")
    victim = rows("full")[1]["hash"]

    def line(content):
        text = json.dumps(content, separators=(",", ":")).encode()
        return b"%08x " % zlib.crc32(text) + text

    def death(number, alone):
        body = [kept[0], line({"kind": "start", "hash": victim, "alone": alone})]
        (Path("dead/rows") / f"all-here-{number}-{number}.jsonl").write_bytes(b"\n".join(body) + b"\n")

    Path("dead/rows").mkdir(parents=True)
    shutil.copy("full/sweep.json", "dead/sweep.json")
    death(1, False)
    death(2, False)
    shutil.copytree("dead", "suspected")
    done = coluber("sweep", file, "--out", "suspected", "--resume")
    check("a point in flight in two deaths runs last and alone", "one at a time" in done.stderr, done.stderr)
    check("alone it may well complete", table("suspected") == table("full"), done.stderr)
    alone = [s for s in lines("suspected", "start") if s.get("alone")]
    check("its start says so", len(alone) == 1 and alone[0]["hash"] == victim, alone)
    death(3, True)
    done = coluber("sweep", file, "--out", "dead", "--resume", "-q")
    status = [row["status"] for row in rows("dead")]
    check("a point that died alone is crashed, all others are right", status == ["completed", "crashed", "completed"], status)
    done = coluber("sweep", file, "--out", "dead", "--retry", "crashed", "-q")
    check("--retry crashed runs it again", done.returncode == 0 and table("dead") == table("full"), done.stderr)


def disk_and_folders():
    file = write("s.toml", MAP + SPEED)
    coluber("sweep", file, "--out", "good", "-q")

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000))

    done = coluber("sweep", file, "--out", "full", "-q", preexec_fn=small)
    check("a full disk ends with 1", done.returncode == 1 and "--resume" in done.stderr, done)
    kept = len(lines("full"))
    check("rows up to there are kept", 10 < kept < 144, kept)
    done = coluber("sweep", file, "--out", "full", "-q", "--resume")
    check("and --resume completes it", done.returncode == 0 and table("full") == table("good"), done.stderr)
    check("without running them again", len(lines("full")) == 144, len(lines("full")))

    Path("locked").mkdir()
    os.chmod("locked", stat.S_IRUSR | stat.S_IXUSR)
    if os.geteuid() != 0:
        done = coluber("sweep", file, "--out", "locked", "-q")
        check("a read-only folder is told", done.returncode == 1, done)
    done = coluber("sweep", file, "--out", "/proc/here", "-q")
    check("a folder that cannot be made is told", done.returncode == 1 and "/proc/here" in done.stderr, done)
    Path("plain.txt").write_text("mine\n")
    done = coluber("sweep", file, "--out", "plain.txt", "-q")
    check("a file is no folder", done.returncode == 2 and Path("plain.txt").read_text() == "mine\n", done)
    done = coluber("sweep", file, "--out", "good", "-q")
    check("a folder with a sweep is not touched without a word", done.returncode == 2 and "--resume" in done.stderr, done)


def own_files_stay():
    file = write("s.toml", axis("gait.amplitude_deg", values=[30.0, 40.0]) + SPEED)
    mine = {"notes.txt": "mine\n", "rows/mine.jsonl": "{}\n", "rows/data.csv": "a\n", "plots/mine.svg": "<svg/>",
            "best/mine.txt": "mine\n", "points/mine.txt": "mine\n"}

    def put(folder, names):
        for name in names:
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(mine.get(name, "mine\n"))

    def intact(folder, names):
        return all((Path(folder) / n).exists() and (Path(folder) / n).read_text() == mine.get(n, "mine\n") for n in names)

    for name in ("results.csv", "timing.csv", "sweep.json"):
        put(f"own-{name}", [name])
        for words in ([], ["--force"], ["--resume"]):
            done = coluber("sweep", file, "--out", f"own-{name}", "-q", *words)
            check(f"a {name} of one's own is refused {words}", done.returncode == 2 and name in done.stderr, done)
            check(f"and stays {words}", intact(f"own-{name}", [name]))
    for text in ('{"format": 3}', '{"format": ["coluber-sweep"]}', "[1]", '"coluber-sweep"', "{"):
        Path("own-json").mkdir(exist_ok=True)
        Path("own-json/sweep.json").write_text(text)
        done = coluber("sweep", file, "--out", "own-json", "-q", "--resume")
        refused = done.returncode == 2 and "Coluber did not write" in done.stderr
        check(f"a sweep.json that holds {text} is refused", refused and "json.exception" not in done.stderr, done)
    coluber("sweep", file, "--out", "odd", "-q")
    for key in ("base_hash", "keys", "version"):
        about = json.loads(Path("odd/sweep.json").read_text())
        Path("odd/sweep.json").write_text(json.dumps({**about, key: 3}))
        done = coluber("sweep", file, "--out", "odd", "-q", "--resume")
        check(f"a number as {key} is told", done.returncode == 3 and "json.exception" not in done.stderr, done)
        Path("odd/sweep.json").write_text(json.dumps(about))
    put("filled", ["notes.txt"])
    done = coluber("sweep", file, "--out", "filled", "-q")
    check("a folder that is not empty asks for --force", done.returncode == 2 and "--force" in done.stderr, done)
    put("mixed", mine)
    coluber("sweep", file, "--out", "mixed", "-q", "--force")
    check("--force keeps files of one's own", intact("mixed", mine))
    check("and makes the table", (Path("mixed") / "results.csv").exists())
    coluber("sweep", file, "--out", "mixed", "-q", "--force")
    check("again too", intact("mixed", mine))
    coluber("sweep", file, "--out", "mixed", "-q", "--resume")
    check("--resume too", intact("mixed", mine))


def parts_begin_together():
    file = write("s.toml", axis("gait.amplitude_deg", **{"from": 30.0, "to": 41.0, "count": 12}) + SPEED)
    coluber("sweep", file, "--out", "one", "-q")
    for k in range(10):
        folder = f"round-{k}"
        words = [COLUBER, "sweep", file, "--out", folder, "-q", "-j", "1", "--part"]
        parts = [subprocess.Popen([*words, f"{i}/4"], stderr=subprocess.PIPE, text=True) for i in range(1, 5)]
        said = [part.communicate(timeout=600)[1] for part in parts]
        check(f"{folder}: four parts begin together", all(part.returncode == 0 for part in parts), said)
        same = (Path(folder) / "results.csv").exists() and table(folder) == table("one")
        check(f"{folder}: their table is that of one process", same)

    with subprocess.Popen(["true"]) as dead:
        dead.wait()
    old = time.time() - 2 * 3600
    drafts = {"sweep.json": dead.pid, "results.csv": f"{dead.pid}-2", "timing.csv": os.getpid()}
    Path("killed").mkdir()
    for name, process in drafts.items():
        draft = Path(f"killed/{name}.{process}.part")
        draft.write_text("{")
        os.utime(draft, (old, old))
    Path(f"killed/sweep.json.{dead.pid}-3.part").write_text("{")  # young: its process may run on another machine
    done = coluber("sweep", file, "--out", "killed", "-q", "--part", "1/2")
    check("drafts of killed parts block no folder", done.returncode == 0, done)
    left = sorted(path.name for path in Path("killed").glob("*.part"))
    wanted = sorted([f"timing.csv.{os.getpid()}.part", f"sweep.json.{dead.pid}-3.part"])
    check("old drafts of dead processes are removed, no other", left == wanted, left)
    for name in ("results.csv.old.part", "sweep.json.12.part.bak", "other.12.part"):
        folder = Path(f"own-{name}")
        folder.mkdir()
        (folder / name).write_text("mine\n")
        done = coluber("sweep", file, "--out", folder, "-q", "--part", "1/2")
        check(f"{name} is no draft of ours", done.returncode == 2 and "not empty" in done.stderr, done)


def interrupted():
    body = axis("gait.amplitude_deg", **{"from": 10.0, "to": 50.0, "count": 40}) + SPEED
    file = write("s.toml", body, duration=60.0)  # seconds of work, so that most is left when two rows are seen
    with subprocess.Popen([COLUBER, "sweep", file, "--out", "cut", "-j", "2"], stderr=subprocess.PIPE) as process:
        while process.poll() is None and not (Path("cut/rows").exists() and len(lines("cut")) >= 2):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=60)
        said = process.stderr.read().decode()
    kept = len(lines("cut"))
    check("Ctrl-C ends with 130", code == 130 and "--resume" in said, (code, said))
    check("finished rows are kept", 2 <= kept < 40, kept)
    status = json.loads(Path("cut/sweep.json").read_text())["status"]
    check("sweep.json says partial", status == "partial", status)
    check("the partial table has the rows so far", len(rows("cut")) == kept, (len(rows("cut")), kept))


def wrong_usage():
    file = write("s.toml", axis("gait.amplitude_deg", values=[30.0, 40.0]))
    env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "OMPI", "PMI"))}
    for words in (["--part", "9/8"], ["--part", "0/3"], ["--part", "auto"], ["--part", "x"], ["--part", "1/0"],
                  ["--retry", "compleated"], ["-j", "0"], ["-j", "x"], ["--resume", "--force"], ["--frobnicate"],
                  ["--set", "a=1", "--set", "a=2"], ["--out", ""]):
        done = coluber("sweep", file, "--out", "nowhere", *words, env=env) if "--out" not in words else coluber(
            "sweep", file, *words)
        check(f"{words} is wrong usage", done.returncode == 2 and done.stderr, done)
        check(f"{words} makes no folder", not Path("nowhere").exists())
    check("a missing file is bad input", coluber("sweep", "no.toml").returncode == 3)
    check("no file is wrong usage", coluber("sweep").returncode == 2)
    env["SLURM_ARRAY_TASK_ID"], env["SLURM_ARRAY_TASK_MIN"], env["SLURM_ARRAY_TASK_COUNT"] = "6", "5", "2"
    done = coluber("sweep", file, "--out", "array", "--part", "auto", env=env)
    check("--part auto in a Slurm array", done.returncode == 0 and "part 2 of 2" in done.stderr, done.stderr)
    env = {**env, "SLURM_ARRAY_TASK_COUNT": "1", "OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}
    done = coluber("sweep", file, "--out", "array", "--part", "auto", env=env)
    check("--part auto under mpirun", done.returncode == 0 and len(rows("array")) == 2, done.stderr)
    Path("bad.toml").write_text("sweep = 1\nbase = \"aiko_floor\"\n[[axis]]\nkey = \"gait.amplitude\"\nvalues = [1.0]\n")
    done = coluber("sweep", "bad.toml", "--out", "nowhere")
    check("a fault has its place and a hint", done.returncode == 3 and "bad.toml:4:7" in done.stderr
          and "did you mean" in done.stderr, done.stderr)
    done = coluber("check", "bad.toml")
    check("check finds it too", done.returncode == 3 and "bad.toml:4:7" in done.stderr, done.stderr)


def own_table():
    Path("design.csv").write_text("gait.amplitude_deg,solver.law\n30,anchored\n40.5,rigid\n")
    file = write("s.toml", '[points]\ntable = "design.csv"\n' + axis("seed", values=[1, 2]) + SPEED)
    coluber("sweep", file, "--out", "design", "-q")
    found = [(r["gait.amplitude_deg"], r["solver.law"], r["seed"]) for r in rows("design")]
    check("a table of one's own is crossed with axes", found == [("30", "anchored", "1"), ("30", "anchored", "2"),
                                                                ("40.5", "rigid", "1"), ("40.5", "rigid", "2")], found)
    for name, text, told in (("a hole", "gait.amplitude_deg,seed\n30,\n", "design.csv:2"),
                             ("a long row", "gait.amplitude_deg\n30,1\n", "design.csv:2"),
                             ("no rows", "gait.amplitude_deg\n", "no rows"),
                             ("a word for a number", "gait.amplitude_deg\nbig\n", "design.csv:2"),
                             ("an unknown key", "gait.amplitud\n30\n", "did you mean")):
        Path("design.csv").write_text(text)
        done = coluber("sweep", write("s.toml", '[points]\ntable = "design.csv"\n'), "--out", "nowhere")
        check(f"a table with {name} is told", done.returncode == 3 and told in done.stderr, done.stderr)


def pictures():
    """Drawn at all; what they show has been looked at."""
    torque = '[[measure]]\nname = "torque"\nof = { name = "summary", item = "max_torque" }\n'
    goal = '[goal]\nmeasure = "torque"\ntowards = "min"\n'
    one = axis("gait.amplitude_deg", values=[30.0])
    words = axis("solver.law", values=["anchored", "rigid"])
    cases = {
        "one point": (one + torque + goal, {}, ["response", "parallel"]),
        "two points": (axis("gait.amplitude_deg", values=[30.0, 40.0]) + torque, {}, ["response", "parallel"]),
        "words": (words + axis("controller.kp", **{"from": 10.0, "to": 1000.0, "count": 3, "scale": "log"}) + torque + goal,
                  {}, ["response", "heatmap", "parallel"]),
        "samples": (axis("gait.amplitude_deg", **{"from": 10.0, "to": 50.0, "sample": "sobol"})
                    + axis("gait.phase_deg", **{"from": -60.0, "to": -20.0, "sample": "sobol"}) + torque + goal,
                    {"top": "samples = 16"}, ["response", "heatmap", "parallel"]),
        "all refused": (axis("gait.amplitude_deg", values=[30.0, 31.0]) + axis("gait.phase_deg", values=[-50.0, -49.0])
                        + torque + goal, {"base": "aiko_course"}, ["response", "heatmap", "parallel"]),
    }
    for name, (body, more, kinds) in cases.items():
        folder = name.replace(" ", "-")
        coluber("sweep", write("s.toml", body, **more), "--out", folder, "-q")
        for kind in kinds:
            done = coluber("plot", folder, "--what", kind)
            file = Path(folder) / "plots" / f"{kind}.svg"
            check(f"{kind} of {name}", done.returncode == 0 and file.read_text().count("<path") > 3, done.stderr)
    done = coluber("plot", "one-point", "--what", "heatmap")
    check("a heatmap of one axis is refused", done.returncode == 1 and "takes 2 axes" in done.stderr, done)
    done = coluber("plot", "words", "--what", "convergence")
    check("convergence takes a history", done.returncode == 1 and "history" in done.stderr, done)
    done = coluber("plot", "words", "--what", "course")
    check("a plot of a run is none of a sweep", done.returncode == 2 and "sweep" in done.stderr, done)
    done = coluber("plot", "words/best", "--what", "heatmap")
    check("a plot of a sweep is none of a run", done.returncode == 2, done)
    Path("words/plots/heatmap.svg").write_text("mine")
    done = coluber("plot", "words", "--what", "heatmap")
    check("a picture of one's own stays", Path("words/plots/heatmap.svg").read_text() == "mine", done)
    done = coluber("view", "two-points", "--no-open")
    check("view of a sweep without best/ says why", done.returncode == 1 and "best/" in done.stderr, done)


def samplers():
    try:
        from scipy.stats import qmc
    except ImportError:
        print("note: scipy is not installed (script/bootstrap --dev): Sobol is not compared with it")
        return
    count, dimensions = 4096, 32
    body = "".join(axis(f"world.obstacle.{d // 2 + 1}.{'xy'[d % 2]}", **{"from": 0.0, "to": 1.0, "sample": "sobol"})
                   for d in range(dimensions))
    obstacles = "".join("[[world.obstacle]]\nx = 0.0\ny = 9.0\nradius = 0.01\n" for _ in range(dimensions // 2))
    Path("field.toml").write_text(f'include = ["{SOURCE}/scenarios/aiko_floor.toml"]\nschema = 1\n' + obstacles)
    file = write("s.toml", body, top=f"samples = {count}\nseed = 0", base="field.toml")
    plan = coluber("sweep", file, "--plan")
    ours = [line.split(",")[1:-1] for line in plan.stdout.splitlines()[1:]]
    theirs = qmc.Sobol(d=dimensions, scramble=False).random(count)
    same = len(ours) == count and all(float(a) == b for one, other in zip(ours, theirs) for a, b in zip(one, other))
    check("Sobol without shift is scipy's, 4096 points in 32 dimensions", same, plan.stderr[:500])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for test in (same_table, refusals_name_link_and_peg, points_are_runs, set_goes_to_the_base, grows,
                     other_arithmetic, killed, flipped_and_torn, crashing_points, disk_and_folders, own_files_stay,
                     parts_begin_together, interrupted, wrong_usage, own_table, pictures, samplers):
            place = Path(folder) / test.__name__
            place.mkdir()
            os.chdir(place)
            test()
            os.chdir(folder)
    finish()


main()
