#!/usr/bin/python3
"""Obstacle-aided locomotion in closed loop: controller.name = "force_mapping".

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path

import h5py
import numpy

from harness import COLUBER, SOURCE, check, finish

LOOP = SOURCE / "scenarios" / "holden_loop.toml"


def coluber(*arguments, cwd=SOURCE):
    return subprocess.run([COLUBER, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300)


def run(folder, scenario, *more):
    """A run's outcome, its summary, and its datasets."""
    done = coluber("run", scenario, "--out", folder, "-q", *more)
    if done.returncode != 0:
        return done, {}, {}
    with h5py.File(folder / "trajectory.h5", "r") as file:
        data = {name: file[name][()] for name in file if hasattr(file[name], "shape")}
    return done, json.loads((folder / "run.json").read_text())["summary"], data


with tempfile.TemporaryDirectory() as name:
    tmp = Path(name)
    done, told, data = run(tmp / "loop", LOOP, "--duration", 1.5)
    check("the field is crossed without a word", done.returncode == 0 and done.stderr == "", done.stderr)
    check("the wish is 0.1 m/s along the path", abs(data["wish_s"][-1] - 0.6 - 0.1 * 1.495) < 1e-9, data["wish_s"][-1])
    check("the robot follows it", abs(data["path_s"][-1] - data["wish_s"][-1]) < 0.02 and told["advance_x"] > 0.1, told)
    check("the map is at work in every tick", told["mapped_share"] == 1 and told["waiting_share"] == 0, told)
    check("the posture is kept", 0 < told["angle_error_max"] < 0.25, told)
    check("no step fails, and torques keep their limit", told["failed_steps"] == 0 and told["max_torque"] <= 4.5, told)
    n = len(data["time"])
    check("datasets have their shapes", data["mapped_torque"].shape == (n, 19) and data["mapped_force"].shape == (n, 20, 2) and data["wish_angle"].shape == (n, 20) and data["centre"].shape == (n, 2), {k: v.shape for k, v in data.items()})
    check("centre and advance agree", abs(data["centre"][-1, 0] - data["centre"][0, 0] - told["advance_x"]) < 1e-12, told)
    # frames of 10 ms and ticks of 5 ms: the last step of a frame has the torque of the last tick
    check("the joints do what the map asks for", abs(data["joint_torque"][1:] - data["mapped_torque"][1:]).max() < 1e-12, abs(data["joint_torque"][1:] - data["mapped_torque"][1:]).max())  # an impulse over its time: rounding
    check("every QP is solved to rounding", (data["qp_status"][1:] <= 1).all() and data["qp_residual"][1:].max() < 1e-9, data["qp_residual"].max())
    check("before the first tick nothing was asked", data["qp_status"][0] == 3 and numpy.isnan(data["mapped_torque"][0]).all() and (data["mapped_force"][0] == 0).all())
    touched = numpy.hypot(*numpy.moveaxis(data["mapped_constraint"], 2, 0)) > 0
    axis = numpy.stack([numpy.cos(data["link_angle"]), numpy.sin(data["link_angle"])], axis=2)
    along = abs((data["mapped_constraint"] * axis).sum(axis=2))[touched]
    check("contacts without friction push across their links", touched.any() and along.max() < 0.5, along.max())  # links turn within 5 ms
    friction = numpy.hypot(*numpy.moveaxis(data["mapped_force"] - data["mapped_constraint"], 2, 0))[touched]
    normal = numpy.hypot(*numpy.moveaxis(data["mapped_constraint"], 2, 0))[touched]
    check("friction is within its cone", (friction <= 0.3 * normal * (1 + 1e-12)).all(), (friction / normal).max())
    mapped, real = data["mapped_force"][20:, :, 0].sum(axis=1), data["contact_force"][20:, :, 0].sum(axis=1)
    check("the simulation pushes ahead as the map has it", abs(mapped.mean() - real.mean()) < 0.1 * abs(real.mean()), (mapped.mean(), real.mean()))
    replay = json.loads((tmp / "loop" / "replay.json").read_text())
    fields = {field["name"]: field for field in replay["fields"]}
    check("the replay has the mapped forces, one slot per link", all(fields[f"link_{i}.{kind}"]["kind"] == "contact" and fields[f"link_{i}.{kind}"]["count"] == 6 for i in (1, 20) for kind in ("mapped_force", "mapped_constraint")), list(fields)[:9])
    names = [body["name"] for body in replay["bodies"]]
    check("the replay has the path and the pegs", names.count("path") == 1 and "obstacle_16" in names, names)

    for what in ("force_map", "mapped", "tracking", "course"):
        picture = tmp / f"{what}.svg"
        drawn = coluber("plot", tmp / "loop", "--what", what, "-o", picture, *(["--time", 1.0] if what == "force_map" else []))
        check(f"{what} is drawn", drawn.returncode == 0 and picture.stat().st_size > 10000, drawn.stderr)
    words = re.sub(r"<[^>]*>", "", (tmp / "force_map.svg").read_text())
    check("the plot of a tick names its time", "t = 1 s" in words, words[:300])
    refused = coluber("plot", tmp / "loop", "--what", "quality", "-o", tmp / "none.svg")
    check("a run has no quality", refused.returncode == 2 or refused.returncode == 1, refused)

    # the robot turned round: link 1 is the head, and leads
    text = re.sub(r'links = "contacts"\n', "", LOOP.read_text()).replace('leads = "last"', 'leads = "first"')
    links = re.findall(r"\[\[robot\.link\]\]\n(?:\w+ = .*\n)+", text)
    turned = "".join(re.sub(r"cg_offset = ", "cg_offset = -", link) for link in reversed(links))
    (tmp / "turned.toml").write_text(text.replace("".join(links), turned))
    _, other, mirror = run(tmp / "turned", tmp / "turned.toml", "--duration", 0.5)
    check("either end leads", other and abs(mirror["centre"] - data["centre"][: len(mirror["centre"])]).max() < 1e-6, abs(mirror["centre"] - data["centre"][: len(mirror["centre"])]).max() if other else other)
    # joints count the other way round; the step has its root in link 10 of 20, which is not the middle
    check("with the torques of either", other and abs(mirror["joint_torque"][:20, ::-1] + data["joint_torque"][:20]).max() < 5e-3, abs(mirror["joint_torque"][:20, ::-1] + data["joint_torque"][:20]).max(axis=1))

    _, told, data = run(tmp / "servo", "holden_loop_servo", "--duration", 1.5)
    check("servos alone are asked for nothing", (data["qp_status"] == 3).all() and numpy.isnan(data["mapped_torque"]).all() and "mapped_share" not in told, told)
    check("they fall behind", told["advance_x"] < 0.1, told)

    done, told, data = run(tmp / "none", LOOP, "--duration", 1.0, "--set", "world.obstacle=[]")
    check("without pegs it does not move ahead", told["mapped_share"] == 0 and abs(told["advance_x"]) < 0.01 and (data["qp_status"] == 3).all(), told)
    check("and says so", "the force map was at work in 0 of 200 ticks" in done.stderr + coluber("run", LOOP, "--out", tmp / "said", "--duration", 1.0, "--set", "world.obstacle=[]").stderr, done.stderr)

    _, told, data = run(tmp / "late", LOOP, "--duration", 0.5, "--set", "controller.start_time=0.2")
    off = data["time"] < 0.2005
    check("motors are off before their time", (data["joint_torque"][off] == 0).all() and told["advance_x"] > 0.01, told)
    check("the wish's clock starts with them", abs(data["wish_s"][-1] - 0.6 - 0.1 * 0.295) < 1e-6, data["wish_s"][-1])

    noise = ["--duration", 0.3, "--set", "controller.noise.joint_deg=0.1", "--set", "controller.noise.position=1e-4"]
    _, one, _ = run(tmp / "noise1", LOOP, *noise, "--seed", 1)
    _, two, _ = run(tmp / "noise2", LOOP, *noise, "--seed", 2)
    check("noise disturbs what it measures", one["final_state"] != two["final_state"], (one, two))
    _, sure, _ = run(tmp / "sure", LOOP, "--duration", 0.3)
    _, unsure, _ = run(tmp / "unsure", LOOP, "--duration", 0.3, "--set", "controller.assumed_friction=[0, 0]")
    check("assumed friction changes what it asks for", sure["final_state"] != unsure["final_state"], unsure)
    _, same, _ = run(tmp / "same", LOOP, "--duration", 0.3, "--set", "controller.assumed_friction=[0.3, 0.3]")
    check("the world's friction is what is assumed by default", sure["final_state"] == same["final_state"], same)

    odd = coluber("check", LOOP, "--set", "force_map.wish.acceleration=[0.5, 0]", "--set", "force_map.project=true")
    check("keys of the wish without a meaning here are warned of", odd.returncode == 0 and "force_map.wish.acceleration, force_map.project: no effect on the closed loop" in odd.stderr, odd.stderr)

found = json.loads(coluber("quality", LOOP, "--json").stdout)
check("the field can be passed, says the test of the path", found["traversable"] is True, found["share"])
every = json.loads(coluber("quality", LOOP, "--json", "--set", 'quality.links="all"').stdout)
wished = json.loads(coluber("quality", LOOP, "--json", "--set", 'quality.links="wish"').stdout)
check("demanded of every link it cannot", every["traversable"] is False and every["rank_share"] == 0, every["share"])
check("the demand may be that of the wish", wished == every, wished["share"])

finish()
