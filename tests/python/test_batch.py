"""Batches: the bits of single simulations, on any number of threads."""

import signal
import threading

import numpy as np
import pytest

import coluber


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_is_what_it_would_be_alone(threads: int) -> None:
    s = coluber.load("aiko_course")
    batch = coluber.Batch(s, 5, threads)
    rng = np.random.default_rng(1)
    alone = [coluber.Simulation(s) for _ in range(5)]
    for _ in range(20):
        references = rng.uniform(-0.5, 0.5, (5, 10))
        batch.references = references
        batch.step(7)
        for i, sim in enumerate(alone):
            sim.reference = references[i]
            sim.step(7)
    assert batch.state_hash == [sim.state_hash for sim in alone]
    for name in batch.observables:
        for i, sim in enumerate(alone):
            np.testing.assert_array_equal(batch[name][i], sim[name])
    np.testing.assert_array_equal(batch.time, [sim.time for sim in alone])
    assert len(batch) == 5 and batch.threads == threads and batch.joint_count == 10


def test_views_follow_and_outlive_the_batch() -> None:
    batch = coluber.Batch("aiko_floor", 3)
    view = batch["link_position"]
    before = view.copy()
    batch.step(50)
    assert view is batch["link_position"] and view.shape == (3, 11, 2) and (view != before).any()
    kept = view.copy()
    del batch
    np.testing.assert_array_equal(view, kept)
    with pytest.raises(ValueError):
        view[0, 0, 0] = 1.0


def test_those_of_a_mask_go_back_to_their_start() -> None:
    batch = coluber.Batch("aiko_floor", 3)
    start = batch.state_hash[0]
    batch.step(30)
    moved = batch.state_hash[0]
    batch.reset([True, False, True])
    assert batch.state_hash == [start, moved, start]
    batch.reset()
    assert batch.state_hash == [start] * 3
    batch.step(10)
    batch.keep_start(1)
    later = batch.state_hash[1]
    batch.step(10)
    batch.reset()
    assert batch.state_hash == [start, later, start]


def test_one_is_rebuilt_from_another_scenario() -> None:
    s = coluber.load("aiko_floor")
    other = s.replace({"world.friction": [0.1, 0.5]})
    batch = coluber.Batch(s, 2)
    batch.rebuild(1, other)
    batch.step(100)
    sim = coluber.Simulation(other)
    sim.step(100)
    assert batch.state_hash[1] == sim.state_hash != batch.state_hash[0]
    with pytest.raises(coluber.Error, match="numbers"):
        batch.rebuild(0, coluber.load("eel"))
    state = batch.state(1)
    batch.step(5)
    batch.set_state(1, state)
    assert batch.state_hash[1] == sim.state_hash


def test_references_are_a_copy_and_end_with_a_reset() -> None:
    batch = coluber.Batch("aiko_floor", 2)
    given = np.full((2, 10), 0.1)
    batch.references = given
    given[:] = 9.0
    assert np.array_equal(batch.references, np.full((2, 10), 0.1))
    batch.reset()
    assert batch.references is None


def test_wrong_shapes_are_refused() -> None:
    batch = coluber.Batch("aiko_floor", 2)
    for wrong in (np.zeros(10), np.zeros((3, 10)), np.zeros((2, 9))):
        with pytest.raises(coluber.InputError):
            batch.references = wrong
    with pytest.raises(coluber.Error):
        batch.references = np.full((2, 10), np.nan)
    with pytest.raises(coluber.InputError, match="expected 2 entries, got 3"):
        batch.reset([True, True, True])
    with pytest.raises(IndexError):
        batch.rebuild(2, batch.scenario)
    with pytest.raises(coluber.InputError, match="did you mean"):
        batch["joint_angel"]
    with pytest.raises(coluber.Error):
        coluber.Batch("aiko_floor", 0)


def test_a_signal_that_raises_nothing_takes_no_step_away() -> None:
    batch = coluber.Batch("aiko_floor", 3, threads=2)
    alone = coluber.Batch("aiko_floor", 3)
    seen: list[bool] = []

    def handler(number: int, frame: object) -> None:
        assert len(batch.time) == 3  # a handler may read
        seen.append(bool(batch.failed.any() or batch.stopped.any()))

    steps = 0
    before = signal.signal(signal.SIGALRM, handler)
    try:
        while len(seen) < 5 and steps < 2_000_000:
            signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
            batch.step(20_000)
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            steps += 20_000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    alone.step(steps)
    assert len(seen) >= 5 and not any(seen)
    assert batch.state_hash == alone.state_hash and np.array_equal(batch.time, alone.time)
    assert np.array_equal(batch["joint_angle"], alone["joint_angle"])


def test_another_thread_cannot_read_a_batch_that_is_stepped() -> None:
    batch = coluber.Batch("aiko_floor", 4, threads=2)
    ended = threading.Event()
    seen: set[str] = set()

    def other() -> None:
        while not ended.is_set():
            for read in (lambda: batch.time, lambda: batch.state_hash, lambda: batch.failed, lambda: batch.stopped):
                try:
                    read()
                    seen.add("values")
                except coluber.Error as error:
                    seen.add(str(error))

    thread = threading.Thread(target=other)
    thread.start()
    for _ in range(10_000):
        batch.step(200)
        if len(seen) > 1:
            break
    ended.set()
    thread.join()
    assert seen - {"values"} == {"this batch is being stepped: another thread cannot read it meanwhile"}


def test_two_threads_cannot_step_one_batch() -> None:
    batch = coluber.Batch("aiko_floor", 4, threads=2)
    errors: list[coluber.Error] = []
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            try:
                batch.step(50)
            except coluber.Error as error:
                errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    for _ in range(200):
        try:
            batch.step(20)
        except coluber.Error as error:
            errors.append(error)
    stop.set()
    thread.join()
    assert errors and "being stepped" in str(errors[0])
