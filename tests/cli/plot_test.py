#!/usr/bin/python3
"""`coluber plot`: pictures that are what they say, in three formats, and refusals that explain themselves.

Draws real runs. Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
import zlib
from pathlib import Path

import h5py
import numpy

from harness import COLUBER, SOURCE, check, finish

COURSE = str(SOURCE / "scenarios" / "aiko_course.toml")
FLOOR = str(SOURCE / "scenarios" / "aiko_floor.toml")
SLOPE = str(SOURCE / "scenarios" / "aiko_slope.toml")
SPATIAL = ["course", "path", "postures", "side", "velocities", "forces", "footfall", "angles", "tracking", "torques", "energy", "residual"]
LISTED = [*SPATIAL[:9], "path_error", "force_map", "mapped", "quality", SPATIAL[9], "wheels", "internal", "reactions", "grasp", *SPATIAL[10:]]  # of robots that follow a path, of studies, on wheels, of rods, that grasp
NAMES = [name for name in SPATIAL if name != "side"]  # a robot that stays in its plane is not drawn from the side unasked


def coluber(*words, **more):
    return subprocess.run([COLUBER, *map(str, words)], capture_output=True, text=True, timeout=300, **more)


def run(folder, scenario, *words):
    done = coluber("run", scenario, "--out", folder, "-q", *words)
    if done.returncode != 0:
        sys.exit(f"cannot run {scenario}: {done.stderr}")
    return folder


def texts(svg):
    return ["".join(node.itertext()) for node in xml.parse(svg).iter() if node.tag.endswith("}text")]


def polygons(svg, colour):
    """Filled shapes of one colour, each a list of points in pixels."""
    found = []
    for node in xml.parse(svg).iter("{http://www.w3.org/2000/svg}polygon"):
        if tuple(int(n) for n in re.findall(r"\d+", node.get("fill"))) == colour:
            numbers = [float(n) for n in re.findall(r"-?[\d.]+", node.get("points"))]
            found.append(list(zip(numbers[::2], numbers[1::2])))
    return found


def area(points):
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, points[1:] + points[:1]))) / 2


def extent(points):
    xs, ys = zip(*points)
    return max(xs) - min(xs), max(ys) - min(ys)


def places(svg, fill=None):
    """Words with the point (pixels) and the colour they are written in."""
    found = []
    for group in xml.parse(svg).iter("{http://www.w3.org/2000/svg}g"):
        at = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", group.get("transform", ""))
        words = "".join("".join(node.itertext()) for node in group if node.tag.endswith("}text"))
        colour = tuple(int(n) for n in re.findall(r"\d+", group.get("fill", "")))
        if at and words.strip() and (fill is None or colour == fill):
            found.append((words.strip(), float(at[1]), float(at[2])))
    return found


def within(polygon, x, y):
    odd = False
    for (ax, ay), (bx, by) in zip(polygon, polygon[1:] + polygon[:1]):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            odd = not odd
    return odd


def png(path):
    """Width, height and the set of colours of an 8-bit RGB or RGBA picture."""
    data = path.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG signature")
    at, packed, header = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if zlib.crc32(kind + body) != struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0]:
            raise ValueError("bad checksum")
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    raw = zlib.decompress(packed)
    channels = {2: 3, 6: 4}[header[3]]
    if len(raw) != header[1] * (1 + header[0] * channels):
        raise ValueError("truncated")
    return header[0], header[1], len(set(raw))


def rows_of(path):
    """The rows of such a picture, filters undone, as bytes."""
    data = path.read_bytes()
    at, packed, header = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        if zlib.crc32(data[at + 4 : at + 8 + size]) != struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0]:
            raise ValueError(f"{path}: the sum of a chunk {kind} is wrong")
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", data[at + 8 : at + 8 + size])
        elif kind == b"IDAT":
            packed += data[at + 8 : at + 8 + size]
        at += 12 + size
    raw = zlib.decompress(packed)
    step = {2: 3, 6: 4}[header[3]]
    width = header[0] * step
    before, rows = numpy.zeros(width, dtype=numpy.uint8), []
    for k in range(header[1]):
        kind = raw[k * (width + 1)]
        line = numpy.frombuffer(raw, dtype=numpy.uint8, count=width, offset=k * (width + 1) + 1).copy()
        if kind == 2:
            line += before
        elif kind != 0:
            for i in range(width):
                left = int(line[i - step]) if i >= step else 0
                up = int(before[i])
                corner = int(before[i - step]) if i >= step else 0
                if kind == 1:
                    guess = left
                elif kind == 3:
                    guess = (left + up) // 2
                else:
                    p = left + up - corner
                    guess = min((left, up, corner), key=lambda x: abs(p - x))
                line[i] = (int(line[i]) + guess) & 255
        rows.append(line.tobytes())
        before = line
    return rows


def test_all_plots_by_default(tmp, course):
    done = coluber("plot", course)
    check("plot without --what draws every plot into RUN/plots", done.returncode == 0, done.stderr)
    check("plot says on stdout which files it wrote", done.stdout.split() == [str(course / "plots" / f"{n}.svg") for n in NAMES], done.stdout)
    check("plot says nothing on stderr when all is well", done.stderr == "", done.stderr)
    listed = [p["name"] for p in json.loads(coluber("list", "plots", "--json").stdout)["plots"]]
    sweeps = ["response", "heatmap", "parallel", "convergence"]
    check("list plots names the same plots, side, path_error and those of studies and sweeps", listed == [*LISTED, *sweeps], listed)
    for name in NAMES:
        file = course / "plots" / f"{name}.svg"
        words = texts(file)
        check(f"{name}.svg is well-formed and carries the run's title", "Aiko through the pegs of Transeth 7.3.4" in words, words[:5])
        check(f"{name}.svg has axes with units", any(re.search(r"\((m|s|N|N m|deg|J)\)$", w) for w in words), words)
    check("nothing but the pictures and their list is left behind", sorted(p.name for p in (course / "plots").iterdir()) == sorted(["plots.json", *(f"{n}.svg" for n in NAMES)]))
    listed = json.loads((course / "plots/plots.json").read_text())
    frames, state = json.loads((course / "run.json").read_text())["frames"], json.loads((course / "run.json").read_text())["summary"]["final_state"]
    check("the list says what was drawn, and of which run", listed["format"] == "coluber-plots" and listed["plots"] == [{"name": n, "file": f"{n}.svg", "options": {}, "frames": frames, "final_state": state} for n in NAMES], listed)
    check("angles.svg draws the references and the tracking error", {"reference", "error (deg)"} <= set(texts(course / "plots/angles.svg")))
    first = (course / "plots/course.svg").read_bytes()
    coluber("plot", course, "--what", "course")
    check("the same run gives the same SVG, byte for byte", (course / "plots/course.svg").read_bytes() == first)


def test_formats(tmp, course):
    done = coluber("plot", course, "--what", "course", "-o", tmp / "a.png")
    width, height, colours = png(tmp / "a.png")
    check("a PNG has 300 dots an inch over 17 cm and a picture in it", done.returncode == 0 and width == 2008 and height > 300 and colours > 20, (width, height, colours))
    coluber("plot", course, "--what", "forces", "-o", tmp / "a.pdf")
    data = (tmp / "a.pdf").read_bytes()
    check("a PDF begins and ends as one", data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF"), data[:20])
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+)", data)
    check("a PDF is 17 cm wide", box and abs(float(box[1]) - 17 / 2.54 * 72) < 2, box)
    done = coluber("plot", course, "--what", "path", "--what", "energy", "-o", tmp / "two.svg")
    check("several plots into one name get theirs in front of the ending", done.returncode == 0 and (tmp / "two-path.svg").exists() and (tmp / "two-energy.svg").exists() and not (tmp / "two.svg").exists(), done.stderr)


def test_pictures_of_others_stay(tmp, course):
    foreign = {"a.svg": b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>\n', "a.png": b"\x89PNG\r\n\x1a\n" + bytes(99), "a.pdf": b"%PDF-1.4\n%%EOF\n"}
    for name, data in foreign.items():
        file = tmp / name
        file.write_bytes(data)
        done = coluber("plot", course, "--what", "energy", "-o", file)
        check(f"{name} of somebody else is not replaced", done.returncode == 2 and file.read_bytes() == data, done.stderr)
        check("… and the message says how", done.stderr == f"error: -o {file}: exists and is not a picture that Coluber made\n  hint: --force replaces it\n", done.stderr)
        done = coluber("plot", course, "--what", "energy", "-o", file, "--force")
        check("… --force replaces it", done.returncode == 0 and len(file.read_bytes()) > 5000, done.stderr)
        done = coluber("plot", course, "--what", "course", "-o", file)
        check("… and what Coluber drew is replaced unasked", done.returncode == 0, done.stderr)
    for name in ("a.png", "a.pdf"):
        tool = shutil.which("pdftotext" if name == "a.pdf" else "file")
        if tool:
            done = subprocess.run([tool, tmp / name, *(["-"] if name == "a.pdf" else [])], capture_output=True, text=True, timeout=60)
            check(f"{name} with its mark is still read by others", done.returncode == 0 and not done.stderr, done.stderr)
    run_files = {file.name: file.read_bytes() for file in course.iterdir() if file.is_file()}
    (course / "replay.png").write_bytes(foreign["a.png"])
    done = coluber("plot", course, "--what", "energy", "-o", course / "replay.png", "--force")
    check("a file of a run is never replaced", done.returncode == 2 and "is a file of the run in" in done.stderr, done.stderr)
    (course / "replay.png").unlink()
    check("… and the run is as it was", run_files == {file.name: file.read_bytes() for file in course.iterdir() if file.is_file()})
    two = [tmp / "b-path.svg", tmp / "b-energy.svg"]
    two[1].write_bytes(foreign["a.svg"])
    done = coluber("plot", course, "--what", "path", "--what", "energy", "-o", tmp / "b.svg")
    check("of several pictures none is drawn where one is refused", done.returncode == 2 and not two[0].exists(), done.stderr)

    own = shutil.copytree(course, tmp / "own", ignore=shutil.ignore_patterns("plots"))
    (own / "plots").mkdir()
    (own / "plots/energy.svg").write_bytes(foreign["a.svg"])
    done = coluber("plot", own, "--what", "energy")
    check("nor is one in plots/ that plot did not draw", done.returncode == 2 and (own / "plots/energy.svg").read_bytes() == foreign["a.svg"], done.stderr)
    done = coluber("plot", own, "--what", "energy", "--force")
    check("… --force draws it", done.returncode == 0 and coluber("plot", own, "--what", "energy").returncode == 0, done.stderr)
    (own / "plots/energy.svg").write_bytes(foreign["a.svg"])
    check("a picture that plots.json lists is drawn again", coluber("plot", own, "--what", "energy").returncode == 0)
    check("-o may name a picture of one's own run", coluber("plot", own, "--what", "path", "-o", own / "plots/energy.svg").returncode == 0)
    done = coluber("plot", course, "--what", "path", "-o", own / "plots/energy.svg")
    check("… not of another", done.returncode == 2 and "is a file of the run in" in done.stderr, done.stderr)


def test_course_is_to_scale(tmp, course):
    coluber("plot", course, "--what", "course", "--time", 5.2, "--zoom", "-o", tmp / "z.svg")
    discs = polygons(tmp / "z.svg", (107, 107, 107))
    sizes = [extent(p) for p in discs]
    check("obstacles are round: both axes have one scale", discs and all(abs(w - h) < 0.3 for w, h in sizes), sizes)
    widest = max(w for w, _ in sizes)
    scale = widest / 0.06  # pixels a metre: the largest peg in view, number 5, has a radius of 0.03 m
    links = polygons(tmp / "z.svg", (220, 236, 246)) + polygons(tmp / "z.svg", (143, 199, 230))
    capsule = 2 * 0.0525 * 2 * 0.0393 + math.pi * 0.0525**2
    areas = [area(p) / scale**2 for p in links]
    # the arc has 16 chords a cap (0.6 % less area), the SVG two decimals of a pixel
    check("each of the eleven links is drawn as its true capsule", len(links) == 11 and all(abs(a / capsule - 1) < 0.015 for a in areas), [a / capsule for a in areas])
    arrows = polygons(tmp / "z.svg", (213, 94, 0))
    check("at 5.2 s three contact forces are drawn, and their scale", len(arrows) == 4, len(arrows))
    words = texts(tmp / "z.svg")
    check("the picture says its time and the scale of the forces", "t = 5.2 s" in words and any(re.search(r"contact force.* \d+ N$", w) for w in words), words)
    with h5py.File(course / "trajectory.h5") as file:
        times = file["time"][()]
    coluber("plot", course, "--what", "course", "-o", tmp / "last.svg")
    check("without --time the last posture is drawn", f"t = {times[-1]:.4g} s" in texts(tmp / "last.svg"))


def test_choosing_links_and_times(tmp, course):
    coluber("plot", course, "--what", "forces", "--link", 2, "--link", 7, "--link", 10, "--from", 4.5, "--to", 5.4, "-o", tmp / "f.svg")
    words = texts(tmp / "f.svg")
    check("--link chooses the links of a picture", [w for w in words if w.startswith("link ")] == ["link 2", "link 7", "link 10"], words)
    check("--from and --to choose its times", {"4.6", "4.8", "5", "5.2"} <= set(words), words)
    for words, what in (
        (("--link", 12, "--what", "path"), "a link that is not there"),
        (("--time", 99, "--what", "course"), "a time after the end"),
        (("--time", "nan", "--what", "course"), "a time that is no number"),
        (("--from", "nan", "--what", "path"), "a window from nowhere"),
        (("--from", 50, "--to", 60, "--what", "angles"), "a window without frames"),
    ):
        done = coluber("plot", course, *words, "-o", tmp / "none.svg")
        check(f"{what} is bad input, exit 3, with what there is", done.returncode == 3 and "hint: " in done.stderr and done.stdout == "" and not (tmp / "none.svg").exists(), done.stderr)


def test_peg_numbers_keep_clear(tmp, course):
    for time in (0, 0.4, 0.9, 1.2, 1.7, 2.2, 2.6, 3.1, 3.9, 4.4, 4.8, 5.2):
        coluber("plot", course, "--what", "course", "--time", time, "-o", tmp / "c.svg")
        links = polygons(tmp / "c.svg", (220, 236, 246)) + polygons(tmp / "c.svg", (143, 199, 230))
        numbers = places(tmp / "c.svg", (85, 85, 85))
        # a number is written on its baseline: its middle is some 3 pixels higher
        hidden = [word for word, x, y in numbers if any(within(link, x, y - 3) for link in links)]
        check(f"at {time} s each of the nine pegs has its number, none on the robot", sorted(w for w, _, _ in numbers) == [str(k) for k in range(1, 10)] and not hidden, (numbers, hidden))
    coluber("plot", course, "--what", "postures", "-o", tmp / "p.svg")
    shapes = [p for colour in ((68, 1, 84), (53, 92, 141), (33, 144, 141), (100, 200, 95)) for p in polygons(tmp / "p.svg", colour)]
    hidden = [word for word, x, y in places(tmp / "p.svg", (85, 85, 85)) if any(within(shape, x, y - 3) for shape in shapes)]
    check("nor among the postures", not hidden, hidden)


def test_zoom(tmp, course):
    for name in ("course", "path", "postures"):
        wide, near = tmp / f"{name}.svg", tmp / f"{name}-zoom.svg"
        coluber("plot", course, "--what", name, "-o", wide)
        done = coluber("plot", course, "--what", name, "--zoom", "-o", near)
        discs = [max(extent(p)[0] for p in polygons(file, (107, 107, 107))) for file in (wide, near)]
        check(f"--zoom shows {name} larger", done.returncode == 0 and discs[1] > 1.2 * discs[0], discs)


def test_width_and_title(tmp, course):
    for width, cm in (("85mm", 8.5), ("8.5cm", 8.5), ("4in", 10.16)):
        coluber("plot", course, "--what", "course", "--width", width, "-o", tmp / "w.pdf")
        box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+)", (tmp / "w.pdf").read_bytes())
        check(f"--width {width} is the width of the picture", box and abs(float(box[1]) - cm / 2.54 * 72) < 2, box)
    sizes = {}
    for name in NAMES:
        for width in ("170mm", "85mm"):
            done = coluber("plot", course, "--what", name, "--width", width, "-o", tmp / "w.svg")
            text = (tmp / "w.svg").read_text()
            sizes[width] = max(float(n) for n in re.findall(r'font-size="([\d.]+)"', text))
            right = float(re.search(r'viewBox="0 0 ([\d.]+)', text)[1])
            beyond = [(word, x) for word, x, _ in places(tmp / "w.svg") if not 0 <= x <= right]
            check(f"{name} of {width} draws, with its words in the picture", done.returncode == 0 and not beyond, f"{done.stderr} {beyond}")
        check(f"{name}: text keeps its size", sizes["85mm"] == sizes["170mm"], sizes)
    heights = []
    for words in ((), ("--no-title",)):
        coluber("plot", course, "--what", "energy", *words, "-o", tmp / "t.svg")
        heights.append(float(re.search(r'viewBox="0 0 [\d.]+ ([\d.]+)', (tmp / "t.svg").read_text())[1]))
    check("--no-title leaves the title out and its room", "Aiko through the pegs of Transeth 7.3.4" not in texts(tmp / "t.svg") and heights[1] < heights[0] - 10, heights)
    check("… but the file still has a name for readers", "<title>Aiko through the pegs" in (tmp / "t.svg").read_text())
    for width in ("85", "wide", "8mm", "nanmm", "9m"):
        done = coluber("plot", course, "--width", width)
        check(f"--width {width} is wrong usage, exit 2", done.returncode == 2 and "--width" in done.stderr, done.stderr)


def test_ticks_of_strips(tmp, course):
    for links in (8, 11, 26):
        folder = run(tmp / f"{links}", FLOOR, "--duration", 0.2, "--set", f"robot.links={links}", "--set", f"start.link={min(links, 11)}")
        run_json = json.loads((folder / "run.json").read_text())
        del run_json["files"]  # the torques are to be ours
        (folder / "run.json").write_text(json.dumps(run_json))
        for low, high in ((-1.02, 1.02), (-2.05, 2.05), (-5.1, 5.1), (0, 10.3), (-20.5, 3.0), (-0.3, 0.7)):
            with h5py.File(folder / "trajectory.h5", "a") as file:
                torque = file["joint_torque"][()]
                torque[:] = low
                torque[::2] = high
                file["joint_torque"][...] = torque
            coluber("plot", folder, "--what", "torques", "-o", tmp / "t.svg")
            ticks = [(x, y) for word, x, y in places(tmp / "t.svg") if re.fullmatch(r"[-−]?[\d.]+", word)]
            column = max({x for x, _ in ticks}, key=lambda x: sum(1 for a, _ in ticks if a == x))
            heights = sorted(y for x, y in ticks if x == column)
            apart = min(b - a for a, b in zip(heights, heights[1:]))
            # figures of 8 points are about 8 pixels high
            check(f"numbers of the torques of {links} links from {low} to {high} N m do not meet", len(heights) >= min(links - 1, 24) and apart > 9, f"{len(heights)} numbers, {apart:.1f} pixels apart")


def test_forces_of_the_ground(tmp, course):
    folder = run(tmp / "floor", FLOOR, "--duration", 1.0)
    coluber("plot", folder, "--what", "forces", "-o", tmp / "f.svg")
    words = texts(tmp / "f.svg")
    check("on an open floor the forces are those of the ground, and said to be", "ground force (N)" in words and any("no link touches an obstacle" in w for w in words), words)
    coluber("plot", course, "--what", "forces", "-o", tmp / "c.svg")
    check("among pegs they are those of the pegs", "contact force (N)" in texts(tmp / "c.svg"), texts(tmp / "c.svg"))


def test_footfall(tmp, course):
    winding = run(tmp / "winding", SOURCE / "scenarios/aiko_sidewinding.toml", "--duration", 3.0)
    coluber("plot", winding, "--what", "footfall", "-o", tmp / "f.svg")
    with h5py.File(winding / "trajectory.h5") as file:
        times, force = file["time"][()], file["ground_force"][()]
    carried = [(force[1:, link, 2] != 0) @ (times[1:] - times[:-1]) / (times[-1] - times[0]) for link in range(11)]
    said = [int(w[:-2]) for w, _, _ in sorted(places(tmp / "f.svg"), key=lambda p: p[2]) if w.endswith(" %")]
    check("the footfall says which share of the time a link is on the ground", said == [round(100 * share) for share in carried], (said, carried))
    top = min(y for word, _, y in places(tmp / "f.svg") if word == "1")
    bars = [bar for bar in polygons(tmp / "f.svg", (49, 104, 142)) if bar[0][1] > top - 12]  # the legend's is higher
    rows = sorted({round(sum(y for _, y in bar) / len(bar)) for bar in bars})
    panel = sum(extent(bar)[0] for bar in bars) / sum(carried)
    check("… and its bars cover that share of the axis", len(rows) == 11 and all(abs(sum(extent(b)[0] for b in bars if round(sum(y for _, y in b) / len(b)) == row) / panel - share) < 0.01 for row, share in zip(rows, carried)), (rows, carried))
    coluber("plot", course, "--what", "footfall", "-o", tmp / "c.svg")
    check("in the plane the footfall is that of obstacles", "on an obstacle" in texts(tmp / "c.svg") and "on the ground" not in texts(tmp / "c.svg"), texts(tmp / "c.svg"))


def test_names_of_works(tmp, course):
    check("in the plane contacts work against obstacles", "obstacles" in texts(course / "plots/energy.svg"), texts(course / "plots/energy.svg"))
    drop = run(tmp / "drop", SOURCE / "scenarios/aiko_drop.toml", "--duration", 1.0)
    coluber("plot", drop, "--what", "energy", "-o", tmp / "e.svg")
    words = texts(tmp / "e.svg")
    check("what a fall takes is called floor impacts, not obstacles", "floor impacts" in words and not any("obstacle" in w for w in words), words)


def test_slopes(tmp, course):
    for direction in (0, 30, 135, 270):
        folder = run(tmp / f"s{direction}", SLOPE, "--duration", 0.2, "--set", f"world.tilt_direction_deg={direction}")
        for name in ("course", "path", "postures"):
            coluber("plot", folder, "--what", name, "-o", tmp / "s.svg")
            words = texts(tmp / "s.svg")
            heads = polygons(tmp / "s.svg", (102, 102, 102))
            check(f"{name} says what x and y are on a slope", any("downhill; slope of 10°: x and y lie in it, z is its normal" in w for w in words) and len(heads) == 1, words)
            corners = list(dict.fromkeys(heads[0]))
            tip = max(corners, key=lambda p: sum(math.dist(p, q) for q in corners))
            middle = [sum(p[i] for p in corners) / len(corners) for i in (0, 1)]
            angle = math.degrees(math.atan2(middle[1] - tip[1], tip[0] - middle[0])) % 360
            # the head is 6 pixels long, in hundredths
            check(f"… and its arrow points downhill, {direction}° from x", abs((angle - direction + 180) % 360 - 180) < 2, angle)
    coluber("plot", tmp / "s0", "--what", "side", "--time", 0, "-o", tmp / "s.svg")
    check("from the side it says that z is the normal", any("z is its normal" in w for w in texts(tmp / "s.svg")), texts(tmp / "s.svg"))
    steep = run(tmp / "steep", SLOPE, "--duration", 0.2, "--set", "world.tilt_deg=12")
    level = run(tmp / "level", SLOPE, "--duration", 0.2, "--set", "world.tilt_deg=0")
    grey, blue, red = (102, 102, 102), (0, 114, 178), (213, 94, 0)
    for runs, slopes in (((tmp / "s0", steep), "slopes of 10° and 12°"), ((level, steep, tmp / "s0"), "slopes of 0°, 12° and 10°")):
        for name in ("course", "path", "postures"):
            coluber("plot", *runs, "--what", name, "-o", tmp / "two.svg")
            words = " ".join(texts(tmp / "two.svg"))
            check(f"{name} of runs on different slopes says so, with an arrow", f"downhill; {slopes}: x and y lie in them, z is the normal" in words and len(polygons(tmp / "two.svg", grey)) == 1, words)
    coluber("plot", tmp / "s0", tmp / "s270", "--what", "course", "-o", tmp / "two.svg")
    heads = [polygons(tmp / "two.svg", colour) for colour in (blue, red)]
    check("slopes that fall in different directions have an arrow each, in the colour of their run", all(any(area(p) < 60 for p in each) for each in heads), [len(each) for each in heads])
    coluber("plot", tmp / "s0", steep, "--what", "side", "--time", 0, "-o", tmp / "two.svg")
    words = " ".join(texts(tmp / "two.svg"))
    check("from the side each of two slopes has its weight", "weight; slopes of 10° and 12°, run by run: x lies in them, z is the normal" in words and len(polygons(tmp / "two.svg", grey)) == 2, words)
    coluber("plot", tmp / "s0", "--what", "course", "--width", "85mm", "-o", tmp / "two.svg")
    words = " ".join(texts(tmp / "two.svg"))
    check("a remark that is too long for a narrow page goes on in a second line", "z is its normal;  t = 0.2 s" in words and "…" not in words, words)
    check("on level ground nothing is said of a slope", not any("slope" in w for w in texts(course / "plots/course.svg")))


def test_two_runs(tmp, course):
    other = run(tmp / "other", COURSE, "--duration", 5.5, "--set", "gait.amplitude_deg=35")
    done = coluber("plot", course, other)
    check("two runs are drawn into the folder of the first, under both names", done.returncode == 0 and done.stderr == "" and done.stdout.split() == [str(course / "plots" / f"{n}-and-other.svg") for n in NAMES], f"{done.stdout} {done.stderr}")
    for name in NAMES:
        words = texts(course / "plots" / f"{name}-and-other.svg")
        check(f"{name} of two runs says in which key they differ", {"course: gait.amplitude_deg = 40", "other: gait.amplitude_deg = 35"} <= set(words), words)
    listed = {p["file"]: p for p in json.loads((course / "plots/plots.json").read_text())["plots"]}
    check("… is listed with the second run", listed["path-and-other.svg"]["options"] == {"runs": [str(other)]} and listed["path.svg"]["options"] == {}, listed.get("path-and-other.svg"))
    blue, red = 'stroke="rgb(  0, 114, 178)"', 'stroke="rgb(213,  94,   0)"'
    text = (course / "plots/velocities-and-other.svg").read_text()
    check("each run has its colour, on one axis", text.count(blue) >= 2 and text.count(red) >= 2 and texts(course / "plots/velocities-and-other.svg").count("velocity x, link 6 (m/s)") == 1, (text.count(blue), text.count(red)))
    floor = run(tmp / "floor", COURSE, "--duration", 0.5, "--set", "world.obstacle=[]")
    moved = run(tmp / "moved", COURSE, "--duration", 0.5, "--set", "world.obstacle.9.y=0.5")
    coluber("plot", course, floor, moved, "--what", "path", "-o", tmp / "pegs.svg", "--width", "300mm")
    words = texts(tmp / "pegs.svg")
    check("the legend counts obstacles in words", any("9 obstacles" in w for w in words) and any("no obstacles" in w for w in words) and any("9 obstacles (not the same)" in w for w in words) and not any("world.obstacle" in w for w in words), words)
    link = "{ mass = %s, inertia = 1e-3, length = 0.1, half_core = 0.03, radius = 0.03 }"
    for name, links in (("alike", link % 1), ("heavy", link % 2), ("own", "[" + ", ".join(link % mass for mass in (2, 1, 1)) + "]")):
        (tmp / f"{name}.toml").write_text(f'[robot]\nmodel = "planar"\nlinks = 3\nlink = {links}\n')
        run(tmp / name, tmp / f"{name}.toml", "--duration", 0.1)
    coluber("plot", tmp / "alike", tmp / "own", "--what", "path", "-o", tmp / "links.svg")
    check("one table for all links beside a table for each is named so", {"alike: all links alike", "own: 3 different links"} <= set(texts(tmp / "links.svg")), texts(tmp / "links.svg"))
    coluber("plot", tmp / "alike", tmp / "heavy", tmp / "own", "--what", "path", "-o", tmp / "links.svg")
    check("… with the keys in which such tables differ", {"alike: robot.link.mass = 1, all links alike", "heavy: robot.link.mass = 2, all links alike", "own: robot.link.mass = –, 3 different links"} <= set(texts(tmp / "links.svg")), texts(tmp / "links.svg"))
    trees = [run(tmp / name, SOURCE / f"scenarios/{name}.toml", "--duration", 0.1) for name in ("fish", "unicycle")]
    done = coluber("plot", *trees, "--what", "path", "-o", tmp / "trees.svg")
    check("bodies of trees are counted in English", "  robot.body: 6 bodies | 1 body\n" in done.stderr, done.stderr)
    same = coluber("plot", course, course, "--what", "path", "-o", tmp / "same.svg")
    check("a run beside itself is said to differ in nothing", same.returncode == 0 and any("the runs differ in no key" in w for w in texts(tmp / "same.svg")), texts(tmp / "same.svg"))
    short = run(tmp / "short", FLOOR, "--duration", 2, "--set", "robot.links=7", "--set", "start.link=7", "--set", "controller.kp=400", "--set", "solver.dt=2e-3", "--set", "world.friction=[0.2,0.5]")
    for name in NAMES:
        done = coluber("plot", course, short, "--what", name, "-o", tmp / "o.svg")
        check(f"{name} of robots that are not alike draws", done.returncode == 0 and (tmp / "o.svg").exists(), done.stderr)
    keys = re.findall(r"^  ([\w.]+): (.*)$", done.stderr, re.M)
    check("keys that do not fit are listed in full on stderr, and counted in the picture", dict(keys).get("controller.kp") == "800 | 400" and dict(keys).get("world.obstacle") == "9 obstacles | no obstacles" and f"the runs differ in {len(keys)} keys" in " ".join(texts(tmp / "o.svg")), f"{done.stderr} {texts(tmp / 'o.svg')[:6]}")
    three = coluber("plot", course, other, short, "--what", "energy", "-o", tmp / "three.svg")
    check("three runs draw", three.returncode == 0 and sum(1 for w in texts(tmp / "three.svg") if re.match(r"(course|other|short): ", w)) == 3, three.stderr)
    (tmp / "b").mkdir()
    again = run(tmp / "b/other", COURSE, "--duration", 1, "--set", "gait.amplitude_deg=38")
    coluber("plot", other, again, "--what", "path", "-o", tmp / "n.svg", "--width", "300mm")
    check("runs of one name are called by their paths", any(w.startswith(f"{tmp}/b/other: ") for w in texts(tmp / "n.svg")), texts(tmp / "n.svg")[:8])
    (tmp / "m.csv").write_text("t,x,y\n0,0,0\n1,1,1\n")
    done = coluber("plot", course, other, "--measured", tmp / "m.csv", "-o", tmp / "none.svg")
    check("measurements belong to one run, exit 2", done.returncode == 2 and "--measured" in done.stderr and not (tmp / "none.svg").exists(), done.stderr)
    check("seven runs are too many, exit 2", coluber("plot", *[course] * 7).returncode == 2)
    done = coluber("plot", course, tmp / "nowhere", "-o", tmp / "none.svg")
    check("a second run that is not there is bad input, exit 3", done.returncode == 3 and "nowhere" in done.stderr, done.stderr)


def test_titles_stay_on_the_picture(tmp, course):
    wide = "W" * 8 + " " + "M" * 9 + " "
    titles = {"wide words": wide * 4, "one wide word": "W" * 90, "narrow letters": "il.; " * 60, "other letters": "μ " + "Щ" * 40 + " " + "Ж" * 60}
    for what, title in titles.items():
        folder = run(tmp / what, FLOOR, "--duration", 0.1, "--set", f'title="{title.strip()}"')
        for width in ("170mm", "85mm"):
            coluber("plot", folder, "--what", "energy", "--width", width, "-o", tmp / "t.png", "--force")
            rows = rows_of(tmp / "t.png")[:140]  # two lines of a title end 1.1 cm below the edge
            edge = {row[-3 * 15 :] for row in rows}
            check(f"a title of {what} ends before the edge, {width} wide", edge == {b"\xff" * 45}, width)
            ink = max(max((i for i in range(len(row)) if row[i] < 200), default=0) / len(row) for row in rows)
            check("… and makes use of the width", ink > 0.85, ink)


def test_velocities_are_those_recorded(tmp, course):
    folder = run(tmp / "run", FLOOR, "--duration", 0.5)
    note = json.loads((folder / "run.json").read_text())
    note.pop("files")
    (folder / "run.json").write_text(json.dumps(note))
    with h5py.File(folder / "trajectory.h5", "r+") as file:
        velocity = file["link_velocity"][()]
        velocity[:, 5, 0] += 20.0
        attributes = dict(file["link_velocity"].attrs)
        del file["link_velocity"]
        file["link_velocity"] = velocity
        file["link_velocity"].attrs.update(attributes)
    for name, other in (("one run", []), ("two runs", [course])):
        done = coluber("plot", folder, *other, "--what", "velocities", "-o", tmp / "b.svg")
        check(f"velocities of {name} are those recorded", done.returncode == 0 and "20" in texts(tmp / "b.svg"), f"{done.stderr} {texts(tmp / 'b.svg')}")
    with h5py.File(folder / "trajectory.h5", "r+") as file:
        del file["link_velocity"]
        names = [name for name in file.attrs["observables"] if name != "link_velocity"]
        file.attrs["observables"] = numpy.array(names, dtype=h5py.string_dtype())
    done = coluber("plot", folder, "--what", "velocities", "-o", tmp / "b.svg")
    check("… of a run that has none, those of the positions", done.returncode == 0 and "20" not in texts(tmp / "b.svg"), f"{done.stderr} {texts(tmp / 'b.svg')}")


def test_panels_of_one_quantity_have_one_scale(tmp, course):
    drop = run(tmp / "drop", SOURCE / "scenarios/aiko_drop.toml", "--duration", 2.0)
    again = run(tmp / "again", SOURCE / "scenarios/aiko_drop.toml", "--duration", 2.0, "--set", "controller.kp=700")
    done = coluber("plot", drop, again, "--what", "torques", "--link", 1, "--link", 5, "-o", tmp / "t.svg")
    words = texts(tmp / "t.svg")
    ticks = {w: words.count(w) for w in words if re.fullmatch(r"[−-]?[\d.]+", w) and ("−" in w or w in ("5", "10"))}
    check("torques of two runs have one scale in all panels", ticks and set(ticks.values()) == {4}, f"{ticks} {done.stderr}")
    check("… so that peaks are cut in all of them or in none", not any("cut;" in w for w in words), words)
    check("… and a label that is longer than its axis is divided", words.count("torque (N m)") == 4 and {"yaw, joint 1", "pitch, joint 5"} <= set(words), words)


def test_footfall_of_a_robot_that_lies_flat(tmp, course):
    floor = run(tmp / "floor", FLOOR, "--duration", 0.2)
    for runs in ([floor], [floor, floor]):
        done = coluber("plot", *runs, "--what", "footfall", "-o", tmp / "f.svg")
        said = "footfall has nothing to draw: in a planar model all links lie on the ground all the time"
        check("the footfall of a planar robot that touches nothing is refused, exit 2", done.returncode == 2 and said in done.stderr and "\n  hint: " in done.stderr and not (tmp / "f.svg").exists(), done.stderr)
    done = coluber("plot", floor, course, "--what", "footfall", "-o", tmp / "f.svg")
    check("… beside one that touches pegs it is drawn", done.returncode == 0, done.stderr)


def test_two_runs_of_which_one_knows_obstacles(tmp, course):
    """A minimal model has no obstacles: what both have is drawn, which is the forces of the ground."""
    (tmp / "minimal.toml").write_text('schema = 1\nduration = 0.5\n[robot]\nmodel = "minimal"\nname = "aiko"\n[world]\nfriction = [0.2, 0.5]\n')
    minimal = run(tmp / "minimal", tmp / "minimal.toml")
    course = shutil.copytree(course, tmp / "course")
    done = coluber("plot", course, minimal)
    check("a run among obstacles and one of a model without them are drawn together", done.returncode == 0 and "forces-and-minimal.svg" in done.stdout, f"{done.returncode} {done.stdout} {done.stderr}")
    words = texts(course / "plots/forces-and-minimal.svg")
    check("… with the forces of the ground", any("ground force" in word for word in words) and not any("contact force" in word for word in words), words)


def test_labels_of_works(tmp, course):
    """Where a label is too long for its axis, its words go into the panel whole."""
    space = run(tmp / "space", SOURCE / "scenarios/aiko_spatial_course.toml", "--duration", 0.5)
    coluber("plot", course, space, "--what", "energy", "-o", tmp / "energy.svg")
    words = texts(tmp / "energy.svg")
    check("what contacts are stays in one piece", any("floor, obstacles" in word for word in words) and "work: floor (J)" not in words, words)


def test_two_runs_in_space(tmp, course):
    a = run(tmp / "a", SOURCE / "scenarios/aiko_sidewinding.toml", "--duration", 1.0)
    b = run(tmp / "b", SOURCE / "scenarios/aiko_sidewinding.toml", "--duration", 1.0, "--set", "world.friction=[0.3,0.3]")
    done = coluber("plot", a, b)
    check("two runs in space draw every plot", done.returncode == 0 and done.stderr == "" and len(done.stdout.split()) == len(SPATIAL), done.stderr)
    check("a spatial run beside a planar one draws what both have", coluber("plot", a, course, "--what", "path", "--what", "energy", "-o", tmp / "x.svg").returncode == 0)


def test_tracking_of_a_joint(tmp, course):
    words = texts(course / "plots/tracking.svg")
    check("tracking is of the middle joint, with its reference, error and torque", [w for w in words if w.startswith("joint ")] == ["joint 5", "joint angle (deg)", "joint torque (N m)"] and {"reference", "error (deg)"} <= set(words), words)
    coluber("plot", course, "--what", "tracking", "--link", 1, "--link", 10, "-o", tmp / "t.svg")
    check("--link chooses other joints", [w for w in texts(tmp / "t.svg") if re.fullmatch(r"joint \d+", w)] == ["joint 1", "joint 10"], texts(tmp / "t.svg"))
    done = coluber("plot", course, "--what", "tracking", "--link", 11, "-o", tmp / "none.svg")
    check("a joint that is not there is bad input, exit 3", done.returncode == 3 and "there is no joint 11" in done.stderr and not (tmp / "none.svg").exists(), done.stderr)
    with h5py.File(course / "trajectory.h5") as file:
        times, angle, reference = file["time"][()], file["joint_angle"][()], file["joint_reference"][()]
    # the error is drawn in degrees: its axis ends where the largest error is
    largest = math.degrees(abs(angle[:, 4] - reference[:, 4]).max())
    ticks = [abs(float(w.replace("−", "-"))) for w in words if re.fullmatch(r"[-−]?0\.\d+", w)]
    check("the scale of the error fits the error of the record", 0.5 * largest < max(ticks, default=0) <= 1.2 * largest, (largest, ticks))
    (tmp / "mine.csv").write_text("time,joint_angle.5,joint_torque.5\n" + "".join(f"{times[k]},{angle[k, 4]},1\n" for k in range(0, len(times), 20)))
    done = coluber("plot", course, "--what", "tracking", "--measured", tmp / "mine.csv", "-o", tmp / "m.svg")
    check("measured angles and torques are drawn over ours", done.returncode == 0 and done.stderr == "" and (tmp / "m.svg").read_text().count("href='#gpPt5'") >= 2 * len(range(0, len(times), 20)), done.stderr)


def test_measured_values_are_drawn_over(tmp, course):
    with h5py.File(course / "trajectory.h5") as file:
        times, place, angle = file["time"][()], file["link_position"][()], file["joint_angle"][()]
    rows = range(0, len(times), 20)
    (tmp / "mine.csv").write_text("time,link_position.6.x,link_position.6.y,joint_angle.3\n" + "".join(f"{times[k]},{place[k, 5, 0]},{place[k, 5, 1]},{angle[k, 2]}\n" for k in rows))
    (tmp / "short.csv").write_text("# from the camera\nt,x,y\n" + "".join(f"{times[k]},{place[k, 5, 0]},{place[k, 5, 1] if k else ''}\n" for k in rows))
    circle = "href='#gpPt5'"

    def circles(name, *words):
        done = coluber("plot", course, "--what", name, "-o", tmp / "m.svg", *words)
        check(f"{name} {' '.join(map(str, words[:1]))} is drawn", done.returncode == 0, done.stderr)
        return (tmp / "m.svg").read_text().count(circle)

    bare = circles("path")
    over = circles("path", "--measured", tmp / "mine.csv")
    check("every measured point of link 6 is in the map and both strips", over - bare >= 3 * len(rows), (bare, over, len(rows)))
    check("the legend names the measured file", "mine.csv" in texts(tmp / "m.svg"))
    check("t,x,y stands for the middle link, an empty cell for nothing", circles("path", "--measured", tmp / "short.csv") > bare + 2 * len(rows))
    check("measured joint angles are drawn over ours", circles("angles", "--measured", tmp / "mine.csv") >= bare + len(rows))
    check("the course draws t,x,y over the middle link's path", circles("course", "--measured", tmp / "short.csv") > circles("course") + len(rows) - 5)
    done = coluber("plot", course, "--what", "torques", "--measured", tmp / "short.csv", "-o", tmp / "m.svg")
    check("a plot that shows nothing of the measured file is named in a warning", done.returncode == 0 and re.search(r"warning: short\.csv is not drawn in torques", done.stderr), done.stderr)
    (tmp / "late.csv").write_text("t,x,y\n100,0,0\n")
    done = coluber("plot", course, "--what", "path", "--measured", tmp / "late.csv", "-o", tmp / "m.svg")
    check("measured times outside the run give a warning", done.returncode == 0 and "warning: late.csv" in done.stderr and "outside" in done.stderr, done.stderr)


def test_bad_measured_files(tmp, course):
    cases = [
        ("nothing in it", "", r"m\.csv: .*no header"),
        ("a header alone", "time,link_position.6.x\n", r"m\.csv: .*no rows"),
        ("no time", "link_position.6.x\n1\n", r"m\.csv:1:1: there is no column time"),
        ("an unknown column", "time,link_positon.6.x\n0,1\n", r"m\.csv:1:6: .*link_positon\.6\.x.*\n  hint: did you mean link_position\.6\.x\?"),
        ("a link that the robot does not have", "time,link_position.12.x\n0,1\n", r"m\.csv:1:6: .*link_position\.12\.x"),
        ("a column twice", "t,x,link_position.6.x\n0,1,1\n", r"m\.csv:1:5: .*twice"),
        ("a word for a number", "t,x,y\n0,1,2\n1,fast,2\n", r'm\.csv:3:3: .*expected a number, got "fast"'),
        ("a number with a tail", "t,x,y\n0,1,2m\n", r'm\.csv:2:5: .*got "2m"'),
        ("a time that is not a number", "t,x,y\nnan,1,1\n", r'm\.csv:2:1: time: .*got "nan"'),
        ("an infinite place", "t,x,y\n0,1,inf\n", r'm\.csv:2:5: .*got "inf"'),
        ("a row too short", "t,x,y\n0,1\n", r"m\.csv:2:1: the row has 2 cells, the header 3"),
        ("time running backwards", "t,x,y\n1,1,1\n0.5,1,1\n", r"m\.csv:3:1: time must increase"),
        ("semicolons", "t;x;y\n0;1;1\n", r"m\.csv:1:1: .*commas"),
        ("binary data", b"t,x\n\x00\x01\x02", r"m\.csv: .*binary"),
    ]
    for what, text, message in cases:
        file = tmp / "m.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        done = coluber("plot", course, "--what", "path", "--measured", file, "-o", tmp / "none.svg")
        check(f"a measured file with {what} is refused, exit 3", done.returncode == 3 and re.search(message, done.stderr) and done.stdout == "" and not (tmp / "none.svg").exists(), f"{done.returncode} {done.stderr}")
    pictures = []
    for gap in ("", "nan", "NaN", "NA"):
        (tmp / "gaps.csv").write_text(f"t,x,y\n0,0.1,0\n1,{gap},0.1\n2,0.3,{gap}\n3,0.4,0.1\n")
        done = coluber("plot", course, "--what", "path", "--measured", tmp / "gaps.csv", "-o", tmp / "gaps.svg")
        check(f"a measured cell {gap!r} is a gap", done.returncode == 0 and done.stderr == "", done.stderr)
        pictures.append((tmp / "gaps.svg").read_bytes())
    check("gaps are drawn alike however they are written", len(set(pictures)) == 1)
    file = tmp / "m.csv"
    file.write_text("t,x,y\n0,a,1\n1,1,b\n2,c,1\n")
    done = coluber("plot", course, "--measured", file, "-o", tmp / "none.svg")
    check("every fault of a measured file is told at once", done.stderr.count("error: ") == 3, done.stderr)
    os.mkfifo(tmp / "pipe.csv")
    for path in ("/dev/zero", tmp / "pipe.csv"):
        done = coluber("plot", course, "--measured", path)
        check(f"{path}, which may have no end, is refused, exit 3", done.returncode == 3 and done.stderr == f"error: {path}: not a regular file\n  hint: measurements are read from .csv files\n", done.stderr)
    for path, what in ((tmp / "nowhere.csv", "that is not there"), (tmp, "that is a folder")):
        done = coluber("plot", course, "--measured", path)
        check(f"a measured file {what} is refused, exit 3", done.returncode == 3, done.stderr)


def test_wrong_usage(tmp, course):
    done = coluber("plot", course, "--what", "cousre")
    check("an unknown plot is wrong usage, exit 2, and names them all", done.returncode == 2 and "cousre" in done.stderr and all(n in done.stderr for n in SPATIAL), done.stderr)
    done = coluber("plot", course, "--what", "path", "-o", tmp / "p.gif")
    check("a format that is not there is wrong usage, exit 2", done.returncode == 2 and ".svg" in done.stderr, done.stderr)
    check("plot without a run is wrong usage, exit 2", coluber("plot").returncode == 2)
    done = coluber("plot", tmp / "nowhere")
    check("a run that is not there is bad input, exit 3, with a hint", done.returncode == 3 and "nowhere" in done.stderr and "hint" in done.stderr, done.stderr)
    (tmp / "empty").mkdir()
    check("a folder without a trajectory is bad input, exit 3", coluber("plot", tmp / "empty").returncode == 3)
    (tmp / "broken").mkdir()
    (tmp / "broken/run.json").write_bytes((course / "run.json").read_bytes())
    (tmp / "broken/trajectory.h5").write_bytes((course / "trajectory.h5").read_bytes()[:3000])
    done = coluber("plot", tmp / "broken")
    check("a damaged trajectory is said to be so, exit 1", done.returncode == 1 and "trajectory.h5" in done.stderr, done.stderr)
    (tmp / "torn").mkdir()
    (tmp / "torn/trajectory.h5").write_bytes((course / "trajectory.h5").read_bytes())
    (tmp / "torn/run.json").write_text("{")
    done = coluber("plot", tmp / "torn")
    check("a damaged run.json is said to be so, exit 1", done.returncode == 1 and "run.json" in done.stderr, done.stderr)
    whole = json.loads((course / "run.json").read_text())
    deep = "[" * 500000 + "]" * 500000
    for what, text in (
        ("a title that is a number", json.dumps({**whole, "title": 1})),
        ("a path that is a number", json.dumps({**whole, "title": "", "scenario": {**whole["scenario"], "path": 1}})),
        ("a million brackets", json.dumps({**whole, "scenario": {"resolved": {"a": "@"}}}).replace('"@"', deep)),
    ):
        (tmp / "torn/run.json").write_text(text)
        done = coluber("plot", tmp / "torn", "--what", "course")
        good = done.returncode == 1 and re.match(r"error: \S*run\.json: is damaged", done.stderr)
        check(f"a run.json with {what} is said to be damaged, exit 1", good, f"{done.returncode}: {done.stderr[:300]}")
    done = coluber("plot", course, "--what", "path", "-o", tmp / "no/such/folder.svg")
    check("a folder that cannot be written to ends with exit 1", done.returncode == 1 and "folder.svg" in done.stderr, done.stderr)


def test_a_run_of_one_frame(tmp, course):
    one = run(tmp / "one", FLOOR, "--duration", 0.002, "--set", "record.rate_hz=1")
    done = coluber("plot", one)
    check("of a run of one frame the course is drawn", done.returncode == 0 and done.stdout.split() == [str(one / "plots/course.svg")] and "t = 0 s" in texts(one / "plots/course.svg"), f"{done.stdout} {done.stderr}")
    for runs in ([one], [course, one]):
        done = coluber("plot", *runs, "--what", "energy", "-o", tmp / "no.svg")
        said = "error: the run has one frame, at 0 s, and this plot needs two\n  hint: --what course draws one; "
        check("other plots say what they need and which does without, exit 3", done.returncode == 3 and done.stderr.startswith(said) and not (tmp / "no.svg").exists(), f"{done.returncode} {done.stderr}")
    done = coluber("plot", one, one, "--what", "course", "-o", tmp / "two.svg")
    check("so it is with two such runs", done.returncode == 0 and (tmp / "two.svg").exists(), done.stderr)


def test_without_gnuplot(tmp, course):
    (tmp / "bin").mkdir()
    done = coluber("plot", course, "--what", "path", "-o", tmp / "g.svg", env={"PATH": str(tmp / "bin")})
    check("without gnuplot plot says what to install, exit 1, and writes nothing", done.returncode == 1 and "gnuplot-nox" in done.stderr and not (tmp / "g.svg").exists(), done.stderr)


def test_names_are_never_commands(tmp, course):
    title = "a 'b' `touch INJECTED` \"c\" $(touch INJECTED) <b>&amp; {/Bold x} @y %s \\n END"
    folder = run(tmp / "odd", FLOOR, "--duration", 0.2, "--set", "title=" + json.dumps(title))
    done = coluber("plot", folder, cwd=tmp)
    check("an odd title draws", done.returncode == 0, done.stderr)
    check("an odd title is drawn letter by letter", title in texts(folder / "plots/path.svg"), texts(folder / "plots/path.svg")[:3])
    for name in ("it's `touch INJECTED`.svg", "|touch INJECTED;.svg", "$(touch INJECTED) \" x.svg", "new\nline.svg"):
        done = coluber("plot", folder, "--what", "path", "-o", name, cwd=tmp)
        check(f"a file may be called {name!r}", done.returncode == 0 and (tmp / name).exists(), done.stderr)
    check("no title and no file name was run", not list(tmp.rglob("INJECTED")))


def test_letters_that_no_font_has(tmp, course):
    title = "🐍 蛇 𝜇 = 0.2"  # two beyond the basic plane
    plain = run(tmp / "plain", FLOOR, "--duration", 0.2, "--set", 'title="plain"')
    rare = run(tmp / "rare", FLOOR, "--duration", 0.2, "--set", f'title="{title}"')
    done = coluber("plot", rare)
    check("a title beyond the basic plane draws", done.returncode == 0, done.stderr)
    check("an SVG has every letter of it", all(title in texts(file) for file in (rare / "plots").glob("*.svg")), texts(rare / "plots/path.svg")[:3])
    for folder in (plain, rare):
        done = coluber("plot", folder, "--what", "residual", "-o", tmp / f"{folder.name}.png")
        check("… a PNG as well", done.returncode == 0, done.stderr)
    heading = 90  # rows, of which the title has some 50
    one, two = rows_of(tmp / "plain.png"), rows_of(tmp / "rare.png")
    check("a letter that no font has is not drawn over the picture", len(one) == len(two) and one[heading:] == two[heading:],
          [k for k, (a, b) in enumerate(zip(one, two)) if a != b][-1:])
    check("… and the titles differ", one[:heading] != two[:heading])
    empty = {"PATH": str(tmp / "bin")}
    (tmp / "bin").mkdir()
    (tmp / "bin" / "gnuplot").symlink_to(shutil.which("gnuplot"))
    done = coluber("plot", rare, "--what", "residual", "-o", tmp / "without.png", env=os.environ | empty)
    check("without fontconfig's program it draws all the same", done.returncode == 0 and rows_of(tmp / "without.png")[heading:] == one[heading:], done.stderr)
    done = coluber("plot", rare, "--what", "residual", "-o", tmp / "rare.pdf")
    check("a PDF of it is written", done.returncode == 0, done.stderr)


def test_other_runs(tmp, course):
    done = coluber("plot", run(tmp / "slope", SLOPE, "--duration", 0.5))
    check("a run in which nothing moves or touches draws", done.returncode == 0, done.stderr)
    check("… but for its footfall: all links lie on the ground", not (tmp / "slope/plots/footfall.svg").exists())
    for name in NAMES:
        if name == "footfall":
            continue
        words = texts(tmp / "slope/plots" / f"{name}.svg")
        check(f"{name} of a robot at rest has no axis of rounding noise", name == "residual" or not [w for w in words if re.search(r"e[-−](0[89]|[1-9]\d)", w)], words)
    (tmp / "long.toml").write_text('duration = 0.3\n[robot]\nname = "aiko"\nlinks = 60\n[start]\nshape = "straight"\n[gait]\nphase_deg = -50.0\n[world]\nfriction = [0.2, 0.2]\n')
    done = coluber("plot", run(tmp / "long", tmp / "long.toml"))
    check("a robot of 60 links draws", done.returncode == 0, done.stderr)
    strips = [w for w in texts(tmp / "long/plots/torques.svg") if re.fullmatch(r"joint \d+", w)]
    check("its torques fit a page, first and last joint included", len(strips) == 24 and {"joint 1", "joint 59"} <= set(strips), strips)
    legend = [w for w in texts(tmp / "long/plots/angles.svg") if re.fullmatch(r"joint \d+", w)]
    check("so do its angles, each in the legend", legend == strips, legend)
    check("a run without a title is named after its scenario", "long" in texts(tmp / "long/plots/path.svg"))
    (tmp / "one.toml").write_text('duration = 0.3\n[robot]\nname = "aiko"\nlinks = 1\n[start]\nshape = "straight"\n')
    done = coluber("plot", run(tmp / "one", tmp / "one.toml"))
    check("a robot of one link draws what it has", done.returncode == 0 and "course.svg" in done.stdout and "torques.svg" not in done.stdout, done.stderr)
    done = coluber("plot", tmp / "one", "--what", "torques")
    check("asked for the torques of a robot without joints, it says so", done.returncode == 1 and "joint_torque" in done.stderr, done.stderr)


def test_many_obstacles(tmp, course):
    """A lattice of pegs about the robot of the course, close to its way but never touched."""
    with h5py.File(course / "trajectory.h5") as file:
        way = file["link_position"][::5].reshape(-1, 2)
    pegs = json.loads((course / "run.json").read_text())["scenario"]["resolved"]["world"]["obstacle"]
    places = [(0.15 * i, 0.15 * j) for i in range(-40, 41) for j in range(-40, 41)]
    rows = [f"{x},{y},0.02" for x, y in places if ((way - (x, y)) ** 2).sum(axis=1).min() > 0.14**2]
    (tmp / "pegs.csv").write_text("x,y,radius\n" + "\n".join(rows) + "\n")
    total = len(pegs) + len(rows)
    folder = run(tmp / "many", COURSE, "--duration", 5.5, "--set", f"world.obstacle_table={tmp}/pegs.csv")
    done = coluber("plot", folder, "--what", "course", "--what", "path", "--time", 5.2)
    check(f"a course of {total} obstacles draws", done.returncode == 0, done.stderr)
    drawn = polygons(folder / "plots/course.svg", (107, 107, 107))
    check("of very many obstacles those about the robot's way are drawn, not all", 60 < len(drawn) < total / 5, f"{len(drawn)} of {total}")
    plain, crowded = tmp / "plain.svg", folder / "plots/course.svg"
    coluber("plot", course, "--what", "course", "--time", 5.2, "-o", plain)
    numbers = [int(word) for word in texts(crowded) if re.fullmatch(r"\d+", word)]
    check("few of them are numbered: those next to the robot", 3 <= len([n for n in numbers if n > 20]) < 60, sorted(numbers))
    links = polygons(crowded, (143, 199, 230)) + polygons(crowded, (220, 236, 246))
    before = polygons(plain, (143, 199, 230)) + polygons(plain, (220, 236, 246))
    check("the robot stays as large as a third of what it is among few", len(links) == len(before) == 11
          and extent(links[0])[0] > extent(before[0])[0] / 3, f"{extent(links[0])} {extent(before[0])}")
    check("the paths are not numbered all over", not [w for w in texts(folder / "plots/path.svg") if re.fullmatch(r"\d{3,}", w)], texts(folder / "plots/path.svg")[:40])


def test_runs_in_space(tmp, course):
    winding = run(tmp / "winding", SOURCE / "scenarios/aiko_sidewinding.toml", "--duration", 3.0)
    done = coluber("plot", winding)
    check("a run in space draws every plot", done.returncode == 0 and done.stderr == "" and len(done.stdout.split()) == len(SPATIAL), done.stderr)
    words = texts(winding / "plots/angles.svg")
    check("angles of cardan joints have a panel an axis, with its error", [w for w in words if w.endswith("(deg)")] == ["yaw angle (deg)", "yaw error (deg)", "pitch angle (deg)", "pitch error (deg)"], words)
    check("… each joint once in the legend", [w for w in words if w.startswith("joint ")] == [f"joint {k}" for k in range(1, 11)], words)
    words = texts(winding / "plots/tracking.svg")
    check("tracking of a cardan joint is of both its axes", [w for w in words if w.startswith("joint 5")] == ["joint 5 yaw", "joint 5 pitch"], words)
    words = texts(winding / "plots/torques.svg")
    check("torques are told apart by axis", [w for w in words if w in ("yaw", "pitch")] == ["yaw", "pitch"], words)
    check("a path has a strip for z where a link is lifted", "z (m)" in texts(winding / "plots/path.svg"))
    floor = run(tmp / "floor", SOURCE / "scenarios/aiko_spatial_floor.toml", "--duration", 0.5)
    coluber("plot", floor, "--what", "path", "--what", "velocities", "-o", tmp / "f.svg")
    check("… and none where all stay on the floor", "z (m)" not in texts(tmp / "f-path.svg") and "velocity z (m/s)" not in texts(tmp / "f-velocities.svg") and "velocity y (m/s)" in texts(tmp / "f-velocities.svg"))
    words = texts(winding / "plots/side.svg")
    check("from the side there is a panel for each of four times", [w for w in words if w.startswith("t = ")] == ["t = 0 s", "t = 1 s", "t = 2 s", "t = 3 s"] and words.count("z (m)") == 4 and "x (m)" in words, words)
    coluber("plot", winding, "--what", "side", "--plane", "yz", "--time", 1, "-o", tmp / "s.svg")
    words = texts(tmp / "s.svg")
    check("--plane yz looks along x, --time draws one panel", [w for w in words if w.startswith("t = ")] == ["t = 1 s"] and "y (m)" in words and "x (m)" not in words, words)
    check("postures say their times", [w for w in texts(winding / "plots/postures.svg") if w.startswith("t = ")] == ["t = 0 s", "t = 1 s", "t = 2 s", "t = 3 s"], texts(winding / "plots/postures.svg"))
    with h5py.File(winding / "trajectory.h5") as file:
        times, angle = file["time"][()], file["joint_angle"][()]
    (tmp / "mine.csv").write_text("time,joint_angle.3.pitch\n" + "".join(f"{times[k]},{angle[k, 2, 1]}\n" for k in range(0, len(times), 20)))
    done = coluber("plot", winding, "--what", "angles", "--measured", tmp / "mine.csv", "-o", tmp / "m.svg")
    check("a measured pitch is drawn over ours", done.returncode == 0 and done.stderr == "" and (tmp / "m.svg").read_text().count("href='#gpPt5'") >= len(range(0, len(times), 20)), done.stderr)
    drop = run(tmp / "drop", SOURCE / "scenarios/aiko_drop.toml", "--duration", 0.1)
    coluber("plot", drop, "--what", "course", "--time", 0.0, "--zoom", "-o", tmp / "d.svg")
    links = polygons(tmp / "d.svg", (220, 236, 246)) + polygons(tmp / "d.svg", (143, 199, 230))
    wide, high = extent(links[0])
    # pitched by 30 degrees a link's shadow is shorter than the link: 2 (L_SC + L_GS cos 30°) by 2 L_SC
    check("from above a link that points down is shorter", abs(wide / high - (0.0525 + 0.0393 * math.cos(math.pi / 6)) / 0.0525) < 0.01, (wide, high))


def test_what_is_drawn_comes_from_the_run_folder(tmp, course):
    """Neither the scenario's text nor the replay is asked; older runs have the replay alone."""
    for name in ("bare", "old", "grown"):
        (tmp / name).mkdir()
        for file in ("run.json", "trajectory.h5", "replay.json", "replay.bin"):
            (tmp / name / file).write_bytes((course / file).read_bytes())
    for file in ("replay.json", "replay.bin"):
        (tmp / "bare" / file).unlink()
    run_json = json.loads((tmp / "bare/run.json").read_text())
    run_json["scenario"] = {"path": "gone.toml", "text": "", "resolved": None}
    (tmp / "bare/run.json").write_text(json.dumps(run_json))
    with h5py.File(tmp / "old/trajectory.h5", "a") as file:
        del file["drawing"]
    run_json = json.loads((tmp / "old/run.json").read_text())
    del run_json["files"]
    (tmp / "old/run.json").write_text(json.dumps(run_json))
    with h5py.File(tmp / "grown/trajectory.h5", "a") as file:
        file["mine"] = [1.0, 2.0, 3.0]
        file.create_group("notes")["words"] = "my own"
    for name in ("course", "path", "postures", "side"):
        coluber("plot", course, "--what", name, "-o", tmp / "ours.svg")
        for folder, what in (("bare", "without scenario and replay"), ("old", "of an older run, from its replay"), ("grown", "of a file with data of the user's own")):
            done = coluber("plot", tmp / folder, "--what", name, "-o", tmp / "theirs.svg")
            check(f"{name} {what} is the same picture", done.returncode == 0 and done.stderr == "" and (tmp / "theirs.svg").read_bytes() == (tmp / "ours.svg").read_bytes(), done.stderr)
    for file in ("replay.json", "replay.bin"):
        (tmp / "old" / file).unlink()
    done = coluber("plot", tmp / "old")
    drawn = [Path(line).stem for line in done.stdout.split()]
    check("with neither, what needs no bodies is drawn", done.returncode == 0 and drawn == [n for n in NAMES if n not in ("course", "postures")], f"{drawn} {done.stderr}")
    done = coluber("plot", tmp / "old", "--what", "course", "-o", tmp / "none.svg")
    check("… and asked for the course it says why not, exit 1", done.returncode == 1 and "no bodies that move" in done.stderr and not (tmp / "none.svg").exists(), done.stderr)


