"""Tables, CSV, picture and the page's section from what the peers' benchmark measured."""

import csv
import json
import math
import os
import pathlib
import platform
import re
import shutil
import subprocess
import textwrap

from engines import say

WORLDS = ["floor", "cylinders"]
GROUPS = {"robotics": "robotics engines", "game": "game engines"}
WIDTH = 120  # of a line of text; rows of tables cannot be broken
CONFIRM_M = 1e-3  # how near Drake must come …
CONFIRM_N = 10    # … here
# A setting is sensible if the gait is still done: joints hold together, angles follow (in a jam among
# the cylinders less so), and the robot lies on the floor instead of hopping on it.
SENSIBLE_DRIFT_M = 0.02
SENSIBLE_TRACKING = {"floor": math.radians(5), "cylinders": math.radians(15)}
SENSIBLE_TOUCH = 0.25  # of its points, in the mean, on the floor
ROUNDING = 1e-12  # m, m/s: printed as 0


class Results:
    def __init__(self, rows, missing, sizes):
        self.rows = rows
        self.missing = missing  # engine -> why
        self.sizes = sizes
        self.rounds = 0
        self.complete = False

    @property
    def ours(self):
        return self.rows[0]

    def is_whole(self):
        """Run to its end over all sizes and with several peers: fit to be published."""
        return self.complete and len(self.sizes) > 2 and len({row.engine for row in self.rows}) > 5

    def row(self, engine, setting):
        return next((r for r in self.rows if r.engine == engine and r.setting == setting), None)


def machine():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
        return re.search(r"model name\s*: (.*)", text).group(1)
    except (OSError, AttributeError):
        return platform.machine()


def number(value, form="{:.3g}"):
    return "–" if value is None else form.format(value)


def digits(value, unit=1.0, sign=""):
    """Three digits, without an exponent where it can be read without."""
    if value is None:
        return "–"
    if abs(value) < ROUNDING:
        return "0"
    value *= unit
    if 1e-3 <= abs(value) < 1000:
        return f"{value:{sign}.3g}"
    return f"{value:{sign}.0f}" if 1000 <= abs(value) < 1e6 else f"{value:{sign}.1e}"


def percent(value):
    return digits(value, 100.0, "+") + ("" if value is None else " %")


def table(head, lines):
    return ["| " + " | ".join(head) + " |", "|---" * len(head) + "|",
            *("| " + " | ".join(cells) + " |" for cells in lines), ""]


def is_sensible(row, world, n):
    """True also for what was not looked at."""
    seen = row.seen.get((world, n))
    if seen is None:
        return True
    if "drift" not in seen:  # not one finite step
        return False
    touch = seen.get("contacts", 2 * n) / (2 * n)
    return (seen["drift"] < SENSIBLE_DRIFT_M and seen["tracking"] < SENSIBLE_TRACKING[world]
            and touch > SENSIBLE_TOUCH)


def exponent(row, world):
    """Of the growth of time with N, by least squares."""
    points = [(math.log(n), math.log(best["us"])) for (w, n), best in row.best.items() if w == world]
    if len(points) < 2:
        return None
    mx = sum(x for x, _ in points) / len(points)
    my = sum(y for _, y in points) / len(points)
    return sum((x - mx) * (y - my) for x, y in points) / sum((x - mx) ** 2 for x, _ in points)


def speed_table(results, world):
    lines = []
    for row in results.rows:
        cells = [row.name]
        for n in results.sizes:
            best, ours = row.best.get((world, n)), results.ours.best.get((world, n))
            if best is None or ours is None:
                cells.append("–")
                continue
            cell = digits(best["us"])
            if row is not results.ours:
                cell += f" ({best['us'] / ours['us']:.1f} ×)"
            if not is_sensible(row, world, n):
                cell += " ‡"
            elif best["steps"] < 5000:
                cell += " †"
            cells.append(cell)
        if any(cell != "–" for cell in cells[1:]):
            power = exponent(row, world)
            lines.append([*cells, "–" if power is None else f"n^{power:.2f}"])
    return table([f"µs per step, {world}", *(f"N = {n}" for n in results.sizes), "grows as"], lines)


def fastest_peer(results, group, world, n):
    """Of the settings that do the gait, and of all."""
    every = [r for r in results.rows if r.group == group and (world, n) in r.best]
    sensible = [r for r in every if is_sensible(r, world, n)]
    return tuple(min(rows, key=lambda r: r.best[(world, n)]["us"], default=None)
                 for rows in (sensible, every))


