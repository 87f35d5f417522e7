"""Scenarios: a robot, its world, its gait and controller, as a validated value."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import _core, _toml
from .data import scenario_path
from .errors import Fault, InputError

__all__ = ["Scenario", "load", "parse"]

Path_ = str | os.PathLike[str]


def load(scenario: Path_, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """Loads a file, or a scenario that comes with Coluber by its name.

    Raises InputError with every fault of the file and of the overrides.

    >>> s = load("aiko_floor", {"gait.amplitude_deg": 35.0})
    >>> s["gait.amplitude_deg"]
    35.0
    """
    return Scenario(_core.load(scenario_path(scenario), _toml.overrides(overrides)))


def parse(text: str, overrides: Mapping[str, Any] | None = None, folder: Path_ = ".", name: str = "<text>") -> Scenario:
    """A scenario from TOML text; includes and tables are relative to ``folder``.

    ``name`` is what faults call the text.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected a text, got a {type(text).__name__}")
    return Scenario(_core.parse(text, folder, _toml.overrides(overrides), name))


class Scenario:
    """A validated scenario. It never changes; ``replace`` makes another one.

    >>> s = load("aiko_floor")
    >>> s["solver.dt"]
    0.001
    >>> s.replace({"solver.dt": 5e-4})["solver.dt"]
    0.0005
    """

    __slots__ = ("_core", "_values", "__weakref__")

    def __init__(self, core: _core.Scenario) -> None:
        if not isinstance(core, _core.Scenario):
            raise TypeError("use coluber.load, coluber.parse or Scenario.from_dict")
        self._core = core
        self._values: dict[str, Any] | None = None

    @staticmethod
    def from_dict(values: Mapping[str, Any], folder: Path_ = ".") -> Scenario:
        """From tables of keys, as ``to_dict`` gives them: ``{"solver": {"dt": 1e-3}, …}``.

        NumPy numbers and arrays are taken too, entries that are None are left out. Relative paths
        are relative to ``folder``.
        """
        if not isinstance(values, Mapping):
            raise TypeError(f"expected a dict, got a {type(values).__name__}")
        text = _toml.dumps(_toml.plain(values))
        try:
            return Scenario(_core.parse(text, folder, [], "<dict>"))
        except InputError as error:  # lines of the text are nobody's
            faults = (Fault(f.file, 0, 0, f.key, f.message, f.hint) if f.file == "<dict>" else f for f in error.faults)
            raise InputError(*faults) from None

    def _table(self) -> dict[str, Any]:
        if self._values is None:
            table: dict[str, Any] = _infinite(json.loads(self._core.resolved))
            for key, file in self._core.files.items():  # the contents count: these are their places
                *path, last = key.split(".")
                section = table
                for word in path:
                    section = section[word]
                section[last] = file
                section.pop(last + "_hash", None)
            self._values = table
        return self._values

    def __getitem__(self, key: str) -> Any:
        """The value of a key, its default if it was not given: ``s["world.obstacle.2.x"]``."""
        if not isinstance(key, str):
            raise TypeError(f"a key is a text such as 'solver.dt', not a {type(key).__name__}")
        value: Any = self._table()
        done: list[str] = []
        for word in key.split("."):
            if isinstance(value, dict) and word in value:
                value = value[word]
            elif isinstance(value, list) and word.isdigit() and 1 <= int(word) <= len(value):
                value = value[int(word) - 1]
            else:
                names = list(value) if isinstance(value, dict) else []
                near = _core.nearest(word, names)
                hint = f"did you mean {'.'.join([*done, near])}?" if near else ""
                raise InputError(Fault(key=key, message="this scenario has no such key", hint=hint))
            done.append(word)
        return _copy(value)

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        try:
            self[key]
        except InputError:
            return False
        return True

    def to_dict(self) -> dict[str, Any]:
        """The keys that were given, with their values, in tables: a scenario file as a dict. Paths are absolute."""
        return _given(self._table(), "", set(self._core.given))

    def resolved(self) -> dict[str, Any]:
        """Every key of its components with its value, defaults too."""
        copied: dict[str, Any] = _copy(self._table())
        return copied

    def to_toml(self) -> str:
        """The same as to_dict, as the text of a scenario file."""
        return _toml.dumps(_toml.plain(self.to_dict()))

    def replace(self, changes: Mapping[str, Any]) -> Scenario:
        """Another scenario with other values: ``s.replace({"world.friction": [0.3, 0.3]})``."""
        return Scenario(_core.parse(self.to_toml(), ".", _toml.overrides(changes), self.title or "<scenario>"))

    @property
    def hash(self) -> str:
        """Hash of all values, 16 hex digits, as in run.json."""
        return self._core.hash

    @property
    def title(self) -> str:
        """Its title."""
        return str(self._core.title)

    @property
    def duration(self) -> float:
        """Simulated time of a run (s)."""
        return self._core.duration

    @property
    def seed(self) -> int:
        """Seed of its random numbers."""
        return self._core.seed

    @property
    def model(self) -> str:
        """Name of its model, ``robot.model``."""
        return str(self._core.model)

    @property
    def path(self) -> Path | None:
        """The file it was loaded from."""
        return Path(str(self._core.path)) if self._core.path else None

    @property
    def warnings(self) -> list[str]:
        """What has no effect in it, or is odd."""
        return self._core.warnings

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.hash == other.hash

    def __hash__(self) -> int:
        return int(self.hash, 16)

    def __repr__(self) -> str:
        return f"<Scenario {self.title!r}: model {self.model}, {self.duration:g} s, hash {self.hash}>"

    def __copy__(self) -> Scenario:
        return self

    def __deepcopy__(self, memo: object) -> Scenario:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_text, (self.to_toml(), self.title)


def _from_text(text: str, name: str) -> Scenario:
    return Scenario(_core.parse(text, ".", [], name or "<scenario>"))


def _infinite(value: Any) -> Any:
    """JSON as TOML would have it: no nulls, "inf" is a number."""
    if isinstance(value, dict):
        return {name: _infinite(entry) for name, entry in value.items() if entry is not None}
    if isinstance(value, list):
        return [_infinite(entry) for entry in value]
    return {"inf": float("inf"), "-inf": float("-inf")}.get(value, value) if isinstance(value, str) else value


def _given(table: dict[str, Any], prefix: str, given: set[str]) -> dict[str, Any]:
    """What of the table was given: many a default is refused where it has no meaning."""
    out: dict[str, Any] = {}
    # a key that is no value any more, such as the file of a table, has become a list beside it
    words = {key[len(prefix) :] for key in given if key.startswith(prefix)}
    read = any("." not in word and word not in table for word in words) and prefix != ""
    for name, value in table.items():
        key = prefix + name
        if isinstance(value, dict):
            inside = _given(value, key + ".", given)
            alike = f"{key}.1" in given  # a list of entries that are all alike: one table stands for them
            if alike:
                inside = _copy(value)
            if inside or key in given:
                out[name] = inside
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            places = [f"{key}.{i + 1}" for i in range(len(value))]
            if all(place in given for place in places):
                out[name] = [_given(entry, place + ".", given) for entry, place in zip(value, places)]
            elif any(other.startswith(key + ".") for other in given):
                out[name] = _copy(value)
        elif key in given or (read and isinstance(value, list) and value):
            out[name] = _copy(value)
    return out


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copy(entry) for name, entry in value.items()}
    return [_copy(entry) for entry in value] if isinstance(value, list) else value