def rod_replay(folder, frames=40):
    """A run folder that no model of ours has written: a rod with a radius along it, a cart on wheels, a path to follow, and a ball; no link anywhere."""
    folder.mkdir()
    points, fields, bodies = 21, [], []

    def add(body, name, kind, count):
        fields.append({"name": f"{body}.{name}", "label": name, "kind": kind, "body": body, "unit": "m", "offset": sum(f["count"] for f in fields), "count": count})

    bodies.append({"name": "rod", "shape": "tube", "size": [0.03], "colour": "#0072b2"})
    bodies.append({"name": "cart", "shape": "box", "size": [0.3, 0.2, 0.1], "colour": "#0072b2"})
    for side in ("left", "right"):
        bodies.append({"name": f"wheel_{side}", "shape": "wheel", "size": [0.05, 0.02], "colour": "#333333", "parent": "cart"})
    bodies.append({"name": "path", "shape": "tube", "size": [], "colour": "#999999", "points": [[0.05 * k, 0.3 * math.sin(0.2 * k), 0] for k in range(40)]})
    bodies.append({"name": "ball", "shape": "sphere", "size": [0.1], "colour": "#777777", "pose": [1.0, 0.6, 0.1, 1, 0, 0, 0]})
    bodies.append({"name": "ramp", "shape": "box", "size": [0.4, 0.2, 0.1], "colour": "#777777", "pose": [0.2, -0.6, 0.05, math.cos(0.2), 0, 0, math.sin(0.2)]})
    bodies.append({"name": "ground", "shape": "plane", "size": [], "colour": "#eeeeee", "pose": [0, 0, 0, 1, 0, 0, 0]})
    bodies.append({"name": "oddity", "shape": "torus", "size": [1.0], "colour": "#eeeeee", "pose": [0, 0, 0, 1, 0, 0, 0]})
    add("rod", "curve", "polyline", 3 * points)
    add("rod", "radius", "profile", points)
    for body in ("cart", "wheel_left", "wheel_right"):
        add(body, "pose", "pose", 7)
    values = []
    for k in range(frames):
        s = 0.02 * k
        for p in range(points):
            x = s + 0.05 * p
            values += [x, 0.1 * math.sin(6 * x), 0.03 + 0.1 * max(0.0, math.sin(3 * x)) ** 2]
        values += [0.01 + 0.02 * math.sin(math.pi * p / (points - 1)) for p in range(points)]
        turn = [math.cos(0.25), 0, 0, math.sin(0.25)]
        for across, height in ((0.0, 0.1), (0.12, 0.05), (-0.12, 0.05)):
            values += [1.6 - s - across * math.sin(0.5), -0.2 + across * math.cos(0.5), height, *turn]
    width = sum(f["count"] for f in fields)
    (folder / "replay.json").write_text(json.dumps({"format": "coluber-replay", "version": 1, "title": "a rod", "frames": frames, "rate_hz": 20.0, "floats_per_frame": width, "bodies": bodies, "fields": fields}))
    (folder / "replay.bin").write_bytes(struct.pack(f"<{len(values)}f", *values))
    with h5py.File(folder / "trajectory.h5", "w") as file:
        file["time"] = [0.05 * k for k in range(frames)]
        file["energy"] = [1.0 + k for k in range(frames)]
        file["energy"].attrs["unit"] = "J"
        file.attrs.create("observables", ["energy"], dtype=h5py.string_dtype())
    (folder / "run.json").write_text(json.dumps({"format": "coluber-run", "status": "completed", "title": "a rod and a cart", "scenario": {"path": "rod.toml"}}))
    return folder