def ratio_table(results):
    """The fastest peer's time over ours, by kind of engine and world."""
    rigid = results.row("Coluber", "rigid")
    lines = []
    for group, world in ((group, world) for group in GROUPS for world in WORLDS):
        for law, ours in (("anchored", results.ours), ("rigid", rigid)):
            cells = [f"{GROUPS[group]}, {world}: over {law}"]
            for n in results.sizes:
                peer, any_peer = fastest_peer(results, group, world, n)
                if peer is None or ours is None or (world, n) not in ours.best:
                    cells.append("–")
                    continue
                ratio = peer.best[(world, n)]["us"] / ours.best[(world, n)]["us"]
                cell = f"{ratio:.1f}"
                if law == "anchored":
                    cell += f" {peer.name}"
                    if any_peer is not peer:
                        ratio = any_peer.best[(world, n)]["us"] / ours.best[(world, n)]["us"]
                        cell += f"; {ratio:.1f} {any_peer.name} ‡"
                cells.append(cell)
            lines.append(cells)
    return table(["fastest peer over Coluber", *(f"N = {n}" for n in results.sizes)], lines)


def off_ours(results, row, world, n):
    """How far a row's displacement is from ours."""
    seen, ours = row.seen.get((world, n)), results.ours.seen.get((world, n))
    if not seen or not ours or "x" not in seen or "x" not in ours:
        return None
    return math.hypot(seen["x"] - ours["x"], seen["y"] - ours["y"])


def failed_text(seen):
    return number(seen.get("failed"), "{:.0f}")


def accuracy_table(results, n):
    lines = []
    for row in results.rows:
        seen, s = row.seen.get(("floor", n)), row.slopes
        if not seen or "x" not in seen:
            continue
        lines.append([
            row.name, number(seen.get("contacts"), "{:.1f}"), digits(seen["floor_depth"], 1e6),
            digits(seen["drift"], 1e6), f"{math.degrees(seen['tracking']):.3f}",
            number(seen.get("law"), "{:.0e}"), digits(s.get("creep"), 1e6),
            percent(s.get("slide_0")), percent(s.get("slide_45")),
            f"({seen['x']:+.4f}, {seen['y']:+.4f})", digits(off_ours(results, row, "floor", n), 1e3),
            digits(s.get("heading"), 1e3), failed_text(seen)])
    return table([f"floor, N = {n}", "contacts", "depth (µm)", "joints apart (µm)", "tracking (°)",
                  "Coulomb's law", "creep on 10° (µm/s)", "slide on 25°", "turned 45°",
                  "displacement in 5 s (m)", "off ours (mm)", "gait turned 45° (mm)", "failed"], lines)


def cylinder_table(results, n):
    lines = []
    for row in results.rows:
        seen = row.seen.get(("cylinders", n))
        if not seen or "x" not in seen:
            continue
        lines.append([
            row.name, number(seen.get("contacts"), "{:.1f}"), digits(seen["floor_depth"], 1e6),
            digits(seen["cylinder_depth"], 1e6), digits(seen["drift"], 1e6),
            f"{math.degrees(seen['tracking']):.2f}", f"({seen['x']:+.3f}, {seen['y']:+.3f})",
            failed_text(seen)])
    return table([f"cylinders, N = {n}", "contacts", "depth, floor (µm)", "depth, cylinders (µm)",
                  "joints apart (µm)", "tracking (°)", "displacement in 5 s (m)", "failed"], lines)


def large_table(results, n):
    fields = {"floor": ["floor_depth", "drift", "tracking"],
              "cylinders": ["floor_depth", "cylinder_depth", "drift", "tracking"]}
    lines = []
    for row in results.rows:
        if not any("x" in row.seen.get((world, n), {}) for world in WORLDS):
            continue
        cells = [row.name]
        for world in WORLDS:
            seen = row.seen.get((world, n), {})
            cells += [number(seen.get(f) and math.degrees(seen[f]), "{:.2f}") if f == "tracking"
                      else digits(seen.get(f), 1e6) for f in fields[world]]
            cells.append(failed_text(seen))
        lines.append([*cells, digits(off_ours(results, row, "floor", n), 1e3)])
    names = {"floor_depth": "depth, floor (µm)", "cylinder_depth": "depth, cylinders (µm)",
             "drift": "joints apart (µm)", "tracking": "tracking (°)"}
    head = [f"N = {n}"]
    for world in WORLDS:
        names_here = [names[f] for f in fields[world]] + ["failed"]
        head += [f"{world}: {names_here[0]}", *names_here[1:]]
    return table([*head, "floor: off ours (mm)"], lines)


