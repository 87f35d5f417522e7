"""Learning is deterministic, and gets somewhere."""

import sys

from conftest import root

sys.path.insert(0, str(root / "examples/learning"))
import crawl  # noqa: E402


def test_a_metre_after_twenty_iterations_and_twice_the_same_number() -> None:
    _, curve = crawl.learn(20, seed=1, threads=2)
    assert curve[-1] >= 1.0, curve
    _, again = crawl.learn(3, seed=1, threads=1)
    assert again == curve[:3]