def test_models_without_links(tmp, course):
    folder = rod_replay(tmp / "rod")
    done = coluber("plot", folder)
    drawn = [Path(line).stem for line in done.stdout.split()]
    check("a model of curves, boxes and wheels is drawn from its bodies", done.returncode == 0 and done.stderr == "" and drawn == ["course", "path", "postures", "side", "energy"], f"{drawn} {done.stderr}")
    words = texts(folder / "plots/path.svg")
    check("the path is that of the first body, at the middle of a curve", [w for w in words if w in ("rod", "cart")] == ["rod"] and "z (m)" in words, words)
    coluber("plot", folder, "--what", "path", "--link", 2, "-o", tmp / "p.svg")
    check("--link chooses another body", "cart" in texts(tmp / "p.svg") and "rod" not in texts(tmp / "p.svg"), texts(tmp / "p.svg"))
    done = coluber("plot", folder, "--what", "path", "--link", 9, "-o", tmp / "none.svg")
    check("a body that is not there is bad input, exit 3", done.returncode == 3 and "there is no body 9" in done.stderr, done.stderr)
    coluber("plot", folder, "--what", "course", "--time", 0, "-o", tmp / "c.svg")
    grey = polygons(tmp / "c.svg", (107, 107, 107))
    check("a ball and a box that stand are obstacles, a shape that is not known is left out", len(grey) == 2, len(grey))
    round_one, long_one = sorted(grey, key=len, reverse=True)
    scale = extent(round_one)[0] / 0.2
    check("… to scale", abs(extent(round_one)[1] / scale - 0.2) < 0.005 and abs(area(long_one) / scale**2 - 0.08) < 0.001, [extent(p) for p in grey])
    cart = polygons(tmp / "c.svg", (220, 236, 246))
    check("the cart is a box of its size, turned", len(cart) == 1 and abs(area(cart[0]) / scale**2 - 0.06) < 0.001 and len(set(cart[0])) == 4, cart)
    wheels = polygons(tmp / "c.svg", (84, 96, 106))
    check("wheels are seen from above as 0.1 by 0.02 m", len(wheels) == 2 and all(abs(area(w) / scale**2 - 0.002) < 1e-4 for w in wheels), wheels)
    rod = polygons(tmp / "c.svg", (143, 199, 230))
    # mean radius 0.01 + 0.02·2/π, over 1 m of x along a sine: about 1.09 m; the ends are round
    check("the rod is as thick as its radius says", len(rod) == 1 and 0.04 < area(rod[0]) / scale**2 < 0.06, [area(r) / scale**2 for r in rod])
    coluber("plot", folder, "--what", "side", "--time", 0, "-o", tmp / "s.svg")
    seen = polygons(tmp / "s.svg", (84, 96, 106))
    check("from the side wheels that are turned are ovals of their height", len(seen) == 2 and all(0.6 < extent(w)[0] / extent(w)[1] < 1.1 for w in seen), [extent(w) for w in seen])


