#!/usr/bin/python3
"""Bad input is refused as a whole: exit code 3, the place where there is one, a hint, nothing written.

Every case is given to `coluber check` and to `coluber run --out`. stdout stays empty, each fault is
`error: place: key: message` followed by `  hint: …`, and no file appears.
Prints `N passed, M failed` last; the program is $COLUBER.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish

AIKO = '[robot]\nname = "aiko"\n'
COURSE = (SOURCE / "scenarios/aiko_course.toml").read_text()


class Case:
    """files: name -> text or bytes; scenario: the one to run; faults: a regular expression for each, in order."""

    def __init__(self, sentence, text, *faults, set=(), files=None, scenario="s.toml", make=None):
        self.sentence = sentence
        self.files = dict(files or {})
        if text is not None:
            self.files["s.toml"] = text
        self.faults = faults
        self.set = set
        self.scenario = scenario
        self.make = make


def table(text):
    return {"angles.csv": text}


TABLE = AIKO + 'links = 3\n[gait]\nname = "table"\ntable = "angles.csv"\n'
PEG = "[[world.obstacle]]\nx = 0.0\ny = 0.02\nradius = 0.02\n"  # across link 1 of a straight robot

CASES = [
    # keys
    Case("an unknown key", AIKO + "[solver]\ndtt = 1e-3\n", r"s\.toml:4:1: solver\.dtt: unknown key\n  hint: did you mean dt\?"),
    Case("an unknown table", AIKO + "[slover]\ndt = 1e-3\n", r"s\.toml:3:2: slover: unknown key\n  hint: did you mean solver\?"),
    Case("an unknown key of an obstacle", AIKO + "[[world.obstacle]]\nx = 5\ny = 5\nradius = 1\ncolour = 3\n", r"s\.toml:7:1: world\.obstacle\.1\.colour: unknown key"),
    Case("a wrong type", AIKO + 'link = { mass = "heavy" }\n', r's\.toml:3:17: robot\.link\.mass: expected a number > 0.*, got "heavy"'),
    Case("a word that is no choice", AIKO + '[solver]\nname = "newtom"\n', r's\.toml:4:8: solver\.name: expected .* got "newtom"\n  hint: did you mean "newton"\?'),
    Case("an unknown robot", '[robot]\nname = "kulko"\n', r's\.toml:2:8: robot\.name: expected "aiko", got "kulko"'),
    Case("a robot half described", "[robot]\nlinks = 3\nlink = { mass = 1.0 }\n", r"s\.toml:1:1: robot: .*missing: robot\.link\.inertia"),
    Case("a schema of the future", "schema = 2\n" + AIKO, r"s\.toml:1:10: schema: expected 1, got 2"),
    # numbers
    Case("a negative mass", AIKO + "link = { mass = -0.7 }\n", r"s\.toml:3:17: robot\.link\.mass: expected a number > 0.*, got -0\.7"),
    Case("dt = 0", AIKO + "[solver]\ndt = 0\n", r"s\.toml:4:6: solver\.dt: expected a number > 0.*, got 0"),
    Case("dt = nan", AIKO + "[solver]\ndt = nan\n", r"s\.toml:4:6: solver\.dt: .*got nan"),
    Case("an infinite duration", "duration = inf\n" + AIKO, r"s\.toml:1:12: duration: .*got inf"),
    Case("negative friction", AIKO + "[world]\nfriction = [0.2, -0.1]\n", r"s\.toml:4:18: world\.friction: .*got -0\.1 as number 2"),
    Case("a billion links", AIKO + "links = 1000000000\n", r"s\.toml:3:9: robot\.links: expected an integer from 1 to 100000, got 1000000000"),
    Case("too few [[robot.link]]", AIKO + "[[robot.link]]\nmass = 1\n", r"s\.toml:3:1: robot\.link: 1 entries, the robot has 11 links"),
    Case("a start link that is not there", AIKO + "[start]\nlink = 12\n", r"s\.toml:4:8: start\.link: expected an integer from 1 to 11"),
    Case("a list of angles of the wrong length", AIKO + "[start]\nshape = [1, 2]\n", r"s\.toml:4:9: start\.shape: has 2 angles, the robot needs 10"),
    Case("more frames than steps", AIKO + "[record]\nrate_hz = 1e4\n", r"s\.toml:4:11: record\.rate_hz: expected at most one frame a step"),
    Case("a run that would fill the disk", "duration = 1e6\n" + AIKO, r"s\.toml(:\d+:\d+)?: record\.rate_hz: .* GB, the limit is"),
    # features to come
    Case("a feature that is not built", AIKO + "[world]\nrolling_friction = 0.1\n", r"s\.toml:4:20: world\.rolling_friction: 0\.1 is not built yet"),
    Case("a model that is not built", '[robot]\nname = "aiko"\nmodel = "spatial"\n', r's\.toml:3:9: robot\.model: "spatial" is not built yet'),
    # motors, friction and stop rules
    Case("motors without torque", AIKO + "[controller]\ntorque_limit = 0\n", r"s\.toml:4:16: controller\.torque_limit: expected a number > 0, got 0"),
    Case("three friction points", AIKO + "friction_points = 3\n", r"s\.toml:3:19: robot\.friction_points: expected an integer from 1 to 2, got 3"),
    Case("a link that two friction points cannot carry", AIKO + "friction_points = 2\nlink.cg_offset = 0.05\n", r"s\.toml:3:19: robot\.friction_points: link 1 would tip over: its cg_offset of 0\.05 m"),
    Case("negative friction of an obstacle", AIKO + "[[world.obstacle]]\nx = 5\ny = 0\nradius = 1\nfriction = -0.3\n", r"s\.toml:7:12: world\.obstacle\.1\.friction: expected a number from 0 to 1000, got -0\.3"),
    Case("a stop at infinity", AIKO + "[stop]\npast_x = inf\n", r"s\.toml:4:10: stop\.past_x: .*got inf"),
    Case("stuck in no time", AIKO + "[stop]\nstuck_s = 0\n", r"s\.toml:4:11: stop\.stuck_s: expected a number > 0, at most 1000000, got 0"),
    # files
    Case("a missing file", None, r"nowhere\.toml: no such file", scenario="nowhere.toml"),
    Case("a link that leads to itself", None, r"loop\.toml: cannot be read: ", scenario="loop.toml", make=lambda d: (d / "loop.toml").symlink_to("loop.toml")),
    Case("a name too long to open", None, r"x+\.toml: cannot be read: ", scenario="x" * 300 + ".toml"),
    Case("a folder", None, r"folder: is a folder", scenario="folder", make=lambda d: (d / "folder").mkdir()),
    Case("an empty file", "", r"s\.toml: is empty"),
    Case("a binary file", b"\x7fELF\x02\x01\x01\x00\x00\x00", r"s\.toml:1:8: is not a text file: byte 0x00"),
    Case("a file that is not UTF-8", b'title = "caf\xe9"\n', r"s\.toml:1:13: is not a text file: byte 0xe9"),
    Case("a device", None, r"/dev/zero: is not a regular file", scenario="/dev/zero"),
    Case("a syntax error, the first alone", "[robot]\nname = aiko\n[also wrong\n", r"s\.toml:2:8: syntax: "),
    Case("a key given twice", AIKO + 'name = "aiko"\n', r"s\.toml:3:\d+: syntax: "),
    Case("a key 100 000 deep", "a." * 100000 + "a = 1\n", r"s\.toml:1:34: a key with more than 16 dots"),
    Case("a file of 17 MB", AIKO + "#" * (17 << 20) + "\n", r"s\.toml: is 1\d+ bytes long, the limit is"),
    # includes
    Case("an include cycle", 'include = "b.toml"\n' + AIKO, r'b\.toml:1:11: include: "s\.toml" includes itself', files={"b.toml": 'include = "s.toml"\n'}),
    Case("an include that is not there", 'include = ["no.toml"]\n' + AIKO, r's\.toml:1:12: include: "no\.toml" no such file'),
    Case("a fault in an included file", 'include = "b.toml"\n' + AIKO, r"b\.toml:2:6: solver\.dt", files={"b.toml": "[solver]\ndt = -1\n"}),
    # --set
    Case("--set of an unknown key", AIKO, r"--set solver\.dtt=1: solver\.dtt: unknown key\n  hint: did you mean dt\?", set=["solver.dtt=1"]),
    Case("--set without a value", AIKO, r"--set solver\.dt: expected key=value", set=["solver.dt"]),
    Case("--set of something that is not TOML", AIKO, r"--set solver\.dt=\[1: solver\.dt: the value is not TOML", set=["solver.dt=[1"]),
    Case("--set out of range", AIKO, r"--set world\.gravity=nan: world\.gravity: .*got nan", set=["world.gravity=nan"]),
    Case("--set of a list entry that is not there", AIKO + "[world]\nobstacle = []\n", r"--set world\.obstacle\.1\.x=3: .*is a list of 0", set=["world.obstacle.1.x=3"]),
    # tables of joint angles
    Case("a table that is not there", TABLE, r's\.toml:6:9: gait\.table: no such file'),
    Case("NaN in a table", TABLE, r"angles\.csv:3:\d+: ", files=table("t,phi_1,phi_2\n0,0,0\n1,nan,0\n")),
    Case("a word in a table", TABLE, r"angles\.csv:3:\d+: ", files=table("t,phi_1,phi_2\n0,0,0\n1,left,0\n")),
    Case("a table with too few joints", TABLE, r"angles\.csv", files=table("t,phi_1\n0,0\n1,0\n")),
    Case("a table whose time runs back", TABLE, r"angles\.csv:4:\d+: ", files=table("t,phi_1,phi_2\n0,0,0\n1,0,0\n0.5,0,0\n")),
    Case("an empty table", TABLE, r"angles\.csv", files=table("")),
    # geometry
    Case("a start inside an obstacle", COURSE, r"s\.toml:33:1: world\.obstacle\.2: link 6 starts 0\.0\d+ m inside", set=["world.obstacle.2.y=0.16"]),
    # together
    Case(
        "every fault at once, in file order",
        "durration = 3\n[world]\ngravity = nan\n" + AIKO + "[solver]\ndt = 0\n",
        r"s\.toml:1:1: durration: ",
        r"s\.toml:3:11: world\.gravity: ",
        r"s\.toml:7:6: solver\.dt: ",
        r"--set a=1: a: ",
        set=["a=1"],
    ),
    Case(
        "faults of keys and of the table at once",
        TABLE + "[controller]\nkp = -1\n",
        r"s\.toml:8:6: controller\.kp: ",
        r"angles\.csv:3:3: gait\.table: .*nan",
        files=table("t,phi_1,phi_2\n0,0,0\n1,nan,0\n"),
    ),
    Case(
        "a start inside an obstacle and faults of the table at once",
        TABLE + '[start]\nshape = "straight"\n' + PEG,
        r"s\.toml:9:1: world\.obstacle\.1: link 1 starts 0\.\d+ m inside",
        r"angles\.csv:3:3: gait\.table: .*nan",
        files=table("t,phi_1,phi_2\n0,0,0\n1,nan,0\n"),
    ),
    Case(
        "faults of the table alone where the start shape comes from it",
        TABLE + PEG,
        r"angles\.csv:3:3: gait\.table: .*nan",
        files=table("t,phi_1,phi_2\n0,0,0\n1,nan,0\n"),
    ),
]

if os.geteuid() != 0:  # root reads everything
    CASES.append(Case("a file without permission", AIKO, r"s\.toml: cannot be read: ", make=lambda d: (d / "s.toml").chmod(0)))


def verdict(case, command, folder):
    """Runs one command; returns what is wrong with it, or ''."""
    before = sorted(folder.rglob("*"))
    arguments = [COLUBER, *command, case.scenario]
    for each in case.set:
        arguments += ["--set", each]
    try:
        run = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "does not end"
    said = f"exit code {run.returncode}, stderr:\n{run.stderr[:2000]}"
    if run.returncode != 3:
        return said
    if run.stdout:
        return f"stdout is not empty: {run.stdout[:200]}"
    faults = re.split(r"^error: ", run.stderr, flags=re.M)[1:]
    if len(faults) != len(case.faults):
        return f"{len(faults)} faults, expected {len(case.faults)}; {said}"
    for fault, pattern in zip(faults, case.faults):
        if not re.match(pattern, fault):
            return f"expected  {pattern}  {said}"
        if "\n  hint: " not in fault:
            return f"no hint; {said}"
    if sorted(folder.rglob("*")) != before:
        return f"files appeared: {sorted(set(folder.rglob('*')) - set(before))}"
    return ""


def try_case(case):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in case.files.items():
            data = text if isinstance(text, bytes) else text.encode()
            (folder / path).write_bytes(data)
        if case.make:
            case.make(folder)
        for command in (["check"], ["run", "--out", "out"]):
            why = verdict(case, command, folder)
            check(f"coluber {command[0]}: {case.sentence}", not why, why)


for each in CASES:
    try_case(each)
print(f"{len(CASES)} bad inputs")
finish()
