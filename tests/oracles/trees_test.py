"""Random trees of up to 60 bodies, judged by Pinocchio: composite inertia (CRBA), base wrench and joint torques (RNEA).

    trees_test.py [COUNT [SEED]]

COUNT is 500 unless given. To be run by a Python that has Pinocchio: script/bootstrap --dev puts one into
build/third_party/pin-4.1.0. Twists and accelerations are those of the bodies' components in both programs, linear part
first; a cylindrical joint is a prismatic one, a body without mass, and a revolute one.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pinocchio

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from harness import SOURCE, check, finish  # noqa: E402

TOOL = os.environ.get("RANDOM_TREES", str(SOURCE / "build/release/bin/random_trees"))
REVOLUTE, PRISMATIC, CYLINDRICAL, FIXED = range(4)
TOLERANCE = 1e-10


def trees(data):
    """The trees of a file of the tool."""
    numbers = np.frombuffer(data)
    at = 0

    def take(*shape):
        nonlocal at
        size = int(np.prod(shape))
        at += size
        return numbers[at - size : at].reshape(shape)

    while at < len(numbers):
        n, k, gravity = take(3)
        n, k = int(n), int(k)
        bodies = [dict(parent=int(take(1)[0]), joint=int(take(1)[0]), R=take(3, 3), p=take(3), m=take(1)[0], c=take(3),
                       I=take(3, 3)) for _ in range(n)]
        one = dict(bodies=bodies, gravity=gravity, r=take(k), rdot=take(k), rddot=take(k))
        one["free"] = dict(R=take(3, 3), eta=take(6), etadot=take(6), F=take(6), M=take(6, 6), tau=take(k))
        one["held"] = dict(R=take(3, 3), eta=take(6), etadot=take(6), F=take(6), tau=take(k))
        yield one


def make_model(one):
    """The tree as Pinocchio has it."""
    model = pinocchio.Model()
    model.gravity.linear = np.array([0.0, 0.0, -one["gravity"]])
    places = []  # of each body: Pinocchio's joint, and the body's frame there
    for number, body in enumerate(one["bodies"]):
        inertia = pinocchio.Inertia(body["m"], body["c"], body["I"])
        if number == 0:
            joint = model.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "base")
            place = pinocchio.SE3.Identity()
        else:
            joint, frame = places[body["parent"]]
            place = frame * pinocchio.SE3(body["R"], body["p"])
            if body["joint"] in (PRISMATIC, CYLINDRICAL):
                joint = model.addJoint(joint, pinocchio.JointModelPZ(), place, f"slide_{number}")
                place = pinocchio.SE3.Identity()
            if body["joint"] in (REVOLUTE, CYLINDRICAL):
                joint = model.addJoint(joint, pinocchio.JointModelRZ(), place, f"turn_{number}")
                place = pinocchio.SE3.Identity()
        model.appendBodyToJoint(joint, inertia, place)
        places.append((joint, place))
    return model


def inverse_dynamics(model, data, one, case, etadot):
    """RNEA: base wrench and torques."""
    quaternion = pinocchio.Quaternion(case["R"]).coeffs()
    q = np.concatenate([np.zeros(3), quaternion, one["r"]])
    v = np.concatenate([case["eta"], one["rdot"]])
    tau = pinocchio.rnea(model, data, q, v, np.concatenate([etadot, one["rddot"]]))
    return q, tau[:6].copy(), tau[6:].copy()


def error(ours, theirs):
    """Relative to the largest entry."""
    if theirs.size == 0:
        return 0.0
    return np.abs(ours - theirs).max() / np.abs(theirs).max()


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trees"
        done = subprocess.run([TOOL, str(count), str(seed), str(file)], timeout=600, check=False)
        check("the tool evaluates every tree", done.returncode == 0)
        data_of_file = file.read_bytes() if file.exists() else b""
    worst = dict(inertia=0.0, wrench=0.0, torque=0.0, root=0.0, held_wrench=0.0, held_torque=0.0)
    mixed = 0.0
    joints = np.zeros(4, dtype=int)
    largest = seen = 0
    for one in trees(data_of_file):
        seen += 1
        largest = max(largest, len(one["bodies"]))
        for body in one["bodies"][1:]:
            joints[body["joint"]] += 1
        model = make_model(one)
        data = model.createData()

        free = one["free"]
        q, wrench, _ = inverse_dynamics(model, data, one, free, np.zeros(6))
        worst["wrench"] = max(worst["wrench"], error(-free["F"], wrench))  # F_o+ is what drives the base
        _, root, tau = inverse_dynamics(model, data, one, free, free["etadot"])
        scale = max(np.abs(wrench).max(), np.abs(tau).max() if tau.size else 0.0)
        worst["root"] = max(worst["root"], np.abs(root).max() / scale)
        worst["torque"] = max(worst["torque"], error(free["tau"], tau))
        M = pinocchio.crba(model, data, q)[:6, :6]
        worst["inertia"] = max(worst["inertia"], error(free["M"], np.triu(M) + np.triu(M, 1).T))

        held = one["held"]
        _, wrench, tau = inverse_dynamics(model, data, one, held, held["etadot"])
        worst["held_wrench"] = max(worst["held_wrench"], error(held["F"], wrench))
        worst["held_torque"] = max(worst["held_torque"], error(held["tau"], tau))
        absolute = held["etadot"].copy()
        absolute[:3] += np.cross(held["eta"][3:], held["eta"][:3])
        _, wrong, _ = inverse_dynamics(model, data, one, held, absolute)
        mixed = max(mixed, error(held["F"], wrong))
    check(f"{count} trees", seen == count, seen)
    check("… of up to 60 bodies", count < 500 or largest == 60, largest)
    check("… with every kind of joint", joints.min() > 0, joints)
    for what, name in (("inertia", "composite inertia is CRBA's"), ("wrench", "composite wrench is RNEA's"),
                       ("root", "RNEA needs no wrench on a free base that moves as we say"),
                       ("torque", "… and gives the torques"), ("held_wrench", "wrench on an imposed base is RNEA's"),
                       ("held_torque", "… and so are its torques")):
        check(f"{name}, largest error {worst[what]:.1e}", worst[what] <= TOLERANCE, worst[what])
    check("control: an absolute acceleration of the base would be noticed", mixed > 1e-3, mixed)
    finish()


main()