# columns in which less is better: name, unit, factor, what counts as none
COLUMNS = {"floor_depth": ("depth in the floor", "µm", 1e6, 1e-9),
           "cylinder_depth": ("depth in the cylinders", "µm", 1e6, 1e-9),
           "drift": ("joints apart", "µm", 1e6, 1e-12),
           "tracking": ("tracking", "°", 180 / math.pi, 1e-9),
           "failed": ("failed steps", "", 1.0, 0.0)}
SLOPE_COLUMNS = {"creep": ("creep", "µm/s", 1e6, 1e-12),
                 "slide_0": ("slide on 25°", "%", 100.0, 1e-6),
                 "slide_45": ("slide on 25°, turned 45°", "%", 100.0, 1e-6),
                 "heading": ("gait turned by 45°", "mm", 1e3, 1e-11)}


def better_lines(results):
    """Every column, world and size in which a peer has a better number than Coluber, anchored."""
    peers = [row for row in results.rows if row.group != "ours"]

    def compare(column, ours, theirs):
        """Ours and the best three that are better; None if none is."""
        _, _, factor, none = column
        found = sorted((abs(v), r.name) for r, v in theirs
                       if ours is not None and v is not None and abs(v) < 0.99 * abs(ours) and abs(ours) > none)
        if not found:
            return None
        listed = ", ".join(f"{who} {digits(v, factor)}" for v, who in found)
        return f"ours {digits(abs(ours), factor)}; {listed}"

    lines = []
    columns = {"us": ("µs per step", "", 1.0, 0.0), **COLUMNS}
    for world in WORLDS:
        for field, column in columns.items():
            places = []
            for n in results.sizes:
                values = [(row.best if field == "us" else row.seen).get((world, n), {}).get(field)
                          for row in [results.ours, *peers]]
                said = compare(column, values[0], zip(peers, values[1:]))
                if said:
                    places.append(f"N = {n}: {said}")
            if places:
                unit = f" ({column[1]})" if column[1] else ""
                lines.append(f"- {column[0]}{unit}, {world}. " + ". ".join(places))
    for field, column in SLOPE_COLUMNS.items():
        said = compare(column, results.ours.slopes.get(field), [(r, r.slopes.get(field)) for r in peers])
        if said:
            lines.append(f"- {column[0]} ({column[1]}), N = {results.sizes[0]}: {said}")
    return lines


def confirm(results):
    """Whether Drake, with its default and with TAMSI, comes to where we do: lines, and the verdict."""
    rows = [row for row in results.rows if row.engine == "Drake" and row.setting in ("default", "fastest")]
    if not rows:
        why = results.missing.get("Drake", "not asked for")
        return [f"Oracle: Drake is missing ({why}): not checked."], True
    if CONFIRM_N not in results.sizes or not results.complete:
        return [f"Oracle: N = {CONFIRM_N} was not measured: not checked."], True
    lines, confirmed = [], True
    for row in rows:
        off = off_ours(results, row, "floor", CONFIRM_N)
        near = off is not None and off < CONFIRM_M
        confirmed &= near
        said = "no displacement" if off is None else f"{1e3 * off:.3f} mm from our displacement after 5 s"
        lines.append(f"Oracle: {row.name}: {said}, N = {CONFIRM_N} (limit {1e3 * CONFIRM_M:g} mm): "
                     + ("ok" if near else "FAILED"))
    return lines, confirmed


def settings_lines(results):
    lines = []
    for row in results.rows:
        chosen = {}
        for (world, n), best in row.best.items():
            text = ", ".join(row.candidates[best["candidate"]]) or "as it comes"
            chosen.setdefault(text, {}).setdefault(world, []).append(n)
        for text, where in chosen.items():
            places = "; ".join(f"{world} {', '.join(str(n) for n in sorted(ns))}"
                               for world, ns in where.items())
            lines.append(f"- {row.name}: {text}" + (f" ({row.note})" if row.note else "")
                         + (f"; at {places}" if len(chosen) > 1 else ""))
    return lines


