#!/usr/bin/python3
"""Draws docs/pictures/which_way.svg: Aiko at t = 0 on the course of Transeth 7.3.4, true to scale.

The pose is that of scenarios/aiko_course.toml: joint angles of the gait at t = 0, mean line of the
wave along x, link 11 at the origin, heading 180 degrees (from link 1 to link 11).
"""

import math
from pathlib import Path

LENGTH, HALF_CORE, RADIUS = 0.122, 0.0393, 0.0525  # m, Table 7.1
AMPLITUDE, PHASE, LINKS = 40.0, -50.0, 11  # degrees, (7.3)
PEGS = [(0.087, 0.077, 0.02), (0.474, 0.082, 0.03), (0.882, 0.101, 0.01), (1.201, 0.097, 0.02)]  # Table 7.3
SCALE, LEFT, TOP = 760.0, 0.20, 0.37  # pixels a metre; the world point at the upper left corner is (-LEFT, TOP)
WIDTH, HEIGHT = 1200, 540


def pose():
    """Centres and angles (rad) of the links; theta_1 puts the wave's mean line along x."""
    half = math.radians(abs(PHASE) / 2)
    theta = [math.pi + math.radians(AMPLITUDE) * math.cos(half) / (2 * math.sin(half))]
    for i in range(LINKS - 1):
        theta.append(theta[-1] + math.radians(AMPLITUDE * math.sin(math.radians(i * PHASE))))
    centres = [(0.0, 0.0)]
    for i in range(LINKS - 1, 0, -1):
        x, y = centres[0]
        x -= LENGTH / 2 * (math.cos(theta[i]) + math.cos(theta[i - 1]))
        y -= LENGTH / 2 * (math.sin(theta[i]) + math.sin(theta[i - 1]))
        centres.insert(0, (x, y))
    return centres, theta


def px(x, y):
    return (x + LEFT) * SCALE, (TOP - y) * SCALE


def text(x, y, words, size=17, anchor="middle", colour="#222", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}" {extra}>{words}</text>'


def arrow(x1, y1, x2, y2, colour, width=3):
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width}" marker-end="url(#head-{colour[1:]})"/>'
    )


def main():
    centres, theta = pose()
    blue, red, green, grey = "#1f5fa8", "#b8321f", "#2e7d32", "#555555"
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="DejaVu Sans, Helvetica, sans-serif">',
        '<rect width="100%" height="100%" fill="white"/>',
        "<defs>",
    ]
    for colour in (blue, red, green, grey):
        out.append(
            f'<marker id="head-{colour[1:]}" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="6" markerHeight="6" '
            f'orient="auto-start-reverse"><path d="M0 0 L10 5 L0 10 z" fill="{colour}"/></marker>'
        )
    out.append("</defs>")

    for number, (x, y, r) in enumerate(PEGS, 1):
        cx, cy = px(x, y)
        out.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="{r * SCALE:.1f}" fill="#999" stroke="#333"/>')
        beside = -r * SCALE - 6 if number in (1, 3) else r * SCALE + 16  # the side away from the robot
        out.append(text(cx, cy + beside, f"peg {number}", 13, colour=grey))

    for (x, y), angle in zip(centres, theta):  # outlines, head last so that it lies on top
        cx, cy = px(x, y)
        out.append(
            f'<rect x="{-(HALF_CORE + RADIUS) * SCALE:.2f}" y="{-RADIUS * SCALE:.2f}" '
            f'width="{2 * (HALF_CORE + RADIUS) * SCALE:.2f}" height="{2 * RADIUS * SCALE:.2f}" rx="{RADIUS * SCALE:.2f}" '
            f'fill="#9cc3e6" fill-opacity="0.45" stroke="#1f5fa8" stroke-width="1.5" '
            f'transform="translate({cx:.2f} {cy:.2f}) rotate({-math.degrees(angle):.3f})"/>'
        )
    points = []
    for (x, y), angle in zip(centres, theta):
        points.append(px(x - LENGTH / 2 * math.cos(angle), y - LENGTH / 2 * math.sin(angle)))
    x, y = centres[-1]
    points.append(px(x + LENGTH / 2 * math.cos(theta[-1]), y + LENGTH / 2 * math.sin(theta[-1])))
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    out.append(f'<polyline points="{path}" fill="none" stroke="#1f5fa8" stroke-width="2"/>')
    for a, b in points[1:-1]:
        out.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4.5" fill="white" stroke="#1f5fa8" stroke-width="2"/>')
    for number, (x, y) in enumerate(centres, 1):
        cx, cy = px(x, y)
        out.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="12" fill="white" stroke="#1f5fa8"/>')
        out.append(text(cx, cy + 5, str(number), 14, extra='font-weight="bold"'))

    # The axis of link 1 and the angle of joint 3 (negative here: link 4 is turned clockwise from link 3).
    joint = 3
    a, b = points[joint]
    before, after = theta[joint - 1], theta[joint]
    reach = 0.155 * SCALE
    ex, ey = math.cos(before), -math.sin(before)
    fx, fy = math.cos(after), -math.sin(after)
    out.append(
        f'<line x1="{a:.1f}" y1="{b:.1f}" x2="{a + 1.15 * reach * ex:.1f}" y2="{b + 1.15 * reach * ey:.1f}" '
        f'stroke="{red}" stroke-width="1.5" stroke-dasharray="6 4"/>'
    )
    sweep = 1 if after < before else 0
    out.append(
        f'<path d="M {a + reach * ex:.1f} {b + reach * ey:.1f} A {reach:.1f} {reach:.1f} 0 0 {sweep} '
        f'{a + reach * fx:.1f} {b + reach * fy:.1f}" fill="none" stroke="{red}" stroke-width="2.5" marker-end="url(#head-{red[1:]})"/>'
    )
    phi = math.degrees(after - before)
    out.append(text(a - 210, b + 45, f"φ₃ = θ₄ − θ₃ = {phi:.1f}°".replace("-", "−"), 17, colour=red))

    # Axes.
    gx, gy = px(-0.14, -0.26)
    out.append(arrow(gx, gy, gx + 76, gy, grey, 2))
    out.append(arrow(gx, gy, gx, gy - 76, grey, 2))
    out.append(text(gx + 92, gy + 6, "x", 17, colour=grey))
    out.append(text(gx, gy - 84, "y", 17, colour=grey))
    out.append(text(gx + 38, gy + 22, "0.1 m", 13, colour=grey))

    # Directions along the body.
    right, left = px(0.95, 0)[0], px(0.25, 0)[0]
    out.append(arrow(right, 38, left, 38, blue))
    out.append(text((left + right) / 2, 28, "heading (180°) and body wave: from link 1 to link 11", 18, colour=blue))
    y = px(0, -0.26)[1]
    out.append(arrow(left, y, right, y, green))
    out.append(text((left + right) / 2, y + 26, "travel among pegs: link 1 leads, towards +x", 18, colour=green))
    hx, hy = px(*centres[0])
    out.append(text(hx + 62, hy - 42, "head", 20, "start", blue))
    tx, ty = px(*centres[-1])
    out.append(text(tx - 80, ty - 40, "tail", 20, "end", blue))
    out.append("</svg>")
    target = Path(__file__).with_suffix(".svg")
    target.write_text("\n".join(out) + "\n")
    print(target.name, "G_1 = ({:.4f}, {:.4f}), G_6 = ({:.4f}, {:.4f})".format(*centres[0], *centres[5]))


main()
