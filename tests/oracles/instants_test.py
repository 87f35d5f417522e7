"""Random instants of the force map, judged by HiGHS: which of them have an answer, which need slack, which have none.

    instants_test.py [COUNT [SEED]]

COUNT is 500 unless given; ten thousand take some minutes. tests/sample/random_instants.hpp says how they are drawn. Left
out and counted: a condition of A_f above 1e6, and wishes or signs that are met or missed by less than 1e-6 of their scale,
where the two solvers' tolerances decide.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.optimize import linprog

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from harness import SOURCE, check, finish  # noqa: E402

TOOL = os.environ.get("RANDOM_INSTANTS", str(SOURCE / "build/release/bin/random_instants"))
OPTIMAL, SLACK, INFEASIBLE, FAILED, SINGULAR = range(5)
NAMES = ["optimal", "slack", "infeasible", "failed", "singular"]


def instants(data):
    """The instants of a file of the tool."""
    numbers = np.frombuffer(data)
    at = 0

    def take(*shape):
        nonlocal at
        size = int(np.prod(shape))
        at += size
        return numbers[at - size : at].reshape(shape)

    while at < len(numbers):
        n, m, p, u_max, status, kkt, condition, warm, seconds, reachable, warm_status = take(11)
        n, m, p, status = int(n), int(m), int(p), int(status)
        one = dict(n=n, u_max=u_max, status=status, kkt=kkt, condition=condition, warm=warm, seconds=seconds,
                   reachable=reachable > 0, warm_status=int(warm_status))
        one.update(A=take(m, n), b=take(m), G=take(p, n), h=take(p), u=take(n), z=take(m), weight=take(m))
        yield one


def least(one, equalities):
    """How far limits and signs, with or without the wish, are from being met: the least t >= 0 by which all scaled rows
    may miss. Rows have unit norm, u is in units of u_max."""
    n, u_max = one["n"], one["u_max"]
    rows, right = [], []

    def add(matrix, values, both):
        norms = np.linalg.norm(matrix, axis=1)
        norms[norms == 0.0] = 1.0
        scaled, value = matrix / norms[:, None], values / norms / u_max
        for sign in (1.0, -1.0) if both else (1.0,):
            rows.append(np.hstack([sign * scaled, -np.ones((len(value), 1))]))
            right.append(sign * value)

    if len(one["h"]):
        add(one["G"], one["h"], False)
    if equalities:
        add(one["A"], one["b"], True)
    if not rows:
        return 0.0
    objective = np.zeros(n + 1)
    objective[-1] = 1.0
    found = linprog(objective, A_ub=np.vstack(rows), b_ub=np.concatenate(right),
                    bounds=[(-1.0, 1.0)] * n + [(-1.0, None)], method="highs",
                    options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})
    return found.fun if found.status == 0 else None


def label(one):
    """What HiGHS calls it, None where it is too near to call."""
    edge = 1e-6
    with_wish = least(one, True)
    if with_wish is None:
        return None
    if with_wish <= 1e-9:
        # the wish is met; are signs and limits met with room to spare? Equalities leave no room of their own.
        return OPTIMAL
    if with_wish < edge:
        return None
    signs = least(one, False)
    if signs is None or abs(signs) < edge:
        return None
    return INFEASIBLE if signs > 0.0 else SLACK


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "instants"
        told = subprocess.run([TOOL, str(count), str(seed), str(file)], capture_output=True, text=True, check=True)
        data = file.read_bytes()
    print(told.stdout, end="")

    table = np.zeros((3, 5), int)
    left_out = dict(condition=0, edge=0)
    worst_kkt = [0.0, 0.0]
    worst_warm = [0.0, 0.0]
    other_status = []
    broken = []
    for number, one in enumerate(instants(data)):
        if one["condition"] > 1e6 or one["status"] == SINGULAR:
            left_out["condition"] += 1
            continue
        if one["warm_status"] != one["status"]:
            other_status.append(number)
        if one["status"] in (OPTIMAL, SLACK):
            slack = one["status"] == SLACK
            worst_kkt[slack] = max(worst_kkt[slack], one["kkt"])
            # the answer itself, whatever anyone says of it
            u, scale = one["u"], 1.0 + np.abs(one["h"]).max(initial=0.0)
            if np.abs(u).max() > one["u_max"] * (1 + 1e-8) or (one["G"] @ u - one["h"]).max(initial=0) > 1e-6 * scale:
                broken.append(number)
            if not slack:
                norms = np.maximum(np.linalg.norm(one["A"], axis=1), 1e-300)
                if (np.abs(one["A"] @ u - one["b"]) / norms / one["u_max"]).max() > 1e-8:
                    broken.append(number)
            worst_warm[slack] = max(worst_warm[slack], one["warm"])
        called = label(one)
        if called is None:
            left_out["edge"] += 1
            continue
        table[called, one["status"]] += 1
        if called != one["status"]:
            print(f"instant {number}: {NAMES[called]} by HiGHS, {NAMES[one['status']]} by us")

    print(f"left out: {left_out['condition']} by condition, {left_out['edge']} too near to call")
    print("by HiGHS     " + "".join(f"{name:>12}" for name in NAMES))
    for row in range(3):
        print(f"{NAMES[row]:<12} " + "".join(f"{value:12}" for value in table[row]))
    print(f"largest KKT residual: optimal {worst_kkt[0]:.3g}, slack {worst_kkt[1]:.3g}; warm start {worst_warm[0]:.3g}, {worst_warm[1]:.3g}")
    for called, share in ((OPTIMAL, 0.999), (SLACK, 0.995), (INFEASIBLE, 0.995)):
        total = table[called].sum()
        check(f"instants that are {NAMES[called]} are called so", total > 0 and table[called, called] >= share * total,
              f"{table[called, called]} of {total}")
    check("few are left out", sum(left_out.values()) <= 0.05 * count, left_out)
    check("every optimal answer meets its KKT conditions", worst_kkt[0] <= 1e-9, worst_kkt[0])
    check("every answer with slack meets its KKT conditions", worst_kkt[1] <= 1e-9, worst_kkt[1])
    check("no answer breaks a limit, a sign or the wish it says it meets", not broken, broken)
    check("a warm start gives the cold answer", worst_warm[0] <= 1e-9 and not other_status, (worst_warm, other_status))
    check("with slack too", worst_warm[1] <= 1e-9, worst_warm)
    finish()


main()
