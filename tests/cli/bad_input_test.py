#!/usr/bin/python3
"""Bad input is refused as a whole: exit code 3, the place where there is one, a hint, nothing written.

Every case is given to `coluber check` and to `coluber run --out`. stdout stays empty, each fault is
`error: place: key: message` followed by `  hint: …`, and no file appears. Wrong usage is exit code 2.
docs/errors.md lists them all with what the program says; it must be as this test would write it:
`tests/cli/bad_input_test.py --write` does. Prints `N passed, M failed` last; the program is $COLUBER.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish

AIKO = '[robot]\nname = "aiko"\n'
COURSE = (SOURCE / "scenarios/aiko_course.toml").read_text()


class Case:
    """files: name -> text or bytes; scenario: the one to run; faults: a regular expression for each, in order.

    user: run without the rights of root, who reads everything.
    """

    def __init__(self, sentence, text, *faults, set=(), files=None, scenario="s.toml", make=None, user=False, commands=("check", "run")):
        self.sentence = sentence
        self.files = dict(files or {})
        if text is not None:
            self.files["s.toml"] = text
        self.faults = faults
        self.set = set
        self.scenario = scenario
        self.make = make
        self.user = user
        self.commands = commands
        self.said = ""


def table(text):
    return {"angles.csv": text}


TABLE = AIKO + 'links = 3\n[gait]\nname = "table"\ntable = "angles.csv"\n'
PEG = "[[world.obstacle]]\nx = 0.0\ny = 0.02\nradius = 0.02\n"  # across link 1 of a straight robot

KEYS = [
    Case("an unknown key", AIKO + "[solver]\ndtt = 1e-3\n", r"s\.toml:4:1: solver\.dtt: unknown key\n  hint: did you mean dt\?"),
    Case("an unknown table", AIKO + "[slover]\ndt = 1e-3\n", r"s\.toml:3:2: slover: unknown key\n  hint: did you mean solver\?"),
    Case("an unknown key of an obstacle", AIKO + "[[world.obstacle]]\nx = 5\ny = 5\nradius = 1\ncolour = 3\n", r"s\.toml:7:1: world\.obstacle\.1\.colour: unknown key"),
    Case("a wrong type", AIKO + 'link = { mass = "heavy" }\n', r's\.toml:3:17: robot\.link\.mass: expected a number > 0.*, got "heavy"'),
    Case("a word that is no choice", AIKO + '[solver]\nname = "newtom"\n', r's\.toml:4:8: solver\.name: expected .* got "newtom"\n  hint: did you mean "newton"\?'),
    Case("an unknown robot", '[robot]\nname = "kulko"\n', r's\.toml:2:8: robot\.name: expected "aiko", "piko", .*, got "kulko"'),
    Case("a number for the links", AIKO + "link = -1\n", r"s\.toml:3:8: robot\.link: expected a table or a list of tables, got -1"),
    Case("a robot half described", "[robot]\nlinks = 3\nlink = { mass = 1.0 }\n", r"s\.toml:1:1: robot: .*missing: robot\.link\.inertia"),
    Case("a schema of the future", "schema = 2\n" + AIKO, r"s\.toml:1:10: schema: expected 1, got 2"),
    Case("a dump in a folder that is not there", AIKO + '[solver]\ndump = "nowhere/p.json"\n', r"s\.toml:4:8: solver\.dump: there is no folder nowhere\n  hint: name a file in a folder that exists"),
    Case("a dump that is a folder", AIKO + '[solver]\ndump = "."\n', r"s\.toml:4:8: solver\.dump: \. is a folder"),
    Case("a dump over the scenario", AIKO + '[solver]\ndump = "s.toml"\n', r"s\.toml:4:8: solver\.dump: s\.toml exists and is not a problem that solver\.dump wrote\n  hint: name another file, or remove this one"),
    Case("a dump over a file of a run", AIKO + '[solver]\ndump = "run.json"\n', r"s\.toml:4:8: solver\.dump: run\.json has the name of a file of a run\n  hint: name another file"),
    Case("a dump over somebody's results", AIKO + '[solver]\ndump = "results.json"\n', r"s\.toml:4:8: solver\.dump: results\.json exists and is not a problem", files={"results.json": "{\n \"contacts\": []\n}\n"}),
    Case("a table given as a number", "robot = 3\n", r"s\.toml:1:9: robot: expected a table, got 3"),
    Case("a number given as a table", AIKO + "[solver.dt]\nx = 1\n", r"s\.toml:3:1: solver\.dt: expected a number from 1e-09 to 0\.1, got a table"),
    Case("a word given as a number", AIKO + "[gait]\nname = 3\n", r"s\.toml:4:8: gait\.name: .*got 3"),
    Case("a truth value given as a number", AIKO + "[record]\ncsv = 1\n", r"s\.toml:4:7: record\.csv: .*got 1"),
    Case("a date given as a number", "duration = 1979-05-27\n" + AIKO, r"s\.toml:1:12: duration: .*got a date or time"),
    Case("one number for two", AIKO + "[world]\nfriction = 0.2\n", r"s\.toml:4:12: world\.friction: expected two numbers.*, got 0\.2"),
    Case("three numbers for two", AIKO + "[start]\nposition = [0, 0, 0]\n", r"s\.toml:4:12: start\.position: .*got a list of 3"),
    Case("a line break in the title", 'title = "a\\nb"\n' + AIKO, r"s\.toml:1:9: title: .*"),
    Case("a start as the gait without a gait", AIKO + '[start]\nshape = "gait"\n', r's\.toml:4:9: start\.shape: "gait" needs a \[gait\]'),
    Case("a table of angles without its file's name", AIKO + '[gait]\nname = "table"\n', r's\.toml:4:8: gait\.name: "table" needs the key gait\.table'),
    Case("a soft start of a table", TABLE + "soft_start = true\n", r's\.toml:7:14: gait\.soft_start: goes with gait\.name = "lateral_undulation" .*, this gait is "table"', files=table("t,phi_1,phi_2\n0,0,0\n")),
    Case("an amplitude beside a table", TABLE + "amplitude_deg = 30\n", r's\.toml:7:17: gait\.amplitude_deg: goes with gait\.name = "lateral_undulation" .*, this gait is "table"\n  hint: leave it out or at its default, 40\.0', files=table("t,phi_1,phi_2\n0,0,0\n")),
    Case("a table of a gait that has none", AIKO + '[gait]\ntable = "nowhere.csv"\n', r's\.toml:4:9: gait\.table: goes with gait\.name = "table", this gait is "lateral_undulation"\n  hint: leave it out, or write  name = "table"  in \[gait\]'),
    Case("an empty name of a table", AIKO + '[gait]\nname = "table"\ntable = ""\n', r's\.toml:4:8: gait\.name: "table" needs the key gait\.table'),
]

NUMBERS = [
    Case("a negative mass", AIKO + "link = { mass = -0.7 }\n", r"s\.toml:3:17: robot\.link\.mass: expected a number > 0.*, got -0\.7"),
    Case("dt = 0", AIKO + "[solver]\ndt = 0\n", r"s\.toml:4:6: solver\.dt: expected a number from 1e-09 to 0\.1, got 0"),
    Case("steps that are too small", "duration = 1e-30\n" + AIKO + "[solver]\ndt = 1e-30\n", r"s\.toml:5:6: solver\.dt: expected a number from 1e-09 to 0\.1, got 1e-30"),
    Case("a page of another kind", AIKO + '[record]\npage = "share"\n', r's\.toml:4:8: record\.page: expected .* got "share"\n  hint: did you mean "shared"\?'),
    Case("dt = nan", AIKO + "[solver]\ndt = nan\n", r"s\.toml:4:6: solver\.dt: .*got nan"),
    Case("an infinite duration", "duration = inf\n" + AIKO, r"s\.toml:1:12: duration: .*got inf"),
    Case("negative friction", AIKO + "[world]\nfriction = [0.2, -0.1]\n", r"s\.toml:4:18: world\.friction: .*got -0\.1 as number 2"),
    Case("a billion links", AIKO + "links = 1000000000\n", r"s\.toml:3:9: robot\.links: expected an integer from 1 to 100000, got 1000000000"),
    Case("too few [[robot.link]]", AIKO + "[[robot.link]]\nmass = 1\n", r"s\.toml:3:1: robot\.link: 1 entries, the robot has 11 links"),
    Case("a start link that is not there", AIKO + "[start]\nlink = 12\n", r"s\.toml:4:8: start\.link: expected an integer from 1 to 11"),
    Case("a list of angles of the wrong length", AIKO + "[start]\nshape = [1, 2]\n", r"s\.toml:4:9: start\.shape: has 2 angles, the robot needs 10"),
    Case("more frames than steps", AIKO + "[record]\nrate_hz = 1e4\n", r"s\.toml:4:11: record\.rate_hz: expected at most one frame a step"),
    Case("a run that would fill the disk", "duration = 1e6\n" + AIKO, r"s\.toml(:\d+:\d+)?: record\.rate_hz: .* GB, the limit is"),
    Case("a run shorter than a step", "duration = 1e-6\n" + AIKO, r"s\.toml:1:12: duration: 1e-06 s is less than one step"),
    Case("more steps than a lifetime", "duration = 1e6\n" + AIKO + "[solver]\ndt = 1e-9\n[record]\nrate_hz = 1e-3\n", r"s\.toml:5:6: solver\.dt: .* steps, the limit is"),
    Case("infinite friction", AIKO + "[world]\nfriction = [inf, 0.2]\n", r"s\.toml:4:13: world\.friction: .*got inf as number 1"),
    Case("a huge number", "duration = 1e300\n" + AIKO, r"s\.toml:1:12: duration: .*at most 1000000, got 1e\+300"),
    Case("a number beyond double", "duration = 1e400\n" + AIKO, r"s\.toml:1:\d+: syntax: .*1e400"),
    Case("an integer beyond 64 bits", "seed = 99999999999999999999\n" + AIKO, r"s\.toml:1:\d+: syntax: .*not representable in 64 bits"),
    Case("a million links", AIKO + "links = 1000000\n", r"s\.toml:3:9: robot\.links: expected an integer from 1 to 100000, got 1000000"),
    Case("no links", AIKO + "links = 0\n", r"s\.toml:3:9: robot\.links: .*got 0"),
    Case("two and a half links", AIKO + "links = 2.5\n", r"s\.toml:3:9: robot\.links: .*got 2\.5"),
    Case("a negative seed", "seed = -1\n" + AIKO, r"s\.toml:1:8: seed: expected an integer >= 0, got -1"),
    Case("a centre of gravity outside the link", AIKO + "link = { cg_offset = 0.1 }\n", r"s\.toml:3:22: robot\.link\.cg_offset: expected a number from -0\.061 to 0\.061"),
    Case("motors without torque", AIKO + "[controller]\ntorque_limit = 0\n", r"s\.toml:4:16: controller\.torque_limit: expected a number > 0, got 0"),
    Case("three friction points", AIKO + "friction_points = 3\n", r"s\.toml:3:19: robot\.friction_points: expected an integer from 1 to 2, got 3"),
    Case("a link that two friction points cannot carry", AIKO + "friction_points = 2\nlink.cg_offset = 0.05\n", r"s\.toml:3:19: robot\.friction_points: link 1 would tip over: its cg_offset of 0\.05 m"),
    Case("negative friction of an obstacle", AIKO + "[[world.obstacle]]\nx = 5\ny = 0\nradius = 1\nfriction = -0.3\n", r"s\.toml:7:12: world\.obstacle\.1\.friction: expected a number from 0 to 1000, got -0\.3"),
    Case("an overhang for a floor", AIKO + "[world]\ntilt_deg = 120\n", r"s\.toml:4:12: world\.tilt_deg: expected less than 90, got 120"),
    Case("a wall for a floor", AIKO + "[world]\ntilt_deg = 90\n", r"s\.toml:4:12: world\.tilt_deg: expected less than 90, got 90"),
    Case("a stop at infinity", AIKO + "[stop]\npast_x = inf\n", r"s\.toml:4:10: stop\.past_x: .*got inf"),
    Case("stuck in no time", AIKO + "[stop]\nstuck_s = 0\n", r"s\.toml:4:11: stop\.stuck_s: expected a number > 0, at most 1000000, got 0"),
]

OBSTACLES = [
    Case("an obstacle without a radius", AIKO + "[[world.obstacle]]\nx = 1\ny = 1\n", r"s\.toml:3:1: world\.obstacle\.1: missing: radius"),
    Case("an obstacle with a negative radius", AIKO + "[[world.obstacle]]\nx = 1\ny = 1\nradius = -0.1\n", r"s\.toml:6:10: world\.obstacle\.1\.radius: .*got -0\.1"),
    Case("an obstacle at nan", AIKO + "[[world.obstacle]]\nx = nan\ny = 1\nradius = 0.1\n", r"s\.toml:4:5: world\.obstacle\.1\.x: .*got nan"),
    Case("an obstacle that is no list", AIKO + "[world.obstacle]\nx = 1\n", r"s\.toml:3:1: world\.obstacle: expected a list of tables, got a table"),
    Case("an obstacle that is a number", AIKO + "[world]\nobstacle = [1]\n", r"s\.toml:4:13: world\.obstacle\.1: expected a table, got 1"),
    Case("more obstacles than the limit", AIKO + "[world]\nobstacle = [" + "{x=9,y=9,radius=1}," * 200001 + "]\n", r"s\.toml:4:12: world\.obstacle: 200001 obstacles, the limit is"),
    Case("a start inside an obstacle", COURSE, r"s\.toml:33:1: world\.obstacle\.2: link 6 starts 0\.0\d+ m inside", set=["world.obstacle.2.y=0.16"]),
    Case("obstacles that are numbers, and no more about them", AIKO + "[world]\nobstacle = [1, 2]\n", r"s\.toml:4:13: world\.obstacle\.1: expected a table, got 1", r"s\.toml:4:16: world\.obstacle\.2: expected a table, got 2"),
    Case("links that are numbers, and no more about them", AIKO + "link = [1, 2]\n", r"s\.toml:3:9: robot\.link\.1: expected a table, got 1", r"s\.toml:3:12: robot\.link\.2: expected a table, got 2"),
    Case("links of a robot of one's own that are numbers", "[robot]\nlink = [1, 2]\n[start]\nlink = 2\n", r"s\.toml:2:9: robot\.link\.1: expected a table, got 1", r"s\.toml:2:12: robot\.link\.2: expected a table, got 2"),
]

SPATIAL = '[robot]\nmodel = "spatial"\nname = "aiko"\n'
SPACE = [
    Case("a joint of another model", AIKO + 'joint = "yaw"\n', r's\.toml:3:9: robot\.joint: goes with robot\.model = "spatial", this robot is "planar"'),
    Case("a number of another model", AIKO + "[world]\nrolling_friction = 0.1\n", r's\.toml:4:20: world\.rolling_friction: goes with robot\.model = "spatial"'),
    Case("friction points in space", SPATIAL + "friction_points = 2\n", r's\.toml:4:19: robot\.friction_points: goes with robot\.model = "planar"'),
    Case("a gait with pitch joints in the plane", AIKO + '[gait]\nname = "sidewinding"\n', r's\.toml:4:8: gait\.name: "sidewinding" moves pitch joints, this robot has none'),
    Case("a vertical wave for yaw joints", SPATIAL + 'joint = "yaw"\n[gait.vertical]\namplitude_deg = 5\n', r's\.toml:5:1: gait\.vertical: moves pitch joints, joint = "yaw" has none'),
    Case("a pitch amplitude of a right angle", SPATIAL + '[gait]\nname = "sidewinding"\nvertical = { amplitude_deg = 90 }\n', r"s\.toml:6:30: gait\.vertical\.amplitude_deg: a cardan joint would reach 90 deg, its limit is below 90"),
    Case("yaw amplitude and offset beyond a right angle", SPATIAL + "[gait]\namplitude_deg = 60\noffset_deg = 30\n", r"s\.toml:5:17: gait\.amplitude_deg: a cardan joint would reach 90 deg"),
    Case("a cardan joint at a right angle", SPATIAL + "links = 2\n[start]\nshape = [0, 90]\n", r"s\.toml:6:13: start\.shape: a cardan joint at 90 deg, its limit is below 90"),
    Case("one angle a cardan joint", SPATIAL + "[start]\nshape = [1, 2, 3]\n", r"s\.toml:5:9: start\.shape: has 3 angles, the robot needs 20 \(two a joint, 11 links\)"),
    Case("a start below the floor", SPATIAL + "[start]\nz = 0.05\n", r"s\.toml:5:5: start\.z: link \d+ starts 0\.0025 m below the floor\n  hint: raise start\.z by 0\.0025"),
    Case("a start below the floor by its pitch", SPATIAL + "[start]\nz = 0.0525\npitch_deg = -30\n", r"s\.toml:5:5: start\.z: link 11 starts 0\.6\d+ m below the floor"),
    Case("a start inside a cylinder", SPATIAL + PEG, r"s\.toml:4:1: world\.obstacle\.1: link \d+ starts 0\.0525 m inside this obstacle"),
    Case("more inertia about the axis than a disc has", SPATIAL + "link = { inertia_axial = 3e-3 }\n", r"s\.toml:4:26: robot\.link\.inertia_axial: expected at most twice the inertia, 0\.00264, got 0\.003"),
    Case("less inertia than the robot's own about its axis allows", SPATIAL + "link = { inertia = 1e-4 }\n", r's\.toml:4:20: robot\.link\.inertia: 0\.0001 is too little beside the inertia_axial of "aiko", 0\.00094: .*\n  hint: give the links their own, at most  inertia_axial = 0\.0002'),
    Case("an offset that goes beyond a right angle with the usual amplitude", SPATIAL + "[gait]\noffset_deg = 60\n", r"s\.toml:5:14: gait\.offset_deg: a cardan joint would reach 100 deg"),
    Case("a vertical wave beside a table", SPATIAL + 'links = 2\n[gait]\nname = "table"\ntable = "angles.csv"\nvertical = { amplitude_deg = 5 }\n', r's\.toml:8:30: gait\.vertical\.amplitude_deg: goes with a harmonic gait, this gait is "table"', files=table("t,phi_1,phi_2\n0,0,0\n")),
    Case("a table that takes a cardan joint beyond a right angle", SPATIAL + 'links = 2\n[gait]\nname = "table"\ntable = "angles.csv"\n', r"s\.toml:7:9: gait\.table: a cardan joint would reach 95 deg by column phi_2, its limit is below 90", files=table("t,phi_1,phi_2\n0,0,0\n1,3,-95\n")),
    Case("a robot in space without its axial inertia", '[robot]\nmodel = "spatial"\nlinks = 3\nlink = { mass = 1, inertia = 1e-3, length = 0.1, half_core = 0.03, radius = 0.05 }\n', r"s\.toml:1:1: robot: .*missing: robot\.link\.inertia_axial"),
    Case("negative rolling friction", SPATIAL + "[world]\nrolling_friction = -0.1\n", r"s\.toml:5:20: world\.rolling_friction: expected a number from 0 to 1000, got -0\.1"),
    Case("equal load sharing of a robot that can lift its links", SPATIAL + '[solver]\nload_sharing = "equal"\n', r's\.toml:5:16: solver\.load_sharing: "equal" holds for a robot that lies flat'),
    Case("equal load sharing of links that are not equally thick", SPATIAL + 'joint = "yaw"\nlinks = 2\n[[robot.link]]\n[[robot.link]]\nradius = 0.03\n[solver]\nload_sharing = "equal"\n', r's\.toml:10:16: solver\.load_sharing: "equal" holds for a robot that lies flat; links 1 and 2 have radius 0\.0525 and 0\.03'),
    Case("equal load sharing of a robot rolled over", SPATIAL + 'joint = "yaw"\n[start]\nroll_deg = 5\n[solver]\nload_sharing = "equal"\n', r's\.toml:8:16: solver\.load_sharing: "equal" holds for a robot that lies flat; it starts with roll_deg = 5'),
    Case("equal load sharing of a robot pitched up", SPATIAL + 'joint = "yaw"\n[start]\npitch_deg = -5\n[solver]\nload_sharing = "equal"\n', r's\.toml:8:16: solver\.load_sharing: "equal" holds for a robot that lies flat; it starts with pitch_deg = -5'),
    Case("equal load sharing of a robot in the air", SPATIAL + 'joint = "yaw"\n[start]\nz = 0.3\n[solver]\nload_sharing = "equal"\n', r's\.toml:8:16: solver\.load_sharing: "equal" holds for a robot that lies flat; it starts with z = 0\.3, on the floor it has 0\.0525'),
    Case("a table of angles in space with a NaN", SPATIAL + 'links = 2\n[gait]\nname = "table"\ntable = "angles.csv"\n', r"angles\.csv:2:5: .*nan", files=table("t,phi_1,phi_2\n0,0,nan\n")),
    Case("a table of angles with one column a cardan joint", SPATIAL + 'links = 3\n[gait]\nname = "table"\ntable = "angles.csv"\n', r"angles\.csv:1:.*", files=table("t,phi_1,phi_2\n0,0,0\n")),
]

LINEARISED = """[robot]
model = "minimal"
name = "aiko"
[world]
viscous_friction = [0.1, 0.2]
[controller]
name = "input_output_linearisation"
"""
CONTROLLERS = [
    Case("motors that start after the end", "duration = 2.0\n" + AIKO + "[controller]\nstart_time = 3.0\n", r"s\.toml:5:14: controller\.start_time: the motors would be off for the whole run, which ends at 2 s\n  hint: lower start_time or raise duration"),
    Case("motors that are set to start after the end", AIKO, r"--set controller\.start_time=100: controller\.start_time: the motors would be off for the whole run", set=["controller.start_time=100"]),
    Case("gains of joints that need none", AIKO + '[controller]\nname = "prescribed"\nkp = 700\n', r's\.toml:5:6: controller\.kp: goes with controller\.name = "pd" or .*\n  hint: leave it out or at its default, 800\.0, or write  name = "pd"'),
    Case("noise of what nobody measures", AIKO + '[controller]\nname = "prescribed"\nnoise = { position = 0.1, velocity = 0.1 }\n', r's\.toml:5:\d+: controller\.noise\.position: goes with a controller that measures, and "prescribed" does not', r"s\.toml:5:\d+: controller\.noise\.velocity: "),
    Case("a page that is shared and not written", AIKO + '[record]\nreplay = false\npage = "shared"\n', r"s\.toml:5:8: record\.page: there is no page without a replay"),
    Case("a linearising controller in space", SPATIAL + '[controller]\nname = "input_output_linearisation"\n', r's\.toml:5:8: controller\.name: "input_output_linearisation" is for planar models with friction points, this robot is "spatial"'),
    Case("a linearising controller with one friction point", LINEARISED.replace("minimal", "planar"), r's\.toml:7:8: controller\.name: "input_output_linearisation" needs two friction points a link, this robot has one'),
    Case("a linearising controller without viscous friction", LINEARISED, r's\.toml:7:8: controller\.name: "input_output_linearisation" needs viscous friction along and across the links, here \[0, 0\]', set=["world.viscous_friction=[0.0, 0.0]"]),
    Case("a linearising controller with viscous friction one way", LINEARISED.replace("0.2]", "0]"), r's\.toml:7:8: controller\.name: .* here \[0\.1, 0\]'),
    Case("a linearising controller among obstacles", LINEARISED.replace('"minimal"', '"planar"\nfriction_points = 2') + PEG, r's\.toml:8:8: controller\.name: "input_output_linearisation" knows of no obstacles, here are 1'),
    Case("a linearising controller that fits nothing", AIKO + '[controller]\nname = "input_output_linearisation"\n' + PEG, r"s\.toml:4:8: controller\.name: .*two friction points", r"s\.toml:4:8: controller\.name: .*viscous friction", r"s\.toml:4:8: controller\.name: .*no obstacles"),
    Case("a linearising controller of links with one point", LINEARISED, r's\.toml:7:8: controller\.name: "input_output_linearisation" needs two friction points that lie apart, those of link 1 are one', set=["robot.link.half_core=0.0"]),
    Case("a centre of gravity that the minimal model cannot carry", LINEARISED, r"s\.toml:1:1: robot\.friction_points: link 1 would tip over.*\n  hint: bring cg_offset within half_core, or take  model", set=["robot.link.cg_offset=0.05"]),
    Case("a linearising controller inside the step", LINEARISED + 'servo = "implicit"\n', r"s\.toml:8:9: controller\.servo: .*computes its torques from the start of a step"),
    Case("the minimal model with one friction point", LINEARISED, r"--set robot\.friction_points=1: robot\.friction_points: the minimal model has two friction points a link", set=["robot.friction_points=1"]),
    Case("the minimal model among obstacles", LINEARISED + PEG, r"s\.toml:8:1: world\.obstacle: the minimal model has no obstacles"),
    Case("gains of the wrong number", LINEARISED + "kp = [1, 2, 3]\n", r"s\.toml:8:6: controller\.kp: has 3 gains, the robot needs 10 \(one a joint, 11 links\)"),
    Case("gains of servos of the wrong number", AIKO + "[controller]\nkd = [1, 2]\n", r"s\.toml:4:6: controller\.kd: has 2 gains, the robot needs 10"),
    Case("gains of cardan joints, one a joint", SPATIAL + "links = 3\n[controller]\nkd = [1, 2]\n", r"s\.toml:6:6: controller\.kd: has 2 gains, the robot needs 4 \(two a joint, 3 links\)"),
    Case("a gain that is no number", LINEARISED + "kp = nan\n", r"s\.toml:8:6: controller\.kp: expected a number from 0 to 1000000000, or a list of such, one a joint, got nan"),
    Case("a list of gains with one that is no number", AIKO + "links = 3\n[controller]\nkp = [1, nan]\n", r"s\.toml:5:10: controller\.kp: .*got nan as number 2"),
    Case("no gains", AIKO + "[controller]\nkp = []\n", r"s\.toml:4:6: controller\.kp: .*got a list of 0"),
    Case("saturation at no torque", LINEARISED + "torque_limit = 0\n", r"s\.toml:8:16: controller\.torque_limit: expected a number > 0, got 0"),
    Case("saturation at less than none", LINEARISED + "torque_limit = -10\n", r"s\.toml:8:16: controller\.torque_limit: expected a number > 0, got -10"),
    Case("negative noise", LINEARISED + "noise = { joint_deg = -1 }\n", r"s\.toml:8:23: controller\.noise\.joint_deg: expected a number from 0 to 1000000, got -1"),
    Case("noise of a heading in space", SPATIAL + "[controller.noise]\nheading_deg = 1\n", r's\.toml:5:15: controller\.noise\.heading_deg: goes with robot\.model = "planar" or "minimal" or "wheeled" or "n_trailer", this robot is "spatial"'),
    Case("smooth friction of another model", AIKO + '[world]\nfriction_law = "smooth"\n', r's\.toml:4:16: world\.friction_law: goes with robot\.model = "minimal"'),
    Case("a solver of set-valued friction for the smooth", LINEARISED.replace("[controller]", 'friction_law = "smooth"\n[solver]\nname = "thesis"\n[controller]'), r's\.toml:8:8: solver\.name: goes with friction_law = "set_valued"'),
    Case("an activation of contacts for smooth friction", LINEARISED.replace("[controller]", 'friction_law = "smooth"\n[solver]\nactivation = "gap"\n[controller]'), r's\.toml:8:14: solver\.activation: goes with friction_law = "set_valued"'),
    Case("a tolerance of the integrator for set-valued friction", LINEARISED + "[solver.smooth]\nrtol = 1e-8\n", r's\.toml:9:8: solver\.smooth\.rtol: goes with friction_law = "smooth"'),
    Case("viscous friction in space", SPATIAL + "[world]\nviscous_friction = [0.1, 0.2]\n", r's\.toml:5:20: world\.viscous_friction: goes with robot\.model = "planar" or "minimal"'),
    Case("rotational friction in space", SPATIAL + "[world]\nrotational_friction = 0.1\n", r's\.toml:5:23: world\.rotational_friction: goes with robot\.model = "planar", this robot is "spatial"'),
    Case("rotational friction in minimal coordinates", LINEARISED, r'--set world\.rotational_friction=0\.1: world\.rotational_friction: goes with robot\.model = "planar", this robot is "minimal"', set=["world.rotational_friction=0.1"]),
    Case("rotational friction of wheels", '[robot]\nmodel = "wheeled"\nname = "piko"\n[world]\nrotational_friction = 0.1\n', r's\.toml:5:23: world\.rotational_friction: goes with robot\.model = "planar", this robot is "wheeled"'),
    Case("negative rotational friction", AIKO + "[world]\nrotational_friction = -0.1\n", r"s\.toml:4:23: world\.rotational_friction: expected a number from 0 to 1000000, got -0\.1"),
    Case("rotational friction that is no number", AIKO + "[world]\nrotational_friction = nan\n", r"s\.toml:4:23: world\.rotational_friction: .*got nan"),
    Case("negative viscous friction", AIKO + "[world]\nviscous_friction = [0.1, -0.2]\n", r"s\.toml:4:26: world\.viscous_friction: .*got -0\.2 as number 2"),
]

SNAKE = '[robot]\nname = "snake2d"\n'
ANNULAR = SNAKE + '[world.contact]\nkind = "annular"\n'
STRAINS = SNAKE + '[strain]\nlaw = "table"\nfile = "strains.csv"\n'
STRAIN_HEAD = "t,X,Gamma_X,Gamma_Y,Gamma_Z,K_X,K_Y,K_Z\n"


def strains(*rows):
    return {"strains.csv": STRAIN_HEAD + "".join(f"{row}\n" for row in rows)}


RODS = [
    Case("a rod without length, mass and radius", SNAKE + "length = 0.0\nmass_per_length = -1.0\nradius = 0.0\n",
         r"s\.toml:3:10: robot\.length: expected a number > 0", r"s\.toml:4:19: robot\.mass_per_length: expected a number > 0", r"s\.toml:5:10: robot\.radius: expected a number > 0"),
    Case("a worm whose sections turn inside out", '[robot]\nname = "earthworm"\n[strain]\nlaw = "peristalsis"\namplitude = 1.0\nspeed = 0.05\n', r"s\.toml:5:13: strain\.amplitude: sections would turn inside out: Gamma_X <= 0"),
    Case("a stretch that turns sections inside out later", 'duration = 9.0\n[robot]\nname = "free_rod"\n[strain]\nlaw = "waves"\n[[strain.wave]]\ncomponent = "Gamma_X"\namplitude = 1.2\nomega = 1.0\n', r"s\.toml:5:7: strain\.law: Gamma_X is .* at X = .* m, t = .* s: the section would turn inside out"),
    Case("a strain that the beam does not have", SNAKE + '[strain]\nlaw = "spiral"\n', r"s\.toml:4:7: strain\.law: moves K_Y, which the beam B5 does not have"),
    Case("a beam that does not bend, for the law that goes without saying", SNAKE + 'beam = "B7"\n', r"s\.toml:3:8: robot\.beam: the law moves K_Z, which the beam B7 does not have"),
    Case("a strain that there is not", SNAKE + '[strain]\nlaw = "waves"\n[[strain.wave]]\ncomponent = "K_z"\namplitude = nan\n', r's\.toml:6:13: strain\.wave\.1\.component: expected "Gamma_X".*got "K_z"', r"s\.toml:7:13: strain\.wave\.1\.amplitude: expected a number"),
    Case("a contact beyond the tail", ANNULAR + "abscissae = [0.1, 0.5, 1.0]\n", r"s\.toml:5:13: world\.contact\.abscissae: 1 m is not on the body"),
    Case("too few contacts to hold a rod", ANNULAR + "count = 2\n", r"s\.toml:5:9: world\.contact\.count: 2 contacts push in 2 directions, the rod moves in 3"),
    Case("a rod that slides along itself at any speed", '[robot]\nname = "snake2d"\n[strain]\nlaw = "waves"\n[[strain.wave]]\ncomponent = "K_Z"\noffset = 1.0\n[world.contact]\nkind = "annular"\n', r"s\.toml:4:7: strain\.law: the speed along a body of constant curvature is not determined"),
    Case("nothing held at the start", '[robot]\nname = "inchworm"\n[strain]\nlaw = "omega_bend"\n[world.contact]\nkind = "locked"\n', r"s\.toml:5:1: world\.contact\.clamp: the first clamp holds from 0 s on"),
    Case("anchorages without a wave", SNAKE + '[world.contact]\nkind = "sweeping"\n', r's\.toml:4:8: world\.contact\.kind: anchorages run with the wave of  law = "peristalsis"'),
    Case("a start twist that contacts determine", ANNULAR + "[start]\ntwist = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]\n", r"s\.toml:6:9: start\.twist: the contacts determine the twist"),
    Case("a force on links of a rod", SNAKE + '[[world.force]]\nlaw = "viscous"\nlinks = [1]\n', r"s\.toml:5:9: world\.force\.1\.links: a rod has no links"),
    Case("strains with a row twice and one missing", STRAINS, r"strains\.csv:5: strain\.file: X = 0 is there twice at t = 1, first in line 4", r"strains\.csv:4: strain\.file: there is no row for X = 1 at t = 1",
         files=strains("0,0,1,0,0,0,0,0", "0,1,1,0,0,0,0,0", "1,0,1,0,0,0,0,0", "1,0,1,0,0,0,0,0")),
    Case("strains of a part of the rod", STRAINS, r"strains\.csv: strain\.file: X goes from 0 to 0\.2 m, the rod from 0 to 1 m", files=strains("0,0,1,0,0,0,0,0", "0,0.1,1,0,0,0,0,0", "0,0.2,1,0,0,0,0,0")),
    Case("strains inside out and not numbers", STRAINS, r'strains\.csv:2:15: strain\.file: K_Z: expected a number .*got "nan"', r"strains\.csv:3:5: strain\.file: Gamma_X: expected a number > 0", files=strains("0,0,1,0,0,0,0,nan", "0,1,0,0,0,0,0,0")),
    Case("a folder of strains", STRAINS.replace("strains.csv", "."), r"\.: strain\.file: not a regular file"),
]

FILES = [
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
    Case("blanks alone", " \n\t\n", r"s\.toml: is empty"),
    Case("UTF-16", "[robot]".encode("utf-16"), r"s\.toml:1:1: is not a text file: byte 0xff"),
    Case("half of a surrogate pair in UTF-8", b'title = "\xed\xa0\x80"\n', r"s\.toml:1:10: is not a text file: byte 0xed"),
    Case("a character in more bytes than it needs", b'title = "\xe0\x80\x80"\n', r"s\.toml:1:10: is not a text file: byte 0xe0"),
    Case("a character cut off at the end of the file", b'title = "\xe2\x82', r"s\.toml:1:10: is not a text file: byte 0xe2"),
    Case("lists nested 2000 deep", "x = " + "[" * 2000 + "\n", r"s\.toml:1:\d+: syntax: .*nested"),
    Case("tables nested 2000 deep", "x = " + "{a=" * 2000 + "\n", r"s\.toml:1:\d+: syntax: .*nested"),
    Case("a letter outside ASCII and outside quotes", "é = 1\n", r"s\.toml:1:1: syntax: .*saw 'é'"),
    Case("a sign for the name of a table", "[$robot]\n", r"s\.toml:1:2: syntax: .*saw '\$'"),
    Case("a table that is never closed", "[robot\n", r"s\.toml:1:7: syntax: "),
    Case("a text that is never closed", 'title = "a\n' + AIKO, r"s\.toml:1:\d+: syntax: "),
    Case("a table given twice", 'robot.name = "aiko"\n[robot]\n', r"s\.toml:2:1: syntax: .*cannot redefine"),
    Case("two values in one line", "a = 1 b = 2\n", r"s\.toml:1:7: syntax: "),
    Case("a decimal without its first digit", "duration = .5\n", r"s\.toml:1:12: syntax: "),
    Case("a file without permission", AIKO, r"s\.toml: cannot be read: Permission denied", make=lambda d: (d / "s.toml").chmod(0), user=True),
]

INCLUDES = [
    Case("an include cycle", 'include = "b.toml"\n' + AIKO, r'b\.toml:1:11: include: "s\.toml" includes itself', files={"b.toml": 'include = "s.toml"\n'}),
    Case("an include that is not there", 'include = ["no.toml"]\n' + AIKO, r's\.toml:1:12: include: "no\.toml" no such file'),
    Case("a fault in an included file", 'include = "b.toml"\n' + AIKO, r"b\.toml:2:6: solver\.dt", files={"b.toml": "[solver]\ndt = -1\n"}),
    Case("a file that includes itself", 'include = "s.toml"\n', r's\.toml:1:11: include: "s\.toml" includes itself'),
    Case("an include that is a folder", 'include = "."\n' + AIKO, r's\.toml:1:11: include: "\." is a folder'),
    Case("an include that is a number", "include = 3\n" + AIKO, r"s\.toml:1:11: include: expected a path in quotes.*, got 3"),
    Case("an include of binary data", 'include = "b.toml"\n' + AIKO, r"b\.toml:1:1: is not a text file: byte 0x00", files={"b.toml": b"\x00\x01"}),
    Case("an empty include", 'include = "b.toml"\n' + AIKO, r"b\.toml: is empty", files={"b.toml": ""}),
    Case("300 includes", "include = [" + '"b.toml",' * 300 + "]\n" + AIKO, r"s\.toml:1:\d+: include: more than 256 includes", files={"b.toml": "# nothing\n"}),
]

SETTINGS = [
    Case("--set of an unknown key", AIKO, r"--set solver\.dtt=1: solver\.dtt: unknown key\n  hint: did you mean dt\?", set=["solver.dtt=1"]),
    Case("--set without a value", AIKO, r"--set solver\.dt: expected key=value", set=["solver.dt"]),
    Case("--set of something that is not TOML", AIKO, r"--set solver\.dt=\[1: solver\.dt: the value is not TOML", set=["solver.dt=[1"]),
    Case("--set out of range", AIKO, r"--set world\.gravity=nan: world\.gravity: .*got nan", set=["world.gravity=nan"]),
    Case("--set of a list entry that is not there", AIKO + "[world]\nobstacle = []\n", r"--set world\.obstacle\.1\.x=3: .*is a list of 0", set=["world.obstacle.1.x=3"]),
    Case("--set of nothing", AIKO, r"--set : expected key=value", set=[""]),
    Case("--set without a key", AIKO, r"--set =3: expected key=value", set=["=3"]),
    Case("--set of two dots", AIKO, r"--set solver\.\.dt=1: solver\.\.dt: is not a key", set=["solver..dt=1"]),
    Case("--set of a whole table to a number", AIKO, r"--set solver=1: solver: expected a table, got 1", set=["solver=1"]),
    Case("--set below a number", AIKO + "[solver]\ndt = 1e-3\n", r"--set solver\.dt\.x=1: solver\.dt\.x: solver\.dt is 0\.001, not a table", set=["solver.dt.x=1"]),
    Case("--set of two values", AIKO, r"--set solver\.dt=1e-3 2: solver\.dt: the value is not TOML", set=["solver.dt=1e-3 2"]),
    Case("--set of a text that is not closed", AIKO, r'--set title="a: title: the value is not TOML', set=['title="a']),
    Case("--set of an include", AIKO, r'--set include="b\.toml": include: cannot be set from the command line', set=['include="b.toml"']),
    Case("--set of a list entry that is no number", AIKO + PEG, r"--set world\.obstacle\.one\.x=3: .*it has no entry \"one\"", set=["world.obstacle.one.x=3"]),
]

TABLES = [
    Case("a table that is not there", TABLE, r's\.toml:6:9: gait\.table: no such file'),
    Case("a table that is not there, by --set", AIKO + '[gait]\nname = "table"\n', r"--set gait\.table=none\.csv: gait\.table: no such file: none\.csv\n  hint: a path in --set is relative to the folder that the command is called in", set=["gait.table=none.csv"]),
    Case("an obstacle table that is not there, by --set", AIKO, r"--set world\.obstacle_table=nofile: world\.obstacle_table: no such file: nofile\n  hint: a path in --set is relative to the folder that the command is called in", set=["world.obstacle_table=nofile"]),
    Case("NaN in a table", TABLE, r"angles\.csv:3:\d+: ", files=table("t,phi_1,phi_2\n0,0,0\n1,nan,0\n")),
    Case("a word in a table", TABLE, r"angles\.csv:3:\d+: ", files=table("t,phi_1,phi_2\n0,0,0\n1,left,0\n")),
    Case("a table with too few joints", TABLE, r"angles\.csv", files=table("t,phi_1\n0,0\n1,0\n")),
    Case("a table whose time runs back", TABLE, r"angles\.csv:4:\d+: ", files=table("t,phi_1,phi_2\n0,0,0\n1,0,0\n0.5,0,0\n")),
    Case("an empty table", TABLE, r"angles\.csv", files=table("")),
    Case("a table that is a folder", TABLE, r"s\.toml:6:9: gait\.table: not a regular file: angles\.csv", make=lambda d: (d / "angles.csv").mkdir()),
    Case("a table without permission", TABLE, r"angles\.csv: gait\.table: cannot be read", files=table("t\n"), make=lambda d: (d / "angles.csv").chmod(0), user=True),
    Case("a table of binary data", TABLE, r'angles\.csv:1:1: gait\.table: .*expected', files=table(bytes(range(256)))),
    Case("a table with too many joints", TABLE, r"angles\.csv:1:\d+: gait\.table: the header has 4 columns, the robot needs 3", files=table("t,phi_1,phi_2,phi_3\n0,0,0,0\n")),
    Case("a table without its header", TABLE, r'angles\.csv:1:1: gait\.table: expected the column name "t", got "0"', files=table("0,0,0\n1,0,0\n")),
    Case("a table of a header alone", TABLE, r"angles\.csv:2:1: gait\.table: has a header but no points", files=table("t,phi_1,phi_2\n")),
    Case("a line of a table with a number missing", TABLE, r"angles\.csv:2:4: gait\.table: expected 3 numbers .*, got 2", files=table("t,phi_1,phi_2\n0,0\n")),
    Case("a number beyond double in a table", TABLE, r"angles\.csv:2:3: gait\.table: expected a number, got \"1e999\"", files=table("t,phi_1,phi_2\n0,1e999,0\n")),
    Case("a time that comes twice in a table", TABLE, r"angles\.csv:3:1: gait\.table: time must increase", files=table("t,phi_1,phi_2\n0,0,0\n0,0,0\n")),
    Case("semicolons in a table", TABLE, r"angles\.csv:1:1: gait\.table: ", files=table("t;phi_1;phi_2\n0;0;0\n")),
]

TOGETHER = [
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

PIKO = '[robot]\nmodel = "wheeled"\nname = "piko"\n'
TURN = PIKO + '[path]\nshape = "turn"\n[controller]\nname = "n_trailer"\n'
LAID = AIKO + '[path]\nshape = "serpenoid"\n[start]\non_path = true\n'
TRAIN = '[robot]\nmodel = "n_trailer"\nname = "piko"\n[path]\nshape = "turn"\n'
FISH = '[robot]\nmodel = "multibody"\nname = "fish"\n[gait]\nname = "laws"\n[[gait.joint]]\njoint = 1\nlaw = "sin"\namplitude = 0.1\n'


def spline(points, more=""):
    return {"s.toml": PIKO + f'[path]\nshape = "spline"\ntable = "points.csv"\n{more}', "points.csv": points}


CYCLE = '[robot]\nmodel = "multibody"\nname = "unicycle"\n[gait]\nname = "laws"\n[[gait.base]]\naxis = "x"\nlaw = "held"\n'

WHEELS = [
    Case("a speed beside the motion of the first body", CYCLE + '[gait.drive]\nlaw = "held"\noffset = 1.0\n', r"s\.toml:\d+:\d+: gait\.drive: \[\[gait\.base\]\] gives the motion of the first body\n  hint: leave one out"),
    Case("a wheel that rolls beside the motion of the first body", CYCLE + '[[gait.wheel]]\nwheel = 1\nmotion = "roll"\nlaw = "ramp"\nrate = 1.0\n', r"s\.toml:\d+:\d+: gait\.wheel\.1\.motion: \[\[gait\.base\]\] gives the motion of the first body\n  hint: leave one out"),
    Case("a path for a tree", FISH + '[path]\nshape = "line"\n', r's\.toml:\d+:\d+: path: the model "multibody" follows no path'),
    Case("a wheel without a radius", PIKO + "link = { wheel_radius = 0.0 }\n", r"s\.toml:4:25: robot\.link\.wheel_radius: expected a number > 0"),
    Case("a wheel of negative inertia", PIKO + "link = { wheel_inertia = -1e-3 }\n", r"s\.toml:4:26: robot\.link\.wheel_inertia: expected a number > 0"),
    Case("an axle beyond its link", PIKO + "link = { axle_offset = 0.061 }\n", r"s\.toml:4:24: robot\.link\.axle_offset: expected a number between -0\.061 and 0\.061 .*got 0\.061\n  hint: the axle lies between"),
    Case("a negative track", PIKO + "link = { half_track = -0.01 }\n", r"s\.toml:4:23: robot\.link\.half_track: expected a number from 0 to 10000, got -0\.01"),
    Case("wheels of a robot that has none", AIKO + "link = { wheel_radius = 0.05 }\n", r's\.toml:3:25: robot\.link\.wheel_radius: goes with robot\.model = "wheeled" or "n_trailer"'),
    Case("a catalogue robot of another model", '[robot]\nname = "piko"\n', r's\.toml:2:8: robot\.name: "piko" goes with robot\.model = "wheeled" or "n_trailer", this model is "planar"'),
    Case("a path controller without a path", PIKO + '[controller]\nname = "n_trailer"\n', r's\.toml:5:8: controller\.name: "n_trailer" follows a path, and there is no \[path\]\n  hint: add'),
    Case("a path controller without wheels", AIKO + '[path]\nshape = "turn"\n[controller]\nname = "follow_the_leader"\n', r's\.toml:6:8: controller\.name: "follow_the_leader" is for robots with wheels, "planar" has none'),
    Case("a gait beside a path controller", TURN + '[gait]\nname = "lateral_undulation"\n', r's\.toml:8:1: gait: "n_trailer" makes the references itself'),
    Case("a period below the step", TURN + "period = 1e-4\n", r"s\.toml:8:10: controller\.period: 0\.0001 s is less than one step of 0\.001 s"),
    Case("a period between steps", TURN + "period = 0.0255\n", r"s\.toml:8:10: controller\.period: 0\.0255 s is no multiple of the step of 0\.001 s\n  hint: write  period = 0\.025"),
    Case("a path too narrow to steer round", TURN.replace('"turn"', '"turn"\nradius = 0.02'), r"s\.toml:4:1: path: has a curvature of 50 1/m, a radius of 0\.02 m: the head, 0\.079 m .* cannot be steered round less than 0\.03071 m"),
    Case("a steering limit of half a turn", TURN + "heading.limit = 3.0\n", r"s\.toml:8:17: controller\.heading\.limit: expected a number > 0, at most 1\.57, got 3"),
    Case("unequal links without lengths to reckon with", '[robot]\nmodel = "wheeled"\n' + "".join(f"[[robot.link]]\nmass = 1.2\ninertia = 0.002\nlength = {length}\nhalf_core = 0.04\nradius = 0.03\nwheel_radius = 0.065\nwheel_inertia = 0.002\nhalf_track = 0.041\n" for length in (0.12, 0.14)) + '[path]\nshape = "turn"\n[controller]\nname = "n_trailer"\n', r"s\.toml:23:1: controller\.trailer: the links differ: link 2 is 0\.07 and 0\.07 m"),
    Case("a chain of speeds for the n-trailer", TURN + 'wheel_speeds = "chain"\n', r's\.toml:8:16: controller\.wheel_speeds: goes with controller\.name = "follow_the_leader"'),
    Case("a path of no shape", PIKO + "[path]\nradius = 1.0\n", r's\.toml:5:10: path\.radius: goes with shape = "circle" or .*, and none is given'),
    Case("a key of another shape", PIKO + '[path]\nshape = "line"\nradius = 1.0\n', r's\.toml:6:10: path\.radius: goes with shape = .*, here it is \"line\"'),
    Case("an empty table of points", None, r"s\.toml:6:9: path\.table: is empty: points\.csv", files=spline("")),
    Case("a table of one point", None, r"s\.toml:6:9: path\.table: a spline needs at least 2 points, here are 1", files=spline("x,y\n0,0\n")),
    Case("equal neighbours", None, r"points\.csv:4:1: path\.table: the point is the one before", files=spline("x,y\n0,0\n1,0\n1,0\n2,1\n")),
    Case("a point that is no number", None, r"points\.csv:3:3: path\.table", files=spline("x,y\n0,0\n1,nan\n2,1\n")),
    Case("a missing table of points", PIKO + '[path]\nshape = "spline"\ntable = "nowhere.csv"\n', r"s\.toml:6:9: path\.table: .*nowhere\.csv"),
    Case("a closed path of two points", None, r"s\.toml:6:9: path\.table: a closed spline needs at least 3 points", files=spline("x,y\n0,0\n1,0\n", "closed = true\n")),
    Case("pieces without a piece", PIKO + '[path]\nshape = "pieces"\n', r's\.toml:5:9: path\.shape: "pieces" needs at least one \[\[path\.piece\]\]'),
    Case("a piece of no length", PIKO + '[path]\nshape = "pieces"\n[[path.piece]]\nlength = 0\n', r"s\.toml:7:10: path\.piece\.1\.length: expected a number > 0.*got 0"),
    Case("a piece of no shape", PIKO + '[path]\n[[path.piece]]\nlength = 1.0\n[controller]\nname = "n_trailer"\n', r"s\.toml:4:1: path: needs the key path\.shape"),
    Case("points of three numbers and of words", PIKO + '[path]\nshape = "spline"\npoints = [[0, 0], [1, 0, 2], [2, "a"]]\n', r"s\.toml:6:19: path\.points: expected two numbers .*, got a list of 3 as pair 2", r's\.toml:6:30: path\.points: expected two numbers .*, got in it "a" as pair 3'),
    Case("points that turn back along a line", PIKO + '[path]\nshape = "spline"\npoints = [[0, 0], [3, 0], [2, 0], [5, 0]]\n', r"s\.toml:6:10: path\.points: the path stops at point 2, \(3, 0\), and turns back there"),
    Case("a table of points that turns back", None, r"s\.toml:6:9: path\.table: the path stops at point 2, \(1, 0\), and turns back there", files=spline("x,y\n0,0\n1,0\n0,0\n")),
    Case("a robot on wheels that is not described", '[robot]\nmodel = "wheeled"\n', r's\.toml:1:1: robot: the robot is not fully described.*\n  hint: give them, or start from a catalogue robot:  name = "piko"'),
    Case("a place beside the path", TURN + "[start]\nposition = [1.0, 0.0]\n", r"s\.toml:9:12: start\.position: the robot starts on its path, straight\n  hint: leave it out, or write  on_path = false"),
    Case("angles beside the path", LAID + "link_angle = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\nlink_rate = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n", r"s\.toml:7:14: start\.link_angle: the robot starts on its path, laid along it\n  hint: leave it out, or write  on_path = false", r"s\.toml:8:13: start\.link_rate: the robot starts on its path, laid along it"),
    Case("a place, a shape and a link beside the path", LAID + 'position = [0.0, 0.0]\nheading_deg = 90.0\nlink = 2\nshape = "straight"\n', r"s\.toml:7:12: start\.position: the robot starts on its path, laid along it", r"s\.toml:8:15: start\.heading_deg: ", r"s\.toml:9:8: start\.link: ", r"s\.toml:10:9: start\.shape: "),
    Case("a velocity beside the path", LAID + 'velocity = [0.1, 0.0]\nplace = "mean"\n', r"s\.toml:7:12: start\.velocity: the robot starts on its path, laid along it", r"s\.toml:8:9: start\.place: "),
    Case("an offset of a robot that is laid on its path", LAID + "offset = 0.1\n", r's\.toml:7:10: start\.offset: goes with robot\.model = "wheeled" or "n_trailer", this robot is "planar"'),
    Case("an arc length of a robot on wheels", TURN + "[start]\ns = 1.0\n", r's\.toml:9:5: start\.s: goes with robot\.model = "planar", this robot is "wheeled"'),
    Case("an arc length of a robot that is not on a path", LAID.replace("on_path = true", "s = 1.0"), r"s\.toml:6:5: start\.s: is counted along a path, and the robot does not start on one\n  hint: write  on_path = true"),
    Case("a speed of a robot that is not on a path", AIKO + "[start]\nspeed = 0.1\n", r"s\.toml:4:9: start\.speed: is along a path, and the robot does not start on one\n  hint: give start\.velocity"),
    Case("a planar start on no path", AIKO + "[start]\non_path = true\n", r"s\.toml:4:11: start\.on_path: there is no \[path\] to start on"),
    Case("a start on a path in space", SPATIAL + "[start]\non_path = true\n", r's\.toml:5:11: start\.on_path: goes with robot\.model = "planar" or "wheeled" or "n_trailer"'),
    Case("a start on a path in minimal coordinates", '[robot]\nmodel = "minimal"\nname = "aiko"\n[start]\non_path = true\n', r's\.toml:5:11: start\.on_path: goes with robot\.model = "planar" or "wheeled" or "n_trailer"'),
    Case("a path curled tighter than a link", LAID.replace("serpenoid", "circle") , r"s\.toml:6:11: start\.on_path: link 2, 0\.122 m long, finds no place on the path beyond s = [\d.]+ m: the path is curled too tightly there\n  hint: widen the path", set=["path.radius=0.05", "path.straight=1.1"]),
    Case("a robot laid into a peg", LAID + PEG, r"s\.toml:7:1: world\.obstacle"),
    Case("a speed of joints that follow their gait", LAID + 'speed = 0.1\n[controller]\nname = "prescribed"\n', r"s\.toml:7:9: start\.speed: joints follow the gait from the start on"),
    Case("a start on no path", PIKO + "[start]\non_path = true\n", r"s\.toml:5:11: start\.on_path: there is no \[path\] to start on"),
    Case("too few link angles", AIKO + "[start]\nlink_angle = [0.0, 0.1]\n", r"s\.toml:4:14: start\.link_angle: has 2 numbers, the robot has 11 links"),
    Case("link angles beside a shape", AIKO + "links = 2\n[start]\nlink_angle = [0.0, 0.1]\nheading_deg = 90.0\n", r"s\.toml:6:15: start\.heading_deg: the angles of all links are given by start\.link_angle"),
    Case("a link placed with the whole robot", AIKO + '[start]\nplace = "mean"\nlink = 2\n', r"s\.toml:5:8: start\.link: start\.place does not place a link"),
    Case("a velocity beside a speed", PIKO + "[start]\nvelocity = [0.1, 0.0]\nspeed = 0.1\n", r"s\.toml:6:9: start\.speed: start\.velocity says how the robot moves"),
    Case("a train under another controller", TRAIN, r's\.toml: controller\.name: the model "n_trailer" is steered at its head, "pd" does not do that'),
    Case("motors of a train without dynamics", TRAIN + '[controller]\nname = "n_trailer"\nkp = 100.0\n', r's\.toml:8:6: controller\.kp: the model "n_trailer" has no motors in its joints'),
    Case("a world of a train without dynamics", TRAIN + '[controller]\nname = "n_trailer"\n[world]\nfriction = [0.3, 0.3]\n', r's\.toml:9:12: world\.friction: goes with robot\.model'),
    Case("a path with the last link ahead", TURN.replace('"turn"', '"turn"\nleads = "last"'), r"s\.toml:6:9: path\.leads: a robot on wheels drives with link 1 ahead"),
    Case("a path driven backwards", TURN + "speed = -0.5\n", r's\.toml:8:9: controller\.speed: expected a number > 0 with "n_trailer", got -0\.5'),
    Case("noise that a path follower does not see", TURN + "noise.velocity = 0.1\n", r's\.toml:8:18: controller\.noise\.velocity: "n_trailer" looks at place and heading of link 1'),
    Case("odometry that nobody counts", TURN + "noise.odometry = 0.1\n", r"s\.toml:8:18: controller\.noise\.odometry: .n_trailer. does not count the wheels' travel"),
    Case("rates of joints that follow their gait", AIKO + '[start]\nlink_rate = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n[controller]\nname = "prescribed"\n', r"s\.toml:4:13: start\.link_rate: joints follow the gait from the start on"),
    Case("a linearising controller on wheels", PIKO + '[controller]\nname = "input_output_linearisation"\n', r's\.toml:5:8: controller\.name: "input_output_linearisation" is for planar models with friction points'),
]

SHORT = AIKO + "links = 5\n"
TOUCHED = SHORT + '[[force_map.contact]]\nlink = 2\nside = "left"\n'
LINE = SHORT + '[path]\nshape = "line"\n[controller]\ntorque_limit = 4.0\n'
MAP = {"commands": ("check", "force-map")}
QUALITY = {"commands": ("quality",)}

FORCE_MAP = [
    Case("a contact on a link that is not there", SHORT + '[[force_map.contact]]\nlink = 9\nside = "left"\n', r"s\.toml:5:8: force_map\.contact\.1\.link: there is no link 9, the robot has 5", **MAP),
    Case("two contacts on one link", TOUCHED + '[[force_map.contact]]\nlink = 2\nside = "right"\n', r"s\.toml:8:8: force_map\.contact\.2\.link: link 2 has a contact already, number 1\n  hint: the map has one contact per link", **MAP),
    Case("a contact beyond its link", TOUCHED + "at = 0.2\n", r"s\.toml:7:6: force_map\.contact\.1\.at: 0\.2 m from the centre of gravity is not on link 2, which reaches from -0\.061 to 0\.061 m", **MAP),
    Case("a contact without a side", SHORT + "[[force_map.contact]]\nlink = 2\n", r"s\.toml:4:1: force_map\.contact\.1: missing: side", **MAP),
    Case("a contact on neither side", TOUCHED.replace("left", "middle"), r's\.toml:6:8: force_map\.contact\.1\.side: expected "left" or "right", got "middle"', **MAP),
    Case("a contact with negative friction", TOUCHED + "friction = -0.1\n", r"s\.toml:7:12: force_map\.contact\.1\.friction: expected a number from 0 to 1000, got -0\.1", **MAP),
    Case("weights for other joints", SHORT + "[force_map]\nweight_torque = [1, 2]\n", r"s\.toml:5:17: force_map\.weight_torque: has 2 numbers, the robot has 4 joints", **MAP),
    Case("a weight of zero", SHORT + "[force_map]\nweight_slack = 0\n", r"s\.toml:5:16: force_map\.weight_slack: expected a number > 0", **MAP),
    Case("three weights of slack", SHORT + "[force_map]\nweight_slack = [1, 1, 1]\n", r"s\.toml:5:16: force_map\.weight_slack: has 3 numbers, there are two weights", **MAP),
    Case("a controlled link named twice", SHORT + "[force_map.wish]\nlinks = [1, 1]\n", r"s\.toml:5:9: force_map\.wish\.links: link 1 is named twice", **MAP),
    Case("a controlled link that is not there", SHORT + "[force_map.wish]\nlinks = [6]\n", r"s\.toml:5:9: force_map\.wish\.links: there is no link 6, the robot has 5", **MAP),
    Case("half a controlled link", SHORT + "[force_map.wish]\nlinks = [1.5]\n", r"s\.toml:5:9: force_map\.wish\.links: there is no link 1\.5, the robot has 5", **MAP),
    Case("controlled links by a word that is none", SHORT + '[force_map.wish]\nlinks = "some"\n', r's\.toml:5:9: force_map\.wish\.links: expected "contacts" or "all", or a list of numbers .* got "some"', **MAP),
    Case("a wished place of one number", SHORT + "[force_map.wish]\nposition = [1]\n", r"s\.toml:5:12: force_map\.wish\.position: has 1 numbers, a place has two", **MAP),
    Case("angles for other links", SHORT + "[force_map.wish]\nlinks = [1, 2]\nangle = [0.1]\n", r"s\.toml:6:9: force_map\.wish\.angle: has 1 numbers for 2 controlled links", **MAP),
    Case("a wished rate that is no number", SHORT + "[force_map.wish]\nlinks = [1]\nrate = [nan]\n", r"s\.toml:6:9: force_map\.wish\.rate: .*got nan as number 1", **MAP),
    Case("a force map in space", '[robot]\nmodel = "spatial"\nname = "aiko"\n', r's\.toml:2:9: robot\.model: expected "planar", got "spatial"\n  hint: the force map is of robots in the plane', commands=("force-map", "quality")),
    Case("a force map on wheels", '[robot]\nmodel = "wheeled"\nname = "piko"\n', r's\.toml:2:9: robot\.model: expected "planar", got "wheeled"', commands=("force-map", "quality")),
    Case("a force map on a slope", SHORT + "[world]\ntilt_deg = 3\n", r"s\.toml:5:12: world\.tilt_deg: the force map is for level ground", commands=("force-map", "quality")),
    Case("a force map of one link", AIKO + "links = 1\n", r"s\.toml:3:9: robot\.links: the force map needs at least two links", commands=("force-map", "quality")),
    Case("the quality of no path", SHORT, r"s\.toml: path: quality is of a path, and there is no \[path\]", **QUALITY),
    Case("quality without a limit", SHORT + '[path]\nshape = "line"\n', r"s\.toml: controller\.torque_limit: quality is a question of limits, and there is none", **QUALITY),
    Case("places that end before they begin", LINE + "[quality]\nfrom = 2\nto = 1\n", r"s\.toml:10:6: quality\.to: expected more than from = 2, got 1", commands=("check", "quality")),
    Case("places that end where they begin", LINE + "[quality]\nfrom = 0.5\nto = 0.5000000001\nstep = 1e-10\n", r"s\.toml:10:6: quality\.to: expected more than from = 0\.5, got 0\.5000000001", commands=("check", "quality")),
    Case("too many places", LINE + "[quality]\nfrom = 0\nto = 1\nstep = 1e-7\n", r"s\.toml:11:8: quality\.step: 1e\+07 places, the limit is 100000\n  hint: take at least  step = 1e-05", commands=("check", "quality")),
    Case("a path curled tighter than a link", LINE.replace('"line"', '"circle"\nradius = 0.03\nstraight = 0.2'), r"s\.toml:4:1: path: the robot does not fit on it with its rear end at s = 0\.5 m", **QUALITY),
    Case("wheels that follow their last link", '[robot]\nmodel = "wheeled"\nname = "piko"\n[path]\nshape = "line"\nleads = "last"\n', r"s\.toml:6:9: path\.leads: a robot on wheels drives with link 1 ahead"),
]

LASSO = """[robot]
name = "lasso15"
[start]
heading_deg = 20
yaws_deg = [2, 2, 2, 2, 2, 2, 8, -10, -20, -25, 25, 30, -20, -25]
rises = "level"
[world.object]
tangent_to = 8
radius = 0.75
[controller]
inverse = "weighted"
[[task]]
kind = "lasso"
first_link = 8
contacts = 3
"""
GRASP = [
    Case("a cylinder too small for the links", LASSO.replace("0.75", "0.5"), r"s\.toml:9:10: world\.object\.radius: links would wrap at rho = 0\.55 m; below 0\.6 m"),
    Case("more contacts than links ahead", LASSO.replace("contacts = 3", "contacts = 9"), r"s\.toml:15:12: task\.1\.contacts: 9 contacts, from link 8 on there are 7 links ahead and itself\n  hint: take at most 8"),
    Case("a lasso that names its links", LASSO.replace("contacts = 3", "contacts = [6, 7, 8]"), r"s\.toml:15:12: task\.1\.contacts: a lasso counts its contacts"),
    Case("a lasso that begins on wheels", LASSO.replace("first_link = 8", "first_link = 11"), r"s\.toml:14:14: task\.1\.first_link: link 11 is on wheels"),
    Case("a lasso that begins with a link that is not there", LASSO.replace("first_link = 8", "first_link = 16"), r"s\.toml:14:14: task\.1\.first_link: there is no link 16, the robot has 15"),
    Case("a lasso that begins away from its object", LASSO.replace("first_link = 8", "first_link = 7"), r"s\.toml:14:14: task\.1\.first_link: link 7 is 0\.1404 m from touching the object", commands=("run",)),
    Case("an object in the robot's way", LASSO.replace("tangent_to = 8", "x = 3.0\ny = 1.2"), r"s\.toml:7:1: world\.object: link \d is [\d.]+ m inside the object", commands=("run",)),
    Case("an object that nothing places", LASSO.replace("tangent_to = 8\n", ""), r"s\.toml:7:1: world\.object: nothing says where the object is"),
    Case("an object placed twice", LASSO.replace("tangent_to = 8", "tangent_to = 8\nx = 3.0"), r"s\.toml:8:14: world\.object\.tangent_to: x and y place the object too"),
    Case("a prism with its corners clockwise", LASSO.replace("radius = 0.75", 'shape = "prism"\nvertices = [[1.15, 0], [0, -1.15], [-1.15, 0], [0, 1.15]]'), r"s\.toml:10:12: world\.object\.vertices: the polygon is not convex and counter-clockwise at corner 2"),
    Case("a drag of nothing", LASSO.replace('"lasso"\nfirst_link = 8\ncontacts = 3', '"drag"\ngoal = [1, 1]\nduration = 4'), r"s\.toml:13:8: task\.1\.kind: nothing has been grasped before\n  hint: write a lasso before it"),
    Case("a drag without time to move", LASSO + '[[task]]\nkind = "drag"\nduration = 0.5\n', r"s\.toml:18:12: task\.2\.duration: 0\.5 s leave no time to move"),
    Case("a regrasp without stiffness", LASSO + '[[task]]\nkind = "regrasp"\npush = [1, 0, 0]\nduration = 4\n', r"s\.toml:17:8: task\.2\.kind: a regrasp needs the grasp's stiffness"),
    Case("four links held at once", '[robot]\nname = "lasso15"\n[[task]]\nkind = "pose"\ncontacts = [5, 6, 7, 8]\nduration = 1\n', r"s\.toml:5:12: task\.1\.contacts: 4 links, at most 3 can be held at once"),
    Case("rises of other links", '[robot]\nname = "lasso15"\n[[task]]\nkind = "pose"\nrises = [0.1, 0.2]\nduration = 1\n', r"s\.toml:5:9: task\.1\.rises: has 2 heights, the robot has 14 joints"),
    Case("a goal of a pose", '[robot]\nname = "lasso15"\n[[task]]\nkind = "pose"\ngoal = [1, 2]\nduration = 1\n', r's\.toml:5:8: task\.1\.goal: goes with  kind = "drag" or "approach"'),
    Case("three links on wheels", '[robot]\nname = "lasso15"\nwheeled_links = [10, 11, 12]\n', r"s\.toml:3:17: robot\.wheeled_links: 3 links on wheels do not determine the head's motion"),
    Case("an integrator of other models", '[robot]\nname = "lasso15"\n[solver]\nintegrator = "cvode"\n', r's\.toml:4:14: solver\.integrator: expected "rk4" or "euler", got "cvode"'),
    Case("heights that no link reaches", LASSO.replace('rises = "level"', 'rises = "level"\nheight = 3'), r"s\.toml:7:10: start\.height: link 8 would have to be steeper than it can be", commands=("run",)),
    Case("two stiffnesses for three", LASSO + "[stiffness]\nk_t = [50, 50]\nk_n = [50, 50, 50]\n", r"s\.toml:18:7: stiffness\.k_n: has 3 numbers, k_t has 2"),
    Case("a stiffness for one contact of three", LASSO + "[stiffness]\nk_t = [50]\nk_n = [50]\n", r"s\.toml:17:7: stiffness\.k_t: has 1 numbers, task\.1 makes 3 contacts"),
]

LOOP = LAID + '[controller]\nname = "force_mapping"\n'  # its keys are on line 9

FORCE_LOOP = [
    Case("a closed loop without a path", AIKO + '[controller]\nname = "force_mapping"\n', r's\.toml:4:8: controller\.name: "force_mapping" follows a path, and there is no \[path\]\n  hint: add'),
    Case("a closed loop on wheels", TURN.replace("n_trailer", "force_mapping"), r's\.toml:7:8: controller\.name: "force_mapping" goes with robot\.model = "planar", this robot is "wheeled"'),
    Case("a closed loop in space", SPATIAL + '[path]\nshape = "serpenoid"\n[controller]\nname = "force_mapping"\n', r's\.toml:7:8: controller\.name: "force_mapping" goes with robot\.model = "planar", this robot is "spatial"'),
    Case("a robot that starts off its path", AIKO + '[path]\nshape = "line"\n[start]\nposition = [0.0, 0.2]\nheading_deg = 180.0\n[controller]\nname = "force_mapping"\n', r"s\.toml:5:1: start: the robot starts 0\.2 m off its path, more than the radius of a link, 0\.0525 m\n  hint: write  on_path = true"),
    Case("a path that is curled tighter than a link", AIKO + '[path]\nshape = "pieces"\n[[path.piece]]\nlength = 2.0\ncurvature = 0.0\n[[path.piece]]\nlength = 1.0\ncurvature = 25.0\n[start]\non_path = true\n[controller]\nname = "force_mapping"\nspeed = 1.0\n[solver]\n', r"s\.toml:3:1: path: the robot does not fit on it with its rear end at s = .* m: the path is curled tighter"),
    Case("a wish that may not run ahead", LOOP + "lead = 0\n", r"s\.toml:9:8: controller\.lead: expected a number > 0, got 0"),
    Case("no reach", LOOP + "reach = 0.0\n", r"s\.toml:9:9: controller\.reach: expected a number > 0, at most 10, got 0"),
    Case("a tick between steps", LOOP + "period = 0.0015\n", r"s\.toml:9:10: controller\.period: 0\.0015 s is no multiple of the step of 0\.001 s"),
    Case("a tick shorter than a step", LOOP + "period = 0.0001\n", r"s\.toml:9:10: controller\.period: 0\.0001 s is less than one step of 0\.001 s"),
    Case("servos of a step's start in a closed loop", LOOP + 'servo = "explicit"\n', r"s\.toml:9:9: controller\.servo: the servos that stand in for the map are part of the step"),
    Case("a wish that goes backwards", LOOP + "speed = -0.1\n", r's\.toml:9:9: controller\.speed: expected a number > 0 with "force_mapping", got -0\.1'),
    Case("a gait beside a closed loop", LOOP + '[gait]\nname = "lateral_undulation"\n', r's\.toml:9:1: gait: "force_mapping" makes the references itself'),
    Case("a closed loop on a slope", LOOP + "[world]\ntilt_deg = 5.0\n", r's\.toml:10:12: world\.tilt_deg: "force_mapping" is for level ground'),
    Case("a closed loop without joints", LOOP.replace('name = "aiko"', 'name = "aiko"\nlinks = 1', 1), r's\.toml:3:9: robot\.links: "force_mapping" needs at least two links'),
    Case("friction assumed for one thing only", LOOP + "assumed_friction = 0.3\n", r"s\.toml:9:20: controller\.assumed_friction: expected two numbers"),
    Case("friction assumed below zero", LOOP + "assumed_friction = [0.3, -0.3]\n", r"s\.toml:9:26: controller\.assumed_friction: expected .*got -0\.3 as number 2"),
    Case("a map that is a word", LOOP + 'map = "no"\n', r's\.toml:9:7: controller\.map: expected true or false, got "no"'),
    Case("a speed of joint servos without wheels", AIKO + '[controller]\nspeed = 0.2\n', r's\.toml:4:9: controller\.speed: goes with controller\.name = "force_mapping", this controller is "pd"'),
    Case("a reach of joint servos", AIKO + "[controller]\nreach = 0.01\n", r's\.toml:4:9: controller\.reach: goes with controller\.name = "force_mapping", this controller is "pd"'),
    Case("demanded links that are not there", SHORT + "[path]\nshape = \"line\"\n[controller]\ntorque_limit = 1\n[quality]\nlinks = [7]\n", r"s\.toml:9:9: quality\.links: there is no link 7, the robot has 5", commands=("check", "quality")),
]

GROUPS = {
    "Keys": KEYS,
    "Numbers": NUMBERS,
    "Obstacles": OBSTACLES,
    "The snake in space": SPACE,
    "Controllers and the minimal model": CONTROLLERS,
    "Wheels, paths and starts": WHEELS,
    "Force maps and the quality of paths": FORCE_MAP,
    "Force maps in closed loop": FORCE_LOOP,
    "Rods": RODS,
    "Grasping": GRASP,
    "Files": FILES,
    "Includes": INCLUDES,
    "`--set`": SETTINGS,
    "Tables of joint angles": TABLES,
    "Several at once": TOGETHER,
}

# What is odd and runs all the same, with a warning: here `faults` are the warnings.
THESIS_FACTOR = AIKO + "[solver.thesis]\nr_T = 0.2\n"
ODD = [
    Case("noise of link 1 for servos, which look at joints", AIKO + "[controller.noise]\nposition = 0.1\njoint_deg = 0.1\nvelocity = 0.2\n", r'controller\.noise\.position, controller\.noise\.velocity: no effect, the controller "pd" looks at the joints'),
    Case("a factor of the thesis' solver for another", THESIS_FACTOR + "r_H = 0.01\n", r'solver\.thesis\.r_T: no effect, solver\.name is "newton" and these go with "thesis"$'),
    Case("friction smoothing where nothing is smooth", AIKO + "[world]\nfriction_smoothing = 1e-2\n", r"world\.friction_smoothing has no effect"),
    Case("a circle too small for trailers", PIKO + '[path]\nshape = "circle"\nradius = 0.1\n[controller]\nname = "n_trailer"\n', r"path: a radius of 0\.1 m is too small for 6 links to roll round one behind the other, that takes 0\.1482 m"),
    Case("explicit wheels in long steps", TURN + 'servo = "explicit"\nkw = 5.0\nkp = 50.0\nkd = 0.5\n', r'controller\.servo = "explicit": wheels that slip are stable for dt below 0\.0008 s with kw = 5'),
    Case("a curved start", PIKO + '[path]\nshape = "serpenoid"\nwavelength = 4.0\n[controller]\nname = "n_trailer"\n', r"path: link 6 starts .* m off it, link 1 .* m: that counts in path_error"),
    Case("a start that faces away from the path", TURN + "[start]\non_path = false\nheading_deg = 0.0\n", r"start\.heading_deg: link 1 starts facing away from the path, 180 degrees off its direction"),
    Case("a look at the robot that comes after the run", TURN + "period = 100.0\nspeed = 0.5\n", r"controller\.period = 100 s is not shorter than the 6\.356 s that the motors run"),
    Case("a period too long to steer by", TURN + "speed = 1.4\n", r"controller\.period = 0\.025 s is too long for 1\.4 m/s: the steering is unstable, .*take  period = 0\.01"),
    Case("a rod whose shape outruns the steps", 'duration = 0.02\n[robot]\nname = "eel"\n[strain]\nlaw = "swim"\namplitude = 0.6\nomega = 50.0\n', r"strain\.omega: the shape has a period of 0\.1257 s, 12\.57 times solver\.dt = 0\.01 s: fewer than 20 steps a period do not follow it"),
    Case("a rod of few elements", 'duration = 0.02\n[robot]\nname = "eel"\nelements = 6\n[strain]\nlaw = "swim"\namplitude = 0.6\nomega = 6.0\n', r"robot\.elements: 6 are few for this shape: .*write  elements = 10"),
    Case("axles far ahead in a long robot", TURN.replace('"piko"\n', '"piko"\nlink = { axle_offset = -0.018 }\n') + "speed = 0.5\n", r"L_PJ = 0\.043 m, L_JP = 0\.079 m: with axles ahead of the links' middles jumps of the steering grow by 1\.84 from link to link, 20\.9 times to the last, and the steering is unstable"),
    Case("one link on wheels to follow a path", TURN.replace('"piko"\n', '"piko"\nlinks = 1\n') + "speed = 0.5\n", r"robot\.links = 1: no joints to steer with, so it drives straight on"),
    Case("a run cut short before its motors start", "duration = 4.0\n" + AIKO + "[controller]\nstart_time = 3.0\n", r"controller\.start_time = 3 s: the motors are off for the whole run, which ends at 2 s", set=["duration=2"]),
    Case("the inertia of another link", AIKO + "link = { inertia = 2.65 }\n", r"robot\.link\.inertia = 2\.65 kg m²: a radius of gyration of 1\.97 m, in a link of 0\.122 m"),
    Case("a duration of three and a half steps", "duration = 0.35\n" + AIKO + "[solver]\ndt = 0.1\n", r"duration = 0\.35 s: the run ends at 0\.[34] s, after whole steps of 0\.1 s"),
    Case("prescribed joints of one link", AIKO + 'links = 1\n[controller]\nname = "prescribed"\n', r"robot\.links = 1: no joints"),
    Case("a gait for one link", AIKO + "links = 1\n[gait]\namplitude_deg = 30\n", r"robot\.links = 1: no joints, so \[gait\] and \[controller\] have no effect"),
    Case("a core longer than its link", AIKO + "link = { length = 0.1, half_core = 30 }\n", r"robot\.link\.half_core = 30 m: the capsule's core, 60 m, is longer than the link, 0\.1 m"),
    Case("a core longer than its link, of one among many", AIKO + "links = 2\n[[robot.link]]\n[[robot.link]]\nhalf_core = 0.0786\n", r"robot\.link\.2\.half_core = 0\.0786 m: "),
    Case("a link wider than the robot is long", AIKO + "link = { radius = 5.25 }\n", r"robot\.link\.radius = 5\.25 m: the link is wider than the robot is long, 1\.34"),
    Case("a table that turns a joint two hundred times", TABLE, r"gait\.table: column phi_2 reaches 7e\+04 deg, more than half a turn; tables are in degrees", files=table("t,phi_1,phi_2\n0,0,0\n1,0,-70000\n")),
    Case("a table whose cubic swings out", TABLE, r"gait\.table: between its points column phi_1 reaches -337\.7 deg at t = 0\.392 s, 337\.7 deg beyond all of its points \(0 to 30 deg\)", files=table("t,phi_1,phi_2\n0,0,0\n1,0,0\n1.05,30,0\n2.05,30,0\n3.05,30,0\n")),
    Case("a gait faster than its steps", AIKO + "[solver]\ndt = 1e-2\n[gait]\nomega_deg = 36000\n", r"gait\.omega_deg: the reference has a period of 0\.01 s, 1 times solver\.dt = 0\.01 s: with fewer than 20 steps a period .* write  dt = 0\.0005  in \[solver\], or take a slower gait"),
    Case("a law faster than its steps", FISH + "omega = 100\n", r"gait\.joint\.1\.omega: the reference has a period of 0\.06283 s, 6\.283 times solver\.dt = 0\.01 s: .* write  dt = 0\.002  in"),
    Case("numbers that a law does not take", FISH + "rate = 3\nstart = 0.4\n", r'gait\.joint\.1: rate, start have no effect: law = "sin" takes amplitude, omega, phase, offset'),
    Case("a heading of a wheel that a law steers", '[robot]\nmodel = "multibody"\nname = "car_trailers"\n[[robot.wheel]]\nbody = "car"\nkind = "steered"\nheading_deg = 90.0\n[gait]\nname = "laws"\n[[gait.wheel]]\nwheel = 1\nlaw = "held"\n', r"robot\.wheel\.1\.heading_deg has no effect: gait\.wheel\.1 gives the heading; the law's offset is added to it"),
    Case("numbers of another force law", FISH + '[[world.force]]\nlaw = "viscous"\nc_along = 2\nmu_along = 0.1\nload = 5\n', r'world\.force\.1: mu_along, load have no effect with law = "viscous"'),
    Case("a tolerance for steps that do not adapt", FISH.replace("[gait]", "[solver]\nsmooth.rtol = 1e-3\n[gait]"), r'solver\.smooth\.rtol has no effect: integrator = "rk4" takes steps of solver\.dt'),
    Case("wheels farther apart than the robot is long", TURN.replace('"piko"\n', '"piko"\nlink = { half_track = 5 }\n') + "speed = 0.5\n", r"robot\.link\.half_track = 5 m: the wheels are farther apart than the robot is long, 0\.732 m"),
    Case("a table whose points are closer than its steps", TABLE + "[solver]\ndt = 1e-2\n", r"gait\.table: steps of solver\.dt = 0\.01 s pass over points of it: at t = 0\.50\d+ s column phi_1 is [\d.]+ % of its range away from the line between the steps; write  dt = 0\.000\d+  in \[solver\], or leave points out", files=table("t,phi_1,phi_2\n" + "".join(f"{0.002 * k:.3f},{20 * (k == 252)},0\n" for k in range(501)))),
    Case("a table that begins after the run's end", "duration = 5\n" + TABLE, r"gait\.table: its times, 100 to 102 s, lie outside 0 to 5 s: the joints are held at its first point", files=table("t,phi_1,phi_2\n100,0,0\n102,10,5\n")),
    Case("a table that ends before the run begins", "duration = 5\n" + TABLE, r"gait\.table: its times, -2 to 0 s, lie outside 0 to 5 s: the joints are held at its last point", files=table("t,phi_1,phi_2\n-2,0,0\n0,10,5\n")),
    Case("a table of obstacles without any", AIKO + '[world]\nobstacle_table = "pegs.csv"\n', r"world\.obstacle_table: pegs\.csv has a header and no obstacles", files={"pegs.csv": "x,y,radius\n"}),
    Case("two friction points in one", AIKO + "friction_points = 2\nlink = { half_core = 0.0 }\n", r"robot\.friction_points = 2: with half_core = 0 both points of link 1 are in one, and no friction resists its turning"),
    Case("a robot bent away from its heading", AIKO + "links = 4\n[gait]\namplitude_deg = 90\nphase_deg = -60\n", r"start\.heading_deg = 180: link 4 lies at 214\.6 deg as seen from link 1, 34\.6 deg off: .* write a list in start\.shape or start\.link_angle, for another direction another heading_deg"),
    Case("a robot in space bent away from its heading", SPATIAL + "links = 5\n[gait]\namplitude_deg = 80\nphase_deg = -45\n", r"start\.heading_deg = 180: link 5 lies at 217\.3 .* write a list in start\.shape, for another direction another heading_deg"),
    Case("a start at a peg", AIKO + 'links = 1\n[start]\nshape = "straight"\nvelocity = [3.0, 0.0]\n[[world.obstacle]]\nx = 0.1128\ny = 0\nradius = 0.02\n', r"start\.velocity: link 1 meets obstacle 1 at 3 m/s within half a step of the start; this impact is taken at t = 0"),
    Case("a soft start in the gait's shape", AIKO + "[gait]\nsoft_start = true\n", r'gait\.soft_start: joint 10 snaps by 40 deg when the motors start: it starts in the gait.s shape, .* write  shape = "straight"  in \[start\]'),
    Case("a robot folded back at a joint", AIKO + "links = 3\n[start]\nshape = [0, 175]\n", r"start\.shape: the robot starts folded onto itself: link 3 lies within link 1"),
    Case("a robot rolled up", AIKO + "links = 8\n[start]\nshape = [60, 60, 60, 60, 60, 60, 60]\n", r"start\.shape: the robot starts folded onto itself: link 6 lies within link 1"),
    Case("a robot rolled up in space", SPATIAL + "links = 8\n[start]\nshape = [0, 60, 0, 60, 0, 60, 0, 60, 0, 60, 0, 60, 0, 60]\n", r"start\.shape: the robot starts folded onto itself: link 6 lies within link 1"),
]
# Neighbours of these that must stay silent.
QUIET = {
    "a gait of twenty steps a period": AIKO + "[solver]\ndt = 1e-2\n[gait]\nomega_deg = 1800\n",
    "a fast law under an integrator that adapts": FISH.replace("[gait]", '[solver]\nintegrator = "dopri5"\n[gait]') + "omega = 100\n",
    "one module that is steered": TRAIN.replace('"piko"\n', '"piko"\nlinks = 1\n') + '[controller]\nname = "n_trailer"\nspeed = 0.5\n',
    "a robot near the speed that its period allows": TURN + "speed = 1.3\n",
    "noise of the joints": AIKO + "[controller.noise]\njoint_deg = 0.1\n",
    "noise of link 1 for a controller that measures it": LINEARISED + "noise = { position = 0.1 }\n",
    "the factor of the thesis' solver with it": THESIS_FACTOR + '[solver]\nname = "thesis"\n',
    "the factors of the thesis' solver at the model's defaults": SPATIAL + "[solver.thesis]\nr_T = 0.01\nr_N = 0.1\n",
    "motors that start within the run": "duration = 2.0\n" + AIKO + "[controller]\nstart_time = 1.9\n",
    "a soft start of a straight robot": AIKO + '[gait]\nsoft_start = true\n[start]\nshape = "straight"\n',
    "a soft start of a small wave": AIKO + "[gait]\nsoft_start = true\namplitude_deg = 4\n",
    "equal loads of a robot that lies flat": SPATIAL + 'joint = "yaw"\n[start]\nz = 0.0525\n[solver]\nload_sharing = "equal"\n',
    "a core as long as its link": AIKO + "link = { length = 0.1, half_core = 0.05 }\n",
    "a U with its legs beside each other": AIKO + "links = 8\n[start]\nshape = [0, 0, 60, 60, 60, 0, 0]\n",
    "links much wider than long": AIKO + "links = 100\nlink = { length = 0.01, half_core = 0.004 }\n",
    "a gait of large amplitude": AIKO + "[gait]\namplitude_deg = 60\n",
    "a small part of a wave": AIKO + "links = 8\n[gait]\namplitude_deg = 40\nphase_deg = -1\n",
    "a start beside a peg": AIKO + '[start]\nshape = "straight"\nvelocity = [3.0, 0.0]\n[[world.obstacle]]\nx = 0\ny = 0.0726\nradius = 0.02\n',
    "no table of obstacles": AIKO + '[world]\nobstacle_table = ""\n',
    "points and no table": '[robot]\nmodel = "wheeled"\nname = "piko"\n[path]\nshape = "spline"\ntable = ""\npoints = [[0, 0], [1, 0], [2, 1]]\n[controller]\nname = "n_trailer"\n',
    "a table and no points": '[robot]\nmodel = "wheeled"\nname = "piko"\n[path]\nshape = "spline"\ntable = "xy.csv"\npoints = []\n[controller]\nname = "n_trailer"\n',
}

# Arguments, exit code, what stderr begins with: in a folder that holds s.toml, which is sound, and an empty folder `empty`.
COMMANDS = [
    ("", 2, r"A subcommand is required"),
    ("--versoin", 2, r'error: there is no option "--versoin"\n  hint: did you mean "--version"\?'),
    ("-x", 2, r'error: there is no option "-x"\n  hint: options of a command stand behind it'),
    ("-q run s.toml", 2, r'error: there is no option "-q"'),
    ("run s.toml a b c", 2, r".* not expected: a b c\n"),
    ("rnu s.toml", 2, r'error: there is no command "rnu"\n  hint: did you mean "run"\?'),
    ("frobnicate", 2, r'error: there is no command "frobnicate"\n  hint: coluber --help'),
    ("sweep s.toml", 3, r"error: s\.toml:1:1: sweep: is missing\n  hint: a sweep file begins with  sweep = 1\n"),
    ("run", 2, r"scenario is required"),
    ("list keys --json --markdown", 2, r"--json excludes --markdown"),
    ("run s.toml t.toml", 2, r".* not expected: t\.toml"),
    ("run --frobnicate s.toml", 2, r".* not expected: --frobnicate"),
    ("run s.toml --set", 2, r"--set: .* missing"),
    ("run -q -v s.toml", 2, r"--quiet excludes --verbose"),
    ("run s.toml --duration soon", 3, r'error: --set duration=soon: duration: expected a number > 0.*, got "soon"'),
    ("run s.toml --duration=", 2, r"--duration: "),
    ("run s.toml --duration ''", 2, r"--duration: expected a number, got nothing"),
    ("run s.toml --seed ''", 2, r"--seed: expected a number, got nothing"),
    ("run s.toml --seed -1", 3, r"error: --set seed=-1: seed: expected an integer >= 0, got -1"),
    ("run s.toml --out s.toml", 2, r"error: s\.toml exists and is not a folder"),
    ("run s.toml --out .", 2, r"error: \. exists and is not empty\n  hint: --force"),
    ("run s.toml --out s.toml --force", 2, r"error: s\.toml exists and is not a folder\n  hint: name another folder\n"),
    ("run ''", 2, r"scenario: the name of the scenario is empty"),
    ("check ''", 2, r"scenario: the name of the scenario is empty"),
    ("run s.toml --set duration=1 --duration 2", 2, r"error: --duration and --set duration=… are both given\n  hint: leave one out"),
    ("run s.toml --set 'seed = 1' --seed 2", 2, r"error: --seed and --set seed=… are both given\n  hint: leave one out"),
    ("run s.toml --set solver.dt=1e-3 --set solver.dt=2e-3", 2, r"error: --set solver\.dt=… is given twice\n  hint: leave one of them out"),
    ("check s.toml --set 'seed = 1' --set seed=1", 2, r"error: --set seed=… is given twice\n  hint: leave one of them out"),
    ("run s.toml --set solver.thesis.max_iterations=1000000000", 3, r"error: --set solver\.thesis\.max_iterations=1000000000: solver\.thesis\.max_iterations: expected an integer from 1 to 1000000, got 1000000000"),
    ("run s.toml --set solver.dump=out --out out", 3, r"error: --set solver\.dump=out: solver\.dump: out is where the run folder out will be\n  hint: name another file"),
    ("run s.toml --out /proc/nowhere", 1, r"error: /proc/nowhere: cannot make the folder: "),
    ("run aiko_flor", 3, r"error: aiko_flor: no such file, nor a scenario of Coluber's\n  hint: did you mean aiko_floor\?"),
    ("check nothing_like_it", 3, r"error: nothing_like_it: no such file, nor a scenario of Coluber's\n  hint: coluber list scenarios"),
    ("check -", 3, r"error: <stdin>: is empty\n  hint: "),
    ("help rnu", 2, r'error: there is no command "rnu"\n  hint: did you mean "run"\?'),
    ("help run s.toml", 2, r".* not expected: s\.toml"),
    ("list", 2, r"what is required"),
    ("list snakes", 2, r"what: snakes not in \{"),
    ("plot nowhere", 3, r"error: nowhere: is not a run folder\n  hint: "),
    ("plot empty", 3, r"error: empty: is not a run folder: there is neither run\.json nor trajectory\.h5 in it\n  hint: "),
    ("plot empty --what path --time 3", 2, r"error: --time goes with --what course, side, force_map, internal, grasp, not with path\n  hint: "),
    ("plot empty --what energy --zoom", 2, r"error: --zoom goes with --what .*course.*, not with energy\n  hint: "),
    ("plot empty --what energy --what residual --link 3", 2, r"error: --link goes with --what path, .*, not with energy, residual\n  hint: "),
    ("plot empty --what course --plane yz", 2, r"error: --plane goes with --what side, grasp, not with course\n  hint: "),
    ("plot ''", 2, r"run: the name of the folder is empty"),
    ("plot empty --what path --what energy --what path", 2, r"error: --what path is given twice\n  hint: leave one of them out"),
    ("plot empty --what snakes", 2, r'--what: there is no plot "snakes"; choose from '),
    ("plot empty --width 85", 2, r"--width: expected a length with its unit \(mm, cm, in\), got 85; for example --width 85mm"),
    ("plot empty --width 8mm", 2, r"--width: expected a width from 60mm to 600mm, got 8mm"),
    *((f"plot empty --{option} ''", 2, rf"error: --{option}: expected a value, got nothing\n  hint: ") for option in ("time", "from", "to", "measured", "link")),
    ("plot empty --link=", 2, r"--link: "),
    ("plot empty empty --measured m.csv", 2, r"error: --measured belongs to a plot of one run"),
    ("plot empty empty --what internal", 2, r"error: --what internal draws one run\n  hint: leave it out, or plot each run by itself"),
    ("plot empty nowhere", 3, r"error: empty: is not a run folder: there is neither run\.json nor trajectory\.h5 in it\n  hint: "),
    ("export empty empty --to csv", 2, r"error: export --to csv takes one run\n  hint: "),
    ("export empty --to gif", 2, r'error: export --to: there is no format "gif"\n  hint: '),
    ("export empty --to csv", 3, r"error: empty: is not a run folder: there is neither run\.json nor trajectory\.h5 in it\n  hint: "),
    ("export empty --to html", 3, r"error: empty: is not a run folder: "),
    ("export nowhere --to csv", 3, r"error: nowhere: is not a run folder\n  hint: "),
    ("export empty --to png --view cam=top&paenl=0", 2, r'error: --view: there is no part "paenl"\n  hint: did you mean "panel"\?'),
    ("export empty --to png --view cam=above", 2, r'error: --view: cam: expected orbit, top, side or follow, got "above"\n  hint: '),
    ("export empty --to png --view t=-1", 2, r'error: --view: t: expected a time >= 0 in s, got "-1"\n  hint: '),
    ("export empty --to png --view 'cam=top&cam=side'", 2, r'error: --view: "cam" is named twice\n  hint: leave one of them out'),
    ("export empty --to png --view arrow=4", 2, r'error: --view: arrow: expected a number from -1 to 1: arrows 10 to its power times as long, got "4"\n  hint: '),
    ("export empty --to png --view speed=0", 2, r'error: --view: speed: expected a number > 0, got "0"\n  hint: '),
    ("export empty --to png --view view=1,2,3,4,5,6,0", 2, r'error: --view: view: expected seven numbers, the last > 0, got "1,2,3,4,5,6,0"\n  hint: '),
    ("export empty --to png --view ''", 2, r"error: --view: expected a value, got nothing\n  hint: "),
    ("export empty '' --to html", 2, r"second: the name of the folder is empty"),
    ("view empty --no-open", 3, r"error: empty: is not a run folder: there is neither run\.json nor trajectory\.h5 in it\n  hint: "),
    ("view nowhere --no-open", 3, r"error: nowhere: is not a run folder\n  hint: "),
    ("export empty --to csv -o s.toml", 2, r"error: -o s\.toml: expected a name ending in \.csv"),
    ("export empty --to html -o empty/run.html/", 2, r"error: -o empty/run\.html/: expected a name ending in \.html or \.htm"),
    ("export empty --to csv -o", 2, r"--output: .* missing"),
    ("export '' --to csv", 2, r"run: the name of the folder is empty"),
    ("view ''", 2, r"run: the name of the folder is empty"),
    ("view empty --port 99999", 2, r"--port: Value 99999 not in range 0 to 65535"),
    ("reproduce B1", 2, r'error: there is no claim "B1"\n  hint: did you mean "transeth\.B1"\?'),
    ("reproduce nobody.knows", 2, r'error: there is no claim "nobody\.knows"'),
    ("reproduce --all --out ''", 2, r"error: --out: expected a value, got nothing\n  hint: "),
    ("reproduce", 2, r"error: say which claims to reproduce, or --all"),
    ("bench nothing", 2, r'error: there is no scene "nothing"\n  hint: '),
    ("version too", 2, r".* not expected: too"),
]


def start(arguments, folder, user=False):
    """Runs the program in the folder; as nobody where `user` asks for it and this is root."""
    as_nobody = {"user": 65534, "group": 65534, "extra_groups": []} if user and os.geteuid() == 0 else {}
    return subprocess.run(
        [COLUBER, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, errors="replace", **as_nobody
    )


def verdict(case, command, folder):
    """Runs one command; returns what is wrong with it, or ''."""
    before = sorted(folder.rglob("*"))
    arguments = [*command, case.scenario]
    for each in case.set:
        arguments += ["--set", each]
    try:
        run = start(arguments, folder, case.user)
    except subprocess.TimeoutExpired:
        return "does not end"
    case.said = run.stderr
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
        folder.chmod(0o755)
        for path, text in case.files.items():
            data = text if isinstance(text, bytes) else text.encode()
            (folder / path).write_bytes(data)
        if case.make:
            case.make(folder)
        for command in case.commands:
            why = verdict(case, [command] if command == "check" else [command, "--out", "out"], folder)
            check(f"coluber {command}: {case.sentence}", not why, why)


def try_command(line, code, pattern):
    """Returns what the program says."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "s.toml").write_text(AIKO)
        (folder / "empty").mkdir()
        run = start(shlex.split(line), folder)
        left = sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))
    good = run.returncode == code and not run.stdout and re.match(pattern, run.stderr) and left == ["empty", "s.toml"]
    check(f"coluber {line} is refused", good, f"exit code {run.returncode}, {left}, stdout {run.stdout!r}, stderr: {run.stderr}")
    return run.stderr