PATH = (240, 203, 107)  # colour of paths to follow
TURN = """duration = {duration}
[robot]
model = "wheeled"
name = "piko"
[path]
shape = "{shape}"
[controller]
name = "{controller}"
[world]
friction = [0.2, 0.2]
"""


def follow(tmp, name, duration, shape="turn", controller="n_trailer"):
    (tmp / f"{name}.toml").write_text(TURN.format(duration=duration, shape=shape, controller=controller))
    return run(tmp / name, tmp / f"{name}.toml")


def lines_of(svg, colour):
    """Lines of one colour, each a list of points in pixels."""
    found = []
    for node in xml.parse(svg).iter("{http://www.w3.org/2000/svg}path"):
        if tuple(int(n) for n in re.findall(r"\d+", node.get("stroke", ""))) == colour and "fill" not in (node.get("class") or ""):
            numbers = [float(n) for n in re.findall(r"-?[\d.]+", node.get("d"))]
            found.append(list(zip(numbers[::2], numbers[1::2])))
    return found


def test_paths_and_wheels(tmp, course):
    folder = follow(tmp, "turn", 4.5)
    done = coluber("plot", folder)
    drawn = [Path(line).stem for line in done.stdout.split()]
    check("a robot that follows a path draws its error too", done.returncode == 0 and done.stderr == "" and drawn == [n for n in LISTED if n not in ("side", "footfall", "force_map", "mapped", "quality", "wheels", "internal", "reactions", "grasp")], f"{drawn} {done.stderr}")
    coluber("plot", folder, "--what", "course", "--time", 3.5, "-o", tmp / "c.svg")
    wheels, links = polygons(tmp / "c.svg", (84, 96, 106)), polygons(tmp / "c.svg", (220, 236, 246)) + polygons(tmp / "c.svg", (143, 199, 230))
    # a link is 2 (0.04 + 0.03) m long and 0.06 m wide; its area is that of its core and two half discs
    scale = math.sqrt(numpy.mean([area(link) for link in links]) / (0.08 * 0.06 + math.pi * 0.03**2))
    check("the course draws two wheels a link, 0.13 by 0.01625 m", len(wheels) == 12 and len(links) == 6 and all(abs(area(w) / scale**2 - 0.13 * 0.01625) < 2e-5 for w in wheels), [area(w) / scale**2 for w in wheels])
    middle = lambda points: numpy.mean(points[:-1] if points[0] == points[-1] else points, axis=0)
    pairs = [(middle(a), middle(b)) for a, b in zip(wheels[::2], wheels[1::2])]
    check("… both of a link 0.082 m apart", all(abs(math.hypot(*(a - b)) / scale - 0.082) < 1e-3 for a, b in pairs), [math.hypot(*(a - b)) / scale for a, b in pairs])
    with h5py.File(folder / "trajectory.h5") as file:
        k = int(numpy.argmin(abs(file["time"][:] - 3.5)))
        place, angle = file["link_position"][k], file["link_angle"][k]
    axles = place + 0.018 * numpy.stack([numpy.cos(angle), numpy.sin(angle)], axis=1)
    seen = numpy.array([(a + b) / 2 for a, b in pairs]) / scale
    apart = [math.hypot(*(axles[i] - axles[0])) - math.hypot(*(seen[i] - seen[0])) for i in range(6)]
    check("… about the axle, 18 mm behind the link's middle", max(map(abs, apart)) < 1e-3, apart)
    to_follow = polygons(tmp / "c.svg", PATH)
    check("the course draws the path to follow and says its colour", len(to_follow) == 1 and any("yellow: path to follow" in w for w in texts(tmp / "c.svg")), texts(tmp / "c.svg"))
    # 1 m straight, a quarter of a circle of 0.75 m radius, 1 m straight; the tube is 4 mm wide
    check("… all of it, to scale", all(abs(side / scale - (1.75 + 0.002)) < 0.006 for side in extent(to_follow[0])), [side / scale for side in extent(to_follow[0])])
    longer = follow(tmp, "longer", 7.0)
    coluber("plot", longer, "--what", "course", "--time", 3.5, "-o", tmp / "l.svg")
    links = polygons(tmp / "l.svg", (220, 236, 246)) + polygons(tmp / "l.svg", (143, 199, 230))
    smaller = math.sqrt(numpy.mean([area(link) for link in links]) / (0.08 * 0.06 + math.pi * 0.03**2))
    far = 0.5 * 7.0 + 6 * 0.122 - 1.0 - 0.375 * math.pi + 0.75
    check("… as far as the run can get, with the robot's length", abs(max(extent(polygons(tmp / "l.svg", PATH)[0])) / smaller - (far + 0.002)) < 0.006, (extent(polygons(tmp / "l.svg", PATH)[0]), smaller, far))
    coluber("plot", folder, "--what", "energy", "-o", tmp / "w.svg")
    check("work of joints and wheels is that of motors", any("motors" in w for w in texts(tmp / "w.svg")) and not any("servo" in w for w in texts(tmp / "w.svg")), texts(tmp / "w.svg"))
    coluber("plot", folder, "--what", "course", "-o", tmp / "z.svg", "--zoom")
    check("--zoom frames the robot, not the path", area(polygons(tmp / "z.svg", (84, 96, 106))[0]) > 4 * area(wheels[0]))
    for name in ("postures", "path"):
        check(f"{name} draws the path, with a legend", len(polygons(folder / f"plots/{name}.svg", PATH)) == 1 and "path to follow" in texts(folder / f"plots/{name}.svg"), texts(folder / f"plots/{name}.svg"))
    coluber("plot", folder, "--what", "side", "--time", 0, "-o", tmp / "s.svg")
    discs, ground = polygons(tmp / "s.svg", (84, 96, 106)), polygons(tmp / "s.svg", (239, 235, 228))
    floor = min(y for _, y in ground[0])
    check("from the side wheels are discs of 0.13 m that stand on the floor", len(discs) == 12 and all(abs(extent(d)[0] - extent(d)[1]) < 0.5 and abs(max(y for _, y in d) - floor) < 0.6 for d in discs), (floor, [extent(d) for d in discs]))
    curve = polygons(tmp / "s.svg", PATH)[0]
    check("… and the path lies on it", abs(numpy.mean([y for _, y in curve]) - floor) < 0.6, (floor, curve[:3]))
    check("runs without a path have none, and no word of one", not polygons(course / "plots/course.svg", PATH) and not any("path to follow" in w for w in texts(course / "plots/path.svg")))


