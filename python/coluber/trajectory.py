"""Frames of a run, in memory or from a run folder."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .data import viewer
from .errors import Error, Fault, InputError

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas
    import xarray

__all__ = ["Observable", "Run", "Trajectory", "open_run"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Observable:
    """One named quantity that a simulation shows."""

    name: str
    unit: str
    """SI unit; empty for a pure number."""
    doc: str
    shape: tuple[int, ...]
    """Per frame: () for a scalar, (11,) by link, (11, 2) by link and axis."""
    components: tuple[str, ...]
    """Labels of the last axis, if it has any: x, y, z."""

    @property
    def size(self) -> int:
        """Numbers per frame."""
        return int(np.prod(self.shape, dtype=int))


def observable_table(rows: list[tuple[Any, ...]]) -> dict[str, Observable]:
    """By name, in their order."""
    return {row[0]: Observable(*row) for row in rows}


class Trajectory:
    """What a run has recorded: ``t["joint_angle"]`` has the shape (frames, joints).

    Arrays are views of one table and belong to the trajectory.
    """

    def __init__(self, data: Mapping[str, Any], scenario: Any = None) -> None:
        self._time: Array = data.get("time", np.zeros(0))
        self._values: Array = data.get("values", np.zeros((0, 0)))
        self._observables = observable_table(data.get("observables", []))
        self._offsets: dict[str, int] = {}
        offset = 0
        for name, row in self._observables.items():
            self._offsets[name] = offset
            offset += row.size
        self._replay: tuple[str, bytes] | None = data.get("replay")
        self.status: str = data.get("status", "running")
        """How the run ended: "completed", "interrupted", "failed"; "running": it has not."""
        self.message: str = data.get("message", "")
        """Why it ended early; empty if it did not."""
        self.stopped_by: str = data.get("stopped_by", "")
        """The key of [stop] that ended it; empty if none did."""
        self.warnings: list[str] = list(data.get("warnings", []))
        """What a user should know of it."""
        self.summary: dict[str, float | int | str] = dict(data.get("summary", {}))
        """Figures of the run, SI units."""
        self.units: dict[str, str] = dict(data.get("units", {}))
        """Their units."""
        self.final_state: str = data.get("final_state", "")
        """Hash of the state at its end, 16 hex digits."""
        self.wall_seconds: float = data.get("wall_seconds", 0.0)
        """What it took (s)."""
        self.report: str = data.get("report", "")
        """Of a study: its table for people."""
        self.scenario = scenario
        """The scenario it is of."""

    @property
    def time(self) -> Array:
        """Time of each frame (s)."""
        return self._time

    @property
    def observables(self) -> dict[str, Observable]:
        """Name, unit, doc, shape and components of what it holds."""
        return dict(self._observables)

    def __len__(self) -> int:
        return len(self._time)

    def __iter__(self) -> Iterator[str]:
        return iter(self._observables)

    def __contains__(self, name: object) -> bool:
        return name in self._observables

    def __getitem__(self, name: str) -> Array:
        """All frames of an observable (SI units)."""
        row = self._observables.get(name)
        if row is None:
            near = _core.nearest(str(name), list(self._observables))
            hint = f"did you mean {near}?" if near else f"there are: {', '.join(self._observables)}"
            raise InputError(Fault(key=str(name), message="no observable of this run", hint=hint))
        offset = self._offsets[name]
        return self._values[:, offset : offset + row.size].reshape(len(self._time), *row.shape)

    def _columns(self) -> list[str]:
        names: list[str] = []
        for name, row in self._observables.items():
            for index in np.ndindex(*row.shape):
                labels = [str(i + 1) for i in index]
                if row.components and labels:
                    labels[-1] = row.components[index[-1]]
                names.append(".".join([name, *labels]))
        return names

    def to_pandas(self) -> pandas.DataFrame:
        """A table with a column per number, named as in the CSV file, over time (s)."""
        import pandas

        index = pandas.Index(self._time, name="time")
        return pandas.DataFrame(self._values, index=index, columns=self._columns())

    def to_xarray(self) -> xarray.Dataset:
        """A dataset with a variable per observable, over time (s)."""
        import xarray

        variables = {}
        coordinates: dict[str, Any] = {"time": ("time", self._time, {"units": "s"})}
        for name, row in self._observables.items():
            dims = ["time"]
            for axis, extent in enumerate(row.shape):
                last = axis == len(row.shape) - 1
                if row.components and last:
                    dim = "axis_" + "".join(row.components)
                    coordinates[dim] = list(row.components)
                else:
                    dim = f"{name.split('_')[0]}_{extent}"
                    coordinates[dim] = np.arange(1, extent + 1)
                dims.append(dim if dim not in dims else f"{dim}_{axis}")
            variables[name] = (dims, self[name], {"units": row.unit, "long_name": row.doc})
        return xarray.Dataset(variables, coords=coordinates, attrs={"title": getattr(self.scenario, "title", "")})

    def plot(self, *names: str, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Draws observables over time; without names, the path of the robot."""
        from . import plots

        return plots.plot(self, *names, ax=ax)

    def _packed(self) -> str:
        if self._replay is None or len(self) == 0:
            raise Error("this run has no frames to show")
        header, values = self._replay
        run = {
            "title": getattr(self.scenario, "title", ""),
            "status": self.status,
            "scenario": {"resolved": json.loads(self.scenario._core.resolved) if self.scenario is not None else {}},
            "summary": {name: value for name, value in self.summary.items() if value == value},
            "units": self.units,
            "version": _core.__version__,
            "warnings": self.warnings,
        }
        with tempfile.TemporaryDirectory(prefix="coluber-") as folder:
            place = Path(folder)
            (place / "replay.json").write_text(header, encoding="utf-8")
            (place / "replay.bin").write_bytes(values)
            (place / "run.json").write_text(json.dumps(run), encoding="utf-8")
            (place / "trajectory.h5").touch()  # a whole folder, not one that was cut off
            return _core.pack_run(place)

    def to_html(self) -> str:
        """The page that replays the run, in one text."""
        return page(self._packed())

    def _repr_html_(self) -> str:
        try:
            return frame(self.to_html())
        except Exception as error:  # a notebook shows what there is
            return f"<pre>{html.escape(repr(self))}\n{html.escape(str(error))}</pre>"

    def __repr__(self) -> str:
        span = f"{self._time[0]:g} to {self._time[-1]:g} s" if len(self) else "empty"
        return f"<{type(self).__name__}: {self.status}, {len(self)} frames, {span}>"