def absence_lines(results):
    """What is not in the tables, and why."""
    lines = [f"- {engine}: missing: {why}" for engine, why in results.missing.items()]
    for row in results.rows:
        reasons = {}
        for key, why in row.trouble.items():
            place = "the slopes" if isinstance(key, str) else f"{key[-2]} N = {key[-1]}"
            reasons.setdefault(why, []).append(place)
        lines += [f"- {row.name}, {', '.join(dict.fromkeys(places))}: {why}" for why, places in reasons.items()]
        skipped = [n for n in results.sizes if not any(row.covers(w, n) for w in WORLDS)]
        if skipped and skipped != results.sizes and not row.limits:
            why = getattr(row.module, "skipped", "too slow to be of interest")
            line = f"- {row.engine}, N = {', '.join(map(str, skipped))}: not run: {why}"
            if line not in lines:
                lines.append(line)
    return lines


def wrap(text):
    """Prose and list items in lines of at most WIDTH characters; tables and headings as they are."""
    if text.startswith(("|", "#", "Oracle")):
        return text
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def make_report(results):
    """The report as Markdown, and whether Drake confirms us."""
    versions = list(dict.fromkeys(row.version for row in results.rows if row.version))
    small = results.sizes[0]
    text = []
    if not results.complete:
        text += ["**Interrupted: not all of it was measured.**", ""]
    text += [f"{', '.join(versions)}. {machine()}, one core, CPU time, fastest of {results.rounds} "
             "alternating rounds of 5 s at 1 ms; in brackets: times Coluber, anchored. †: timed over the first "
             "steps only (200 at least), and in fewer rounds. ‡: does not do the gait and is not counted (joints 20 mm apart, "
             "angles 5° off, among the cylinders 15°, or less than a quarter of the points on the floor).", ""]
    for world in WORLDS:
        text += speed_table(results, world)
    text += ratio_table(results)
    for world in WORLDS:
        powers = [(row.setting, exponent(row, world)) for row in results.rows if row.group == "ours"]
        said = ", ".join(f"{name} n^{p:.2f}" for name, p in powers if p is not None)
        if said:
            text += [f"Growth of Coluber's step, {world}: {said}."]
    text += [""]
    text += accuracy_table(results, small) + cylinder_table(results, small)
    if len(results.sizes) > 1:
        watched = [n for n in results.sizes if n <= 80]
        text += large_table(results, watched[-1])
    lines, confirmed = confirm(results)
    text += ["  \n".join(lines), ""]
    better = better_lines(results)
    compared = any(row.seen for row in results.rows if row.group != "ours")
    if better:
        text += ["Where a peer has the better number:", "", *better, ""]
    else:
        text += ["No peer has a better number in any column." if compared else "There is no peer to compare with.", ""]
    text += ["Settings:", "", *settings_lines(results), ""]
    absent = absence_lines(results)
    if absent:
        text += ["Not in the tables:", "", *absent, ""]
    return "\n".join(map(wrap, text)).rstrip(), confirmed


def save_csv(results, path):
    names = ["row", "engine", "group", "world", "n", "us_per_step", "ratio", "steps_timed", "setting",
             "contacts", "floor_depth", "cylinder_depth", "drift", "tracking", "x", "y", "law", "residual",
             "iterations", "iterations_max", "failed", "creep", "crept", "slide_0", "slide_45", "heading"]
    part = path.with_suffix(".part")
    with part.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, names, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in results.rows:
            for (world, n), best in sorted(row.best.items(), key=lambda item: (item[0][0] != "floor", item[0][1])):
                line = dict(row.seen.get((world, n), {}))
                if world == "floor" and n == results.sizes[0]:
                    line.update(row.slopes)
                ours = results.ours.best.get((world, n))
                line.update(row=row.name, engine=row.version, group=row.group, world=world, n=n,
                            us_per_step=best["us"], ratio=best["us"] / ours["us"] if ours else None,
                            steps_timed=best["steps"],
                            setting=" ".join(row.candidates[best["candidate"]]))
                writer.writerow(line)
    os.replace(part, path)


COLOURS = {"Coluber": "#c0392b", "MuJoCo": "#1f77b4", "ODE": "#2ca02c", "Drake": "#9467bd",
           "Bullet": "#17a2b8", "DART": "#8c564b", "Siconos": "#7f7f7f", "Jolt": "#ff7f0e",
           "Box3D": "#bcbd22", "Rapier": "#e377c2"}