def test_path_error(tmp, course):
    done = coluber("plot", course, "--what", "path_error", "-o", tmp / "none.svg")
    check("a run without a path to follow has no path_error, exit 1", done.returncode == 1 and "the run has no path_error" in done.stderr and not (tmp / "none.svg").exists(), done.stderr)
    one, two = follow(tmp, "one", 4.5), follow(tmp, "two", 4.5, controller="follow_the_leader")
    coluber("plot", one, "--what", "path_error", "-o", tmp / "e.svg")
    words = texts(tmp / "e.svg")
    check("path_error draws z of every link and the sum of their sizes, in mm", {"path error z (mm)", "sum of |z|, all links (mm)", *(f"link {i}" for i in range(1, 7))} <= set(words), words)
    with h5py.File(one / "trajectory.h5") as file:
        z = 1e3 * file["path_error"][:]
    with h5py.File(two / "trajectory.h5") as file:
        other = 1e3 * file["path_error"][:]
    black = max(lines_of(tmp / "e.svg", (26, 26, 26)), key=len)
    drawn = numpy.array([-y for _, y in black])  # up is down in a picture
    total = abs(z).sum(axis=1)
    # the strip is 3.8 cm high and has six parts in a hundred of air above and below
    scale = (drawn.max() - drawn.min()) / (total.max() - total.min())
    at = numpy.linspace(0, len(total) - 1, 8).astype(int)
    left, right = black[0][0], black[-1][0]
    missed = [abs(numpy.interp(left + (right - left) * k / (len(total) - 1), [x for x, _ in black], drawn) - drawn.min() - scale * (total[k] - total.min())) for k in at]
    check("… the sum is that of what is recorded", len(black) > 100 and max(missed) < 1.0, missed)
    coluber("plot", one, "--what", "path_error", "--link", 1, "--link", 6, "-o", tmp / "l.svg")
    check("--link chooses the links; the sum remains that of all", [w for w in texts(tmp / "l.svg") if w.startswith("link ")] == ["link 1", "link 6"] and max(lines_of(tmp / "l.svg", (26, 26, 26)), key=len) == black, texts(tmp / "l.svg"))
    done = coluber("plot", one, "--what", "path_error", "--link", 7, "-o", tmp / "none.svg")
    check("a link that is not there is bad input, exit 3", done.returncode == 3 and "there is no link 7" in done.stderr, done.stderr)
    coluber("plot", one, "--what", "path_error", "--width", "85mm", "-o", tmp / "n.svg")
    check("on a narrow page all links are in the legend", {f"link {i}" for i in range(1, 7)} <= set(texts(tmp / "n.svg")), texts(tmp / "n.svg"))
    (tmp / "mine.csv").write_text("time,path_error.2\n" + "".join(f"{0.1 * k},{0.001 * k}\n" for k in range(40)))
    done = coluber("plot", one, "--what", "path_error", "--measured", tmp / "mine.csv", "-o", tmp / "m.svg")
    check("measured distances are drawn over", done.returncode == 0 and "measured" in texts(tmp / "m.svg"), done.stderr)

    done = coluber("plot", one, two, "--what", "path_error", "-o", tmp / "b.svg")
    words = texts(tmp / "b.svg")
    check("two runs are compared by the sum and by the head", done.returncode == 0 and words.count("sum of |z|, all links (mm)") == 1 and words.count("path error z, link 1 (mm)") == 1, f"{done.stderr} {words}")
    three = run(tmp / "three", tmp / "two.toml", "--set", "controller.kw=0.6", "--set", "path.shape='s'")
    coluber("plot", one, three, "--what", "path_error", "-o", tmp / "t.svg", "--width", "300mm")
    check("the legend names shape and controller before gains", any(re.match(r"three: path\.shape = s, controller\.name = follow_the_leader, .*controller\.kw", w) for w in texts(tmp / "t.svg")), texts(tmp / "t.svg"))
    first, second = (max((line for line in lines_of(tmp / "b.svg", c) if len(line) > 100), key=lambda line: -numpy.mean([y for _, y in line])) for c in ((0, 114, 178), (213, 94, 0)))
    high = lambda line: max(y for _, y in line) - min(y for _, y in line)
    ratio = abs(other).sum(axis=1).max() / total.max()
    check("… on one axis: their heights are as their sums", abs(high(second) / high(first) - ratio) < 0.01 * ratio, (high(second) / high(first), ratio))
    done = coluber("plot", one, course)
    check("beside a run without a path it is left out", done.returncode == 0 and not (one / "plots/path_error-and-course.svg").exists() and (one / "plots/course-and-course.svg").exists(), done.stderr)
    done = coluber("plot", one, course, "--what", "path_error", "-o", tmp / "none.svg")
    check("… and refused where it is asked for", done.returncode == 1 and "the run has no path_error" in done.stderr, done.stderr)


