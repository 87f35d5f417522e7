"""Simulations: views, gaits, controllers, references, state, runs."""

import copy
import gc
import math
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coluber

DEG = math.pi / 180


def wave(t: float, amplitude: float = 40 * DEG) -> tuple[np.ndarray, np.ndarray]:
    angle = 80 * DEG * t - 50 * DEG * np.arange(10)
    return amplitude * np.sin(angle), amplitude * 80 * DEG * np.cos(angle)


def test_views_follow_the_simulation_and_cannot_be_written(floor: coluber.Scenario) -> None:
    sim = coluber.Simulation(floor)
    view = sim["link_position"]
    before = view.copy()
    sim.step(100)
    assert view is sim["link_position"] and view.shape == (11, 2)
    assert not np.array_equal(view, before)
    with pytest.raises(ValueError):
        view[0, 0] = 1.0


def test_a_view_outlives_its_simulation(floor: coluber.Scenario) -> None:
    view = coluber.Simulation(floor)["link_position"]
    gc.collect()
    assert np.isfinite(view).all()


def test_forces_are_means_over_the_steps_of_the_call(floor: coluber.Scenario) -> None:
    one = coluber.Simulation(floor)
    parts = []
    for _ in range(5):
        one.step()
        parts.append(one["ground_force"].copy())
    five = coluber.Simulation(floor)
    five.step(5)
    np.testing.assert_allclose(five["ground_force"], np.mean(parts, axis=0), rtol=1e-12, atol=1e-12)


def test_numbers_and_names(floor: coluber.Scenario) -> None:
    sim = coluber.Simulation(floor)
    info = sim.step(7)
    assert (sim.step_count, sim.dt, sim.joint_count, sim.shaft_count) == (7, 1e-3, 10, 0)
    assert sim.time == 7 * 1e-3
    assert info.ok and info.end == "done" and info.status == "ok" and info.steps == 7 and info.message == ""
    assert info.figures["residual"] < 1e-9
    row = sim.observables["link_position"]
    assert row.unit == "m" and row.shape == (11, 2) and row.components == ("x", "y") and row.doc
    assert set(sim.observables) == set(sim.run())


def test_a_gait_of_ones_own_is_that_of_the_scenario(floor: coluber.Scenario) -> None:
    """The same formula in Python: rounding apart, the same motion."""
    theirs, ours = coluber.Simulation(floor), coluber.Simulation(floor)
    ours.gait = wave
    theirs.step(300)
    ours.step(300)
    np.testing.assert_allclose(ours["joint_reference"], theirs["joint_reference"], atol=1e-9)
    np.testing.assert_allclose(ours["link_position"], theirs["link_position"], atol=1e-6)
    assert ours.gait is wave
    ours.gait = None
    assert ours.gait is None
    ours.step(10)


def test_a_gait_may_be_an_object_and_return_lists(floor: coluber.Scenario) -> None:
    class Gait:
        max_rate = 2.0

        def evaluate(self, t: float) -> tuple[list[float], list[float]]:
            phi, rate = wave(t)
            return phi.tolist(), rate.astype(np.float32).tolist()

    sim, plain = coluber.Simulation(floor), coluber.Simulation(floor)
    sim.gait, plain.gait = Gait(), wave
    sim.step(100)
    plain.step(100)
    np.testing.assert_allclose(sim["joint_angle"], plain["joint_angle"], atol=1e-6)


def test_arrays_that_a_gait_fills_again_are_read_again(floor: coluber.Scenario) -> None:
    phi, rate = np.zeros(10), np.zeros(10)

    def gait(t: float) -> tuple[np.ndarray, np.ndarray]:
        phi[:], rate[:] = wave(t)
        return phi, rate

    sim, plain = coluber.Simulation(floor), coluber.Simulation(floor)
    sim.gait, plain.gait = gait, wave
    sim.step(100)
    plain.step(100)
    assert sim.state_hash == plain.state_hash


def test_a_command_is_the_scenarios_own_servo(floor: coluber.Scenario) -> None:
    """pd with k_P = 800 and k_D = 2 inside the step, which the scenario asks for."""
    command = coluber.Command(10)
    command.k_P, command.k_D = 800.0, 2.0

    def pd(input: coluber.ControlInput) -> coluber.Command:
        command.phi_d = input.phi_d_E
        command.phidot_d = input.phidot_d_E
        return command

    ours, theirs = coluber.Simulation(floor), coluber.Simulation(floor)
    ours.controller = pd
    ours.step(300)
    theirs.step(300)
    assert ours.state_hash == theirs.state_hash