class Run(Trajectory):
    """A run folder: the frames of a Trajectory, and ``run.json``."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        data = _core.load_run(folder)
        run: dict[str, Any] = json.loads(data["run"])
        summary = dict(run.get("summary") or {})
        super().__init__(
            {
                **data,
                "status": run.get("status", ""),
                "message": run.get("message") or "",
                "stopped_by": run.get("stopped_by") or "",
                "warnings": run.get("warnings") or [],
                "summary": summary,
                "units": run.get("units") or {},
                "final_state": summary.get("final_state", ""),
            }
        )
        self.folder = Path(folder)
        """Where it is."""
        self.run = run
        """What run.json holds: version, scenario text and hash, options, seed, summary."""

    def _packed(self) -> str:
        return _core.pack_run(self.folder)

    def __repr__(self) -> str:
        return f"<Run {str(self.folder)!r}: {self.status}, {len(self)} frames>"


def open_run(folder: str | os.PathLike[str]) -> Run:
    """Reads a run folder, also one that is still being written."""
    return Run(folder)


_mark = "<!--COLUBER_DATA-->"
_policy = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)


def page(packed: str) -> str:
    """The viewer's page with a packed run in it."""
    text = viewer()
    if text is None or text.count(_mark) != 1:
        raise Error("the viewer's page is not in this installation; script/viewer builds it")
    data = (
        f'<meta http-equiv="Content-Security-Policy" content="{_policy}">\n'
        f'<script type="application/json" {_core.page_mark}>{packed}</script>\n'
    )
    return text.replace(_mark, data)


def frame(text: str, height: int = 520) -> str:
    """A page as a sandboxed frame of a notebook."""
    return (
        f'<iframe sandbox="allow-scripts" style="width:100%;height:{height}px;border:1px solid #ccc" '
        f'srcdoc="{html.escape(text, quote=True)}"></iframe>'
    )


def save_page(folder: str | os.PathLike[str]) -> bool:
    """Writes ``replay.html`` into a run folder. False: there is no viewer's page to write."""
    if viewer() is None:
        return False
    place = Path(folder)
    draft = place / f".replay.html.{os.getpid()}"
    draft.write_text(page(_core.pack_run(place)), encoding="utf-8")
    draft.replace(place / "replay.html")
    return True