MAPPED = (194, 49, 143)


def study(folder, name, scenario, *words):
    done = coluber(name, scenario, "--out", folder, "-q", *words)
    if done.returncode != 0:
        sys.exit(f"cannot {name} {scenario}: {done.stderr}")
    return folder


def strokes(svg, colour):
    """Lines of one colour, those that gnuplot puts into one path apart."""
    found = []
    for node in xml.parse(svg).iter("{http://www.w3.org/2000/svg}path"):
        if tuple(int(n) for n in re.findall(r"\d+", node.get("stroke", ""))) == colour:
            for piece in node.get("d").split("M")[1:]:
                numbers = [float(n) for n in re.findall(r"-?[\d.]+", piece)]
                found.append(list(zip(numbers[::2], numbers[1::2])))
    return found


def ticks(svg, panel):
    """x of the picture (pixels) as a function of the axis' numbers, from the words below a panel counted from the top."""
    rows = {}
    for word, x, y in places(svg):
        if re.fullmatch(r"[−-]?[\d.]+", word):
            rows.setdefault(round(y), []).append((float(word.replace("−", "-")), x))
    rows = [sorted(row) for _, row in sorted(rows.items()) if len(row) > 3]
    row = rows[panel]
    return numpy.polyfit([n for n, _ in row], [x for _, x in row], 1)