def test_torques_hold_over_a_step(floor: coluber.Scenario) -> None:
    seen: list[float] = []

    def controller(input: coluber.ControlInput) -> np.ndarray:
        seen.append(input.t)
        assert input.dt == 1e-3 and input.phi.shape == (10,)
        return 0.01 * (input.phi_d_A - input.phi)

    sim = coluber.Simulation(floor)
    sim.controller = controller
    sim.step(3)
    assert seen == [0.0, 1e-3, 2e-3] and sim.controller is controller
    np.testing.assert_array_less(np.abs(sim["joint_torque"]), 0.02)


def test_references_are_held(floor: coluber.Scenario) -> None:
    sim = coluber.Simulation(floor)
    target = np.linspace(-0.3, 0.3, 10)
    sim.reference = target
    sim.step(500)
    np.testing.assert_allclose(sim["joint_angle"], target, atol=0.02)
    np.testing.assert_array_equal(sim.reference, target)
    sim.reference = None
    sim.step()
    assert sim.reference is None


def test_a_gait_ends_references_that_were_held(floor: coluber.Scenario) -> None:
    sim, other = coluber.Simulation(floor), coluber.Simulation(floor)
    sim.reference = np.full(10, 0.1)
    sim.gait = other.gait = wave
    assert sim.reference is None
    sim.step(50)
    other.step(50)
    assert sim.state_hash == other.state_hash


def test_states_compare_copy_and_come_back(floor: coluber.Scenario) -> None:
    sim = coluber.Simulation(floor)
    sim.step(50)
    state = sim.state
    assert copy.deepcopy(state) == state and hash(copy.copy(state)) == hash(state) and state.step_count == 50
    twin = copy.copy(sim)
    sim.step(50)
    twin.step(50)
    assert twin.state_hash == sim.state_hash and twin.state == sim.state != state


def test_a_state_of_another_robot_is_refused(floor: coluber.Scenario) -> None:
    sim = coluber.Simulation(floor)
    sim.step(5)
    before = sim.state
    for other in (floor.replace({"world.friction": [0.3, 0.3]}), coluber.load("aiko_course"), coluber.load("eel")):
        with pytest.raises(coluber.InputError, match="state"):
            sim.state = coluber.Simulation(other).state
    assert sim.state == before


def test_a_gait_with_memory_goes_on_bit_for_bit(floor: coluber.Scenario) -> None:
    class Walk:
        def __init__(self) -> None:
            self.rng = np.random.default_rng(1)
            self.phi = np.zeros(10)
            self.t = 0.0

        def evaluate(self, t: float) -> tuple[np.ndarray, np.ndarray]:
            if t > self.t:  # the same instant may be asked for again
                self.t = t
                self.phi = 0.999 * self.phi + 0.001 * self.rng.standard_normal(10)
            return self.phi, np.zeros(10)

        def save_state(self) -> bytes:
            import pickle

            return pickle.dumps((self.rng, self.phi, self.t))

        def restore_state(self, saved: bytes) -> None:
            import pickle

            self.rng, self.phi, self.t = pickle.loads(saved)

    sim = coluber.Simulation(floor)
    sim.gait = Walk()
    sim.step(40)
    state = sim.state
    sim.step(40)
    end = sim.state_hash
    sim.state = state
    sim.step(40)
    assert sim.state_hash == end


class Trouble(Exception):
    pass


@pytest.mark.parametrize("where", ["gait", "controller", "progress"])
def test_an_exception_comes_out_unchanged_and_the_run_goes_on(where: str) -> None:
    floor = coluber.load("aiko_floor", {"duration": 0.5 if where != "progress" else 200.0})
    plain = coluber.Simulation(floor)
    trouble = Trouble("here")
    armed = True
    calls = 0

    def fail(now: bool) -> None:
        nonlocal armed
        if armed and now:
            armed = False
            raise trouble

    def gait(t: float) -> tuple[np.ndarray, np.ndarray]:
        fail(where == "gait" and t > 0.2)
        return wave(t)

    def controller(input: coluber.ControlInput) -> np.ndarray:
        fail(where == "controller" and input.t > 0.2)
        return 5.0 * (input.phi_d_A - input.phi) - 0.2 * input.phidot

    def progress(p: coluber.Progress) -> None:
        nonlocal calls
        calls += 1
        fail(where == "progress")

    for each in (plain, sim := coluber.Simulation(floor)):
        each.gait = gait
        if where != "progress":
            each.controller = controller
    with pytest.raises(Trouble) as caught:
        sim.run(progress=progress)
    assert caught.value is trouble and "fail" in [frame.name for frame in caught.traceback]
    kept = sim.trajectory
    assert len(kept) >= 1 and sim.time > 0.0
    if where != "progress":
        assert sim.step_count in (200, 201) and len(kept) == 21
    rest = sim.run()
    again = plain.run()
    assert rest.final_state == again.final_state
    np.testing.assert_array_equal(rest.time, again.time)
    np.testing.assert_array_equal(rest["joint_torque"], again["joint_torque"])