def try_odd(case):
    """A warning, and the run it is about."""
    with tempfile.TemporaryDirectory() as name:
        for path, text in case.files.items():
            (Path(name) / path).write_text(text)
        run = start(["check", case.scenario, *(word for each in case.set for word in ("--set", each))], name)
    case.said = run.stderr
    said = run.stderr.splitlines()
    good = run.returncode == 0 and len(said) == len(case.faults)
    good = good and all(re.match("warning: " + pattern, line) for pattern, line in zip(case.faults, said))
    check(f"{case.sentence} is warned of", good, f"exit code {run.returncode}, stderr: {run.stderr}")


def cell(text):
    """A message as a table's cell: long lines and lists of lines cut short."""
    lines = [line for line in text.rstrip("\n").split("\n") if line != "Run with --help for more information."]
    if len(lines) > 8:
        lines = [*lines[:8], "…"]
    lines = [line if len(line) <= 150 else line[:150] + "…" for line in lines]
    marked = [f"`{line.strip()}`" if "`" not in line else f"`` {line.strip()} ``" for line in lines]
    return "<br>".join(marked).replace("|", "\\|")


def page(commands):
    """docs/errors.md"""
    text = [
        "# What Coluber says about bad input",
        "",
        "A scenario is refused as a whole, with every fault at once (after a syntax error none), before anything is written:",
        "exit code 3, and for each fault the file, line and column, the key, what was expected and found, and a hint. Wrong usage is",
        "exit code 2. This page is written by `tests/cli/bad_input_test.py --write` from what the program says to each of these",
        "inputs, and the same test fails when the two differ.",
    ]
    for title, cases in GROUPS.items():
        text += ["", f"## {title}", "", "| Input | What the program says |", "|---|---|"]
        text += [f"| {case.sentence} | {cell(case.said)} |" for case in cases]
    text += ["", "## Odd, but no fault", "", "These run all the same: `coluber check` and `coluber run` warn, and `run.json` keeps the warning.", ""]
    text += ["| Input | What the program says |", "|---|---|"]
    text += [f"| {case.sentence} | {cell(case.said)} |" for case in ODD]
    text += ["", "## Command line", "", "| Command | Exit code | What the program says |", "|---|---|---|"]
    text += [f"| `coluber {line}` | {code} | {cell(said)} |" for (line, code, _), said in zip(COMMANDS, commands)]
    return "\n".join(text) + "\n"