def test_force_map(tmp, course):
    done = coluber("plot", course, "--what", "force_map", "-o", tmp / "none.svg")
    check("a run without mapped forces has no force_map, exit 1", done.returncode == 1 and "the run has no mapped_force" in done.stderr and not (tmp / "none.svg").exists(), done.stderr)
    one = study(tmp / "one", "force-map", "holden_table5")
    done = coluber("plot", one)
    check("of a force map force_map is drawn, and nothing else", done.returncode == 0 and done.stdout.split() == [str(one / "plots/force_map.svg")] and done.stderr == "", f"{done.stdout} {done.stderr}")
    svg = one / "plots/force_map.svg"
    words = texts(svg)
    check("… with a legend, both ends, axes and the limit", {"force on the link", "its constraint part", "joint", "centre of gravity", "torque at its limit", "link 1", "link 20", "x (m)", "y (m)", "torque (N m)", "limit 4.5 N m"} <= set(words), words)
    stated = next((m for m in (re.search(r"optimal;  arrows: ([\d.]+) N = ([\d.]+) m on the axes$", w) for w in words) if m), None)
    check("… and the status and the scale of the arrows", stated is not None, words)
    with h5py.File(one / "trajectory.h5") as file:
        forces, parts, torques = file["mapped_force"][0], file["mapped_constraint"][0], file["mapped_torque"][0]
    pixels = ticks(svg, 0)[0]  # a metre
    per_newton = float(stated[2]) / float(stated[1]) * pixels
    shafts = [line for line in strokes(svg, MAPPED) if len(line) == 2]
    heads = polygons(svg, MAPPED)
    check("… five totals have filled heads, five constraint parts hollow ones", len(heads) == 5, len(heads))
    # from the foot, where both shafts begin, to the tip of the head
    wanted = sorted(math.hypot(*f) * per_newton for f in forces if math.hypot(*f) > 0)
    found = sorted(max(math.dist(foot[0], tip) for tip in head) for head in heads for foot in [min(shafts, key=lambda s: min(math.dist(s[1], p) for p in head))])
    check("… each as long as its force on the stated scale", len(wanted) == len(found) and max(abs(a - b) for a, b in zip(wanted, found)) < 1.5, (wanted, found))
    angles = lambda rows: sorted(round(math.degrees(math.atan2(y, x)), 0) for x, y in rows if math.hypot(x, y) > 0)
    drawn = sorted(round(math.degrees(math.atan2(-(s[1][1] - s[0][1]), s[1][0] - s[0][0])), 0) for s in shafts if math.dist(*s) > 10 and s[0][1] != s[1][1])  # but those of the legend
    legal = angles(forces) + angles(parts)
    check("… along the recorded forces, with and without friction", len(drawn) == 8 and all(min(abs(a - b) for b in legal) <= 2 for a in drawn), (drawn, legal))
    limited = polygons(svg, (213, 94, 0))
    check("… the one torque at its limit is marked", len(limited) == 1 and abs(torques[5]) > 4.4999, limited)
    bars = polygons(svg, (143, 199, 230))
    heights = [extent(bar)[1] for bar in bars if extent(bar)[0] < 40]
    check("… the others are bars as high as they are large", len(heights) >= 18 and abs(max(h for h in heights if h < 200) / extent(limited[0])[1] - sorted(abs(torques))[-2] / 4.5) < 0.03, heights)
    for name in ("path", "postures", "side", "velocities", "angles"):
        done = coluber("plot", one, "--what", name, "-o", tmp / "none.svg")
        check(f"one moment has no {name}, exit 3, and the message names what has one", done.returncode == 3 and "needs two" in done.stderr and "force_map" in done.stderr, done.stderr)
    for name in ("forces", "footfall", "tracking", "torques", "energy", "residual", "path_error", "quality"):
        done = coluber("plot", one, "--what", name, "-o", tmp / "none.svg")
        check(f"… nor {name}, exit 1", done.returncode == 1 and "the run has no " in done.stderr, done.stderr)
    for ending in ("png", "pdf"):
        done = coluber("plot", one, "--what", "force_map", "--what", "course", "--width", "85mm", "-o", tmp / f"n.{ending}")
        check(f"course and force_map of one moment as {ending}, on a narrow page", done.returncode == 0 and (tmp / f"n-force_map.{ending}").stat().st_size > 2000, done.stderr)
    done = coluber("plot", one, "--what", "force_map", "--time", 1, "-o", tmp / "none.svg")
    check("a moment that is not there is bad input, exit 3", done.returncode == 3 and "the run has no frame at 1 s" in done.stderr, done.stderr)

    other = study(tmp / "other", "force-map", "holden_corrected")
    done = coluber("plot", one, other)
    svg = one / "plots/force_map-and-other.svg"
    check("two force maps are drawn in one map, one arrow per contact, with their torques", done.returncode == 0 and done.stdout.split() == [str(svg)] and sum("force_map.kinematics" in w or "other:" in w for w in texts(svg)) >= 1, f"{done.stdout} {done.stderr}")
    none = coluber("force-map", "holden_table5", "--out", tmp / "not", "-q", "--set", "controller.torque_limit=0.01")
    done = coluber("plot", tmp / "not", "--what", "force_map", "-o", tmp / "i.svg")
    check("where nothing solves it the picture says so and has no arrows", none.returncode == 1 and done.returncode == 0 and any(w.startswith("infeasible") for w in texts(tmp / "i.svg")) and not polygons(tmp / "i.svg", MAPPED), f"{done.stderr} {texts(tmp / 'i.svg')}")
    done = coluber("plot", course, one)
    check("a run and one moment are compared in course alone", done.returncode == 0 and done.stdout.split() == [str(course / "plots/course-and-one.svg")], f"{done.stdout} {done.stderr}")
    (course / "plots/course-and-one.svg").unlink()
    for form in ("csv", "html"):
        done = coluber("export", one, "--to", form, "-o", tmp / f"e.{form}")
        check(f"one moment is exported as {form}", done.returncode == 0 and (tmp / f"e.{form}").stat().st_size > 1000, done.stderr)