def test_a_run_folder_says_that_it_failed_and_can_be_resumed(floor: coluber.Scenario, tmp_path: Path) -> None:
    armed = True

    def gait(t: float) -> tuple[np.ndarray, np.ndarray]:
        if armed and t > 0.2:
            raise Trouble("no more")
        return wave(t)

    sim = coluber.Simulation(floor)
    sim.gait = gait
    with pytest.raises(Trouble):
        sim.record(tmp_path / "run")
    run = coluber.open_run(tmp_path / "run")
    assert run.status == "failed" and "Trouble: no more" in run.message and len(run) == 21
    armed = False
    again = coluber.Simulation(floor)
    again.gait = gait
    resumed = again.record(tmp_path / "run", resume=True)
    plain = coluber.Simulation(floor)
    plain.gait = gait
    assert resumed.status == "completed" and resumed.final_state == plain.run().final_state


def test_run_folders_are_not_overwritten(floor: coluber.Scenario, tmp_path: Path) -> None:
    coluber.Simulation(floor).record(tmp_path / "run")
    assert (tmp_path / "run/replay.html").stat().st_size > 100_000
    with pytest.raises(coluber.FolderExists, match="force"):
        coluber.Simulation(floor).record(tmp_path / "run")
    assert coluber.Simulation(floor).record(tmp_path / "run", force=True).status == "completed"
    with pytest.raises(coluber.RunEnded):
        coluber.Simulation(floor).record(tmp_path / "run", resume=True)
    moved = coluber.Simulation(floor)
    moved.step(5)
    with pytest.raises(coluber.Error, match="begins at the start"):
        moved.record(tmp_path / "other")


def test_one_simulation_is_for_one_caller(floor: coluber.Scenario) -> None:
    sim = coluber.Simulation(floor.replace({"duration": 1e3}))
    stop = threading.Event()
    errors: list[BaseException] = []

    def other() -> None:
        while not stop.is_set():
            try:
                sim.step(200)
            except coluber.Error as error:
                errors.append(error)

    thread = threading.Thread(target=other)
    thread.start()
    for _ in range(1000):
        try:
            sim.step(20)
        except coluber.Error as error:
            errors.append(error)
    stop.set()
    thread.join()
    assert errors and all("is being stepped" in str(error) for error in errors)
    sim.step()


def test_another_thread_cannot_read_what_is_being_stepped(floor: coluber.Scenario) -> None:
    sim = coluber.Simulation(floor)
    begun, heard = threading.Event(), threading.Event()
    said: list[str] = []

    def gait(t: float) -> tuple[np.ndarray, np.ndarray]:
        if sim.step_count > 50 and not begun.is_set():  # its own thread may read
            begun.set()
            assert heard.wait(60)
        return wave(t)

    def other() -> None:
        begun.wait(60)
        for read in (lambda: sim.trajectory, lambda: sim.time, lambda: sim.step_count, lambda: sim.state_hash):
            try:
                read()
            except coluber.Error as error:
                said.append(str(error))
        said.append(repr(sim))
        heard.set()

    sim.gait = gait
    thread = threading.Thread(target=other)
    thread.start()
    run = sim.run()
    thread.join()
    assert said[:-1] == 4 * ["this simulation is being stepped: another thread cannot read it meanwhile"]
    assert "being stepped" in said[-1]
    assert len(sim.trajectory.time) == len(run.time) and sim.state_hash == run.final_state


def test_a_callback_reads_the_frames_so_far(floor: coluber.Scenario) -> None:
    sim = coluber.Simulation(floor)
    counts: list[int] = []

    def gait(t: float) -> tuple[np.ndarray, np.ndarray]:
        counts.append(len(sim.trajectory.time) if sim.trajectory else 0)
        return wave(sim.time)

    sim.gait = gait
    run = sim.run()
    assert 0 < max(counts) <= len(run.time)