def plot(results, path):
    """µs per step over N, both worlds: ours, and each peer's fastest sensible setting at each N."""
    if shutil.which("gnuplot") is None:
        say("no gnuplot: no picture")
        return
    lines = ['set terminal svg size 960,520 font "DejaVu Sans,12" background rgb "white"',
             f'set output "{path}"', "set logscale xy", "set grid", 'set xlabel "links"',
             f"set xrange [{0.85 * results.sizes[0]}:{1.18 * results.sizes[-1]}]",
             "set xtics (10, 20, 40, 80, 160)", "set tics nomirror", "set border 3", 'set format y "%g"']
    plots, every = [], []
    for world in WORLDS:
        curves = []
        for row in results.rows:
            if row.group == "ours" and row.setting in ("anchored", "rigid"):
                curves.append((row.name, row.engine, {n: b["us"] for (w, n), b in row.best.items() if w == world},
                               row.setting == "rigid"))
        for engine in dict.fromkeys(row.engine for row in results.rows if row.group != "ours"):
            points = {}
            for row in results.rows:
                for (w, n), best in row.best.items():
                    if row.engine == engine and w == world and is_sensible(row, w, n):
                        points[n] = min(best["us"], points.get(n, math.inf))
            curves.append((engine, engine, points, False))
        parts = []
        for k, (title, engine, points, dashed) in enumerate(curves):
            if not points:
                continue
            every += points.values()
            lines.append(f"${world}{k} << END")
            lines += [f"{n} {us}" for n, us in sorted(points.items())]
            lines.append("END")
            width = 3 if engine == "Coluber" else 1.5
            parts.append(f'${world}{k} using 1:2 with linespoints linewidth {width} '
                         f'linecolor rgb "{COLOURS.get(engine, "#333333")}" dashtype {2 if dashed else 1} '
                         f'pointtype 7 pointsize 0.5 title "{title}"')
        if parts:
            plots.append((world, parts))
    if not every:
        return
    lines += [f"set yrange [{0.7 * min(every)}:{1.5 * max(every)}]", "set multiplot"]
    for k, (world, parts) in enumerate(plots):
        left, right = (0.075, 0.415) if k == 0 else (0.465, 0.805)
        lines += [f"set lmargin at screen {left}", f"set rmargin at screen {right}", "set bmargin at screen 0.12",
                  "set tmargin at screen 0.92", f'set title "{world}"',
                  'set ylabel "µs per step"' if k == 0 else "unset ylabel",
                  "set key at screen 0.82, screen 0.92 left top Left reverse samplen 2 spacing 1.2" if k == len(plots) - 1 else "unset key",
                  "plot " + ", ".join(parts)]
    lines.append("unset multiplot")
    subprocess.run(["gnuplot"], input="\n".join(lines), text=True, check=True)


def machine_name():
    """For a file of results: the processor and its clock."""
    words = re.sub(r"\((R|TM)\)|@.*|\b(Intel|AMD|CPU|Processor|\d+-Core)\b", " ", machine()).split()
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
        words.append(f"{round(float(re.search(r'cpu MHz[^:]*: ([0-9.]+)', text).group(1)), -2):.0f}")
    except (OSError, AttributeError):
        pass
    return "-".join(words).lower()


def save(results, path):
    """All that was measured, for `load`."""
    rows = {}
    for row in results.rows:
        rows[row.name] = {"version": row.version, "slopes": row.slopes,
                          **{name: [[list(key) if isinstance(key, tuple) else key, value]
                                    for key, value in getattr(row, name).items()]
                             for name in ("best", "seen", "trouble")}}
    whole = {"rounds": results.rounds, "complete": results.complete, "sizes": results.sizes,
             "missing": results.missing, "rows": rows}
    part = path.with_suffix(".part")
    part.write_text(json.dumps(whole, indent=1), encoding="utf-8")
    os.replace(part, path)


def load(path, rows):
    """What `save` wrote, into the rows it has something for."""
    whole = json.loads(path.read_text(encoding="utf-8"))
    rows = [row for row in rows if row.name in whole["rows"]]
    for row in rows:
        known = whole["rows"][row.name]
        row.version, row.slopes = known["version"], known["slopes"]
        for name in ("best", "seen", "trouble"):
            setattr(row, name, {tuple(key) if isinstance(key, list) else key: value
                                for key, value in known[name]})
    results = Results(rows, whole["missing"], whole["sizes"])
    results.rounds, results.complete = whole["rounds"], whole["complete"]
    return results


def write_docs(root, results, text, picture):
    page = root / "docs/benchmarks.md"
    old = page.read_text(encoding="utf-8")
    begin, end = "<!-- peers: begin -->", "<!-- peers: end -->"
    head, rest = old.split(begin)
    page.write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")
    shutil.copy(picture, root / "docs/pictures/peers.svg")
    save_csv(results, root / f"benchmarks/peers/results/{machine_name()}.csv")