def accepted(sentence, text):
    """Negative controls: odd files that are sound."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "s.toml").write_bytes(text)
        (Path(name) / "xy.csv").write_text("x,y\n0,0\n1,0\n2,1\n")
        run = start(["check", "s.toml"], name)
        check(sentence, run.returncode == 0 and not run.stderr, run.stderr)


count = 0
for cases in GROUPS.values():
    for each in cases:
        try_case(each)
        count += 1
for each in ODD:
    try_odd(each)
answers = [try_command(*each) for each in COMMANDS]
for sentence, text in QUIET.items():
    accepted(f"{sentence}: nothing to say", text.encode())
accepted("a byte order mark is no fault", b"\xef\xbb\xbf" + AIKO.encode())
accepted("line ends of Windows are no fault", AIKO.replace("\n", "\r\n").encode())
accepted("a file without a last line end is no fault", AIKO.rstrip().encode())

written = page(answers)
errors_md = SOURCE / "docs/errors.md"
if "--write" in sys.argv[1:]:
    errors_md.write_text(written)
stored = errors_md.read_text() if errors_md.exists() else ""
first = next((f"{a!r}, expected {b!r}" for a, b in zip(stored.split("\n"), written.split("\n")) if a != b), "another length")
check("docs/errors.md says what the program says", stored == written, f"{first}; tests/cli/bad_input_test.py --write mends it")
print(f"{count} bad inputs, {len(COMMANDS)} wrong commands")
finish()