def test_a_callback_cannot_step_its_own_simulation_but_look_at_it(floor: coluber.Scenario) -> None:
    sim = coluber.Simulation(floor)
    places: list[float] = []

    def controller(input: coluber.ControlInput) -> np.ndarray:
        places.append(float(sim["link_position"][0, 0]))
        for change in (lambda: sim.step(), lambda: sim.run(), lambda: setattr(sim, "gait", None), lambda: sim.state):
            with pytest.raises(coluber.Error, match="is being stepped"):
                change()
        return np.zeros(10)

    sim.controller = controller
    for _ in range(100):
        sim.step()
    assert len(places) == 100
    other = coluber.Simulation(floor)

    def nested(t: float) -> tuple[np.ndarray, np.ndarray]:
        other.step()
        return wave(t)

    sim.controller = None
    sim.gait = nested
    sim.step(10)
    assert other.step_count >= 10


def test_eight_threads_give_the_bits_of_one(floor: coluber.Scenario) -> None:
    scenarios = [floor.replace({"world.friction": [0.2, 0.2 + 0.02 * i]}) for i in range(8)]
    alone = [coluber.Simulation(s).run().final_state for s in scenarios]
    found: dict[int, str] = {}

    def work(i: int) -> None:
        found[i] = coluber.Simulation(scenarios[i]).run().final_state

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[i] for i in range(8)] == alone


def test_another_thread_works_while_this_one_steps() -> None:
    sim = coluber.Simulation("aiko_floor")
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted
    sim.step(200_000)
    during = counted - before
    done.set()
    thread.join()
    assert during > 1000


def test_callbacks_that_refer_to_their_simulation_are_collected(floor: coluber.Scenario) -> None:
    class Marker:
        pass

    gone = []
    for _ in range(5):
        sim = coluber.Simulation(floor)
        marker = Marker()
        gone.append(weakref.ref(marker))

        class Gait:
            def __init__(self, sim: Any, marker: Any) -> None:
                self.sim, self.marker = sim, marker

            def evaluate(self, t: float) -> Any:
                return wave(t)

        sim.gait = Gait(sim, marker)
        sim.controller = lambda input, sim=sim, marker=marker: np.zeros(10)
        sim.step(3)
        del sim, marker
    gc.collect()
    assert all(ref() is None for ref in gone)


def test_a_scenario_stops_where_it_says() -> None:
    sim = coluber.Simulation("aiko_until_past")
    t = sim.run()
    assert t.stopped_by == "stop.past_x" and t.status == "completed"
    again = coluber.Simulation("aiko_until_past")
    info = again.step(10**9)
    assert info.end == "stopped" and info.stopped_by == "stop.past_x" and again.state_hash == t.final_state


def test_studies_run_by_name(tmp_path: Path) -> None:
    t = coluber.run("holden_corrected", study="force-map")
    assert t.status == "completed" and t.report and len(t) >= 1
    run = coluber.run("holden_pegs", study="quality", folder=tmp_path / "quality")
    assert (tmp_path / "quality/run.json").exists() and len(run) > 1
    with pytest.raises(coluber.InputError, match="did you mean quality"):
        coluber.run("holden_pegs", study="qality")


def test_trajectories_become_tables(floor: coluber.Scenario) -> None:
    t = coluber.run(floor)
    assert len(t) == 51 and t.time[-1] == 0.5 and t["link_position"].shape == (51, 11, 2) and "energy" in t
    frame = t.to_pandas()
    assert frame["link_position.6.x"].iloc[-1] == t["link_position"][-1, 5, 0]
    data = t.to_xarray()
    assert data["joint_torque"].attrs["units"] == "N m" and data["link_position"].dims[0] == "time"
    assert t.units["displacement"] == "m" and t.summary["failed_steps"] == 0
    with pytest.raises(coluber.InputError, match="did you mean joint_angle"):
        t["joint_angel"]


def test_a_trajectory_shows_itself_as_the_replay_page(floor: coluber.Scenario) -> None:
    text = coluber.run(floor)._repr_html_()
    assert text.startswith('<iframe sandbox="allow-scripts"') and "coluber-run" in text


def test_run_folders_are_read(floor: coluber.Scenario, tmp_path: Path) -> None:
    t = coluber.run(floor)
    run = coluber.run(floor, folder=tmp_path / "run")
    assert run.final_state == t.final_state and run.run["seed"] == 0
    for name in t:
        np.testing.assert_array_equal(run[name], t[name])
    with pytest.raises(coluber.InputError, match="nowhere"):
        coluber.open_run(tmp_path / "nowhere")