def test_quality(tmp, course):
    done = coluber("plot", course, "--what", "quality", "-o", tmp / "none.svg")
    check("a run that is no study of a path has no quality, exit 1", done.returncode == 1 and "the run has no margin" in done.stderr, done.stderr)
    one = study(tmp / "one", "quality", "holden_pegs")
    shares = json.loads((one / "run.json").read_text())["summary"]
    check("the share of feasible places is exactly 1 where all are", shares["share"] == 1.0 and shares["rank_share"] == 1.0, shares)
    done = coluber("plot", one)
    check("of a path's quality these two plots are drawn", done.returncode == 0 and done.stdout.split() == [str(one / f"plots/{n}.svg") for n in ("force_map", "quality")], f"{done.stdout} {done.stderr}")
    svg = one / "plots/quality.svg"
    words = texts(svg)
    check("quality has margin, torque with its limit, and the rows of verdicts", {"margin (N)", "max. torque (N m)", "limit 4.5 N m", "arc length of the rear end s (m)", "feasible", "rank only", "neither"} <= set(words), words)
    check("… and says how many places are feasible, and what is marked on the path", any(w.startswith("feasible at 24 of 24 places, least margin 17.5 N;  marks on the path: place of the rear end") for w in words), words)
    with h5py.File(one / "trajectory.h5") as file:
        s, margin = file["place"][:], file["margin"][:]
    scale, offset = ticks(svg, -1)
    line = max((line for line in lines_of(svg, (26, 26, 26)) if len(line) == 24), key=lambda line: -line[0][1])
    up = numpy.polyfit(margin, [-y for _, y in line], 1)
    check("… the margins are those recorded, over s", max(abs(x - scale * k - offset) for (x, _), k in zip(line, s)) < 1.0 and max(abs(-y - up[0] * m - up[1]) for (_, y), m in zip(line, margin)) < 0.6, (line[:3], s[:3]))
    done = coluber("plot", one, "--what", "force_map", "--time", 2, "-o", tmp / "t.svg")
    check("force_map of one place, by its time", done.returncode == 0 and any(w.startswith("rear end at s = 0.6913 m;  optimal;  arrows: ") for w in texts(tmp / "t.svg")), texts(tmp / "t.svg"))

    tight = study(tmp / "tight", "quality", "holden_pegs", "--set", "controller.torque_limit=1")
    coluber("plot", tight, "--what", "quality", "-o", tmp / "q.svg")
    words = texts(tmp / "q.svg")
    with h5py.File(tight / "trajectory.h5") as file:
        lost = numpy.flatnonzero(numpy.isnan(file["margin"][:]))
    check("places that rank alone allows have a mark, a row and a word of their own", any(w.startswith("feasible at 22 of 24 places;") for w in words) and "by rank only: limits or signs fail" in words and len(polygons(tmp / "q.svg", (230, 159, 0))) >= 2, words)
    pieces = [line for line in strokes(tmp / "q.svg", (26, 26, 26)) if 1 < len(line) < 24]
    check("… and where there is no margin the line has a gap", len(lost) == 2 and len(pieces) >= 2, (lost, [len(p) for p in pieces]))
    none = study(tmp / "none", "quality", "holden_pegs", "--set", "controller.torque_limit=0.3")
    coluber("plot", none, "--what", "quality", "-o", tmp / "no.svg")
    check("where no place is feasible margin and torques say so", {"none: no place is feasible", "none: no torques within the limit meet the motion"} <= set(texts(tmp / "no.svg")), texts(tmp / "no.svg"))
    single = study(tmp / "single", "quality", "holden_pegs", "--set", "quality.to=0.51")
    done = coluber("plot", single)
    check("a single place is drawn", done.returncode == 0 and any(w.startswith("feasible at 1 of 1 place, ") for w in texts(single / "plots/quality.svg")), done.stderr)
    done = coluber("plot", one, single)
    check("… and compared by its force map alone", done.returncode == 0 and done.stdout.split() == [str(one / "plots/force_map-and-single.svg")], f"{done.stdout} {done.stderr}")

    done = coluber("plot", one, tight, "--what", "quality", "-o", tmp / "b.svg")
    words = texts(tmp / "b.svg")
    check("two paths are compared by margin and torque over s", done.returncode == 0 and "feasible at 24 of 24 | 22 of 24 places" in words and {"margin (N)", "max. torque (N m)", "arc length of the rear end s (m)"} <= set(words) and "time t (s)" not in words, f"{done.stderr} {words}")
    for name in ("course", "path", "postures", "side", "velocities", "angles"):
        done = coluber("plot", one, "--what", name, "-o", tmp / f"{name}.svg")
        check(f"{name} draws the places as a run in time", done.returncode == 0 and (tmp / f"{name}.svg").exists(), done.stderr)


def test_paths_of_two_runs(tmp, course):
    turn, again, eight = follow(tmp, "turn", 1), follow(tmp, "again", 1, controller="follow_the_leader"), follow(tmp, "eight", 1, shape="eight")
    for name in ("course", "path"):
        coluber("plot", turn, again, "--what", name, "-o", tmp / "same.svg")
        check(f"{name} of two runs on one path draws it once", len(polygons(tmp / "same.svg", PATH)) == 1 and any("yellow: path to follow" in w for w in texts(tmp / "same.svg")), texts(tmp / "same.svg"))
        coluber("plot", turn, eight, "--what", name, "-o", tmp / "two.svg")
        pale = [len(polygons(tmp / "two.svg", colour)) for colour in ((127, 184, 216), (234, 174, 127))]
        check(f"{name} of runs on two paths draws each in its run's colour, paler", pale == [1, 1] and not polygons(tmp / "two.svg", PATH) and any("broad lines: path to follow" in w for w in texts(tmp / "two.svg")), (pale, texts(tmp / "two.svg")))
    coluber("plot", turn, eight, "--what", "postures", "-o", tmp / "p.svg")
    check("postures have each run's path in its panel", len(polygons(tmp / "p.svg", PATH)) == 2, len(polygons(tmp / "p.svg", PATH)))


def test_smooth_friction(tmp, course):
    smooth = run(tmp / "smooth", SOURCE / "scenarios/aiko_smooth_friction.toml", "--duration", 1.0)
    done = coluber("plot", smooth)
    drawn = [Path(line).stem for line in done.stdout.split()]
    check("a run on smooth friction draws what it has: no contacts, no residual", done.returncode == 0 and done.stderr == "" and drawn == [name for name in NAMES if name not in ("footfall", "residual")], f"{drawn} {done.stderr}")
    done = coluber("plot", smooth, "--what", "residual")
    check("… and says so where it is asked for one", done.returncode == 1 and "the run has no residual" in done.stderr and not (smooth / "plots/residual.svg").exists(), done.stderr)


def test_joint_tables(tmp, course):
    (tmp / "angles.csv").write_text("t,phi_1,phi_2\n0,0,0\n1,20,-20\n2,0,0\n")
    (tmp / "table.toml").write_text('duration = 0.5\n[robot]\nname = "aiko"\nlinks = 3\n[gait]\nname = "table"\ntable = "angles.csv"\n')
    folder = run(tmp / "run", tmp / "table.toml")
    done = coluber("plot", folder, "--what", "angles")
    check("references from a table are drawn", done.returncode == 0 and done.stderr == "" and "reference" in texts(folder / "plots/angles.svg"), done.stderr)
    elsewhere = tmp / "elsewhere"
    elsewhere.mkdir()
    done = coluber("run", "table.toml", "--out", "beside", "-q", cwd=tmp)
    done = coluber("plot", "../beside", "--what", "angles", cwd=elsewhere)
    check("… also from another folder than the run was started in", done.returncode == 0 and done.stderr == "" and "reference" in texts(tmp / "beside/plots/angles.svg"), done.stderr)
    (tmp / "angles.csv").unlink()
    done = coluber("plot", folder, "--what", "angles")
    check("with the table gone they are drawn all the same: they are in the record", done.returncode == 0 and done.stderr == "" and "reference" in texts(folder / "plots/angles.svg"), done.stderr)


def test_grasp(tmp, course):
    lasso = run(tmp / "lasso", SOURCE / "scenarios/lasso_drag.toml", "--duration", 12, "--set", "solver.dt=0.02", "--set", "record.rate_hz=10")
    done = coluber("plot", lasso)
    check("a robot that grasps is drawn with its object unasked", done.returncode == 0 and done.stderr == "" and "grasp" in [Path(line).stem for line in done.stdout.split()], (done.stdout, done.stderr))
    picture = lasso / "plots/grasp.svg"
    words, contacts, object_grey = texts(picture), (242, 182, 90), (196, 196, 196)
    check("… names the links in contact and what the lines are", "t = 12 s;  links 6, 7, 8 in contact" in words and {"in contact", "way of the head", "at the start", "6", "7", "8", "z (m)"} <= set(words), words)
    check("… and no way of the object, which stands", "way of the object" not in words, words)
    check("… these links from above and from the side, the object twice too", len(polygons(picture, contacts)) == 6 and len(polygons(picture, object_grey)) == 2, (len(polygons(picture, contacts)), len(polygons(picture, object_grey))))
    coluber("plot", lasso, "--what", "grasp", "--time", 3, "--zoom", "--plane", "yz", "-o", tmp / "early.svg")
    words = texts(tmp / "early.svg")
    check("while the second link comes, the first holds", "t = 3 s;  link 8 in contact" in words and "at the start" not in words and words.count("y (m)") == 2, words)
    done = coluber("plot", lasso, course, "--what", "grasp")
    check("it draws one run", done.returncode == 2 and done.stderr.startswith("error: --what grasp draws one run\n"), done.stderr)
    done = coluber("plot", course, "--what", "grasp")
    check("… of a robot that has a head's state", done.returncode == 1 and "the run has no head_state" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as shared:
        course = run(Path(shared) / "course", COURSE, "--duration", 5.5)
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                with tempfile.TemporaryDirectory() as tmp:
                    test(Path(tmp), course)
    finish()


if __name__ == "__main__":
    main()
