"""Figures with Matplotlib, and the page of a run as a notebook shows it.

That the page works in its frame is tested in a browser: viewer/tests/browser/frame.test.mjs.
"""

import html
from html.parser import HTMLParser

import pytest

import coluber


class Frame(HTMLParser):
    """The attributes of the frame."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "iframe":
            self.attributes = dict(attrs)


def test_a_notebook_shows_the_replay_page_in_a_sandboxed_frame() -> None:
    t = coluber.run("aiko_course", {"duration": 0.2})
    frame = Frame()
    frame.feed(t._repr_html_())
    assert frame.attributes["sandbox"] == "allow-scripts" and frame.attributes["srcdoc"] == t.to_html()
    assert "Content-Security-Policy" in t.to_html() and html.escape(repr(t)) not in t._repr_html_()


def test_matplotlib_draws_what_is_asked_for() -> None:
    import matplotlib

    matplotlib.use("agg")
    t = coluber.run("aiko_floor", {"duration": 0.2})
    ax = t.plot("joint_torque", "energy")
    assert len(ax.lines) == 11 and "joint_torque (N m)" in ax.get_ylabel()
    assert len(t.plot().lines) == 6
    with pytest.raises(coluber.InputError, match="did you mean"):
        t.plot("joint_torqe")
