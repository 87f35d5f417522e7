"""Values of Python as TOML."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import tomli_w

from .errors import Fault, InputError


def plain(value: Any, key: str = "") -> Any:
    """``value`` as bool, int, float, str, list or dict; None entries of dicts are left out."""
    if isinstance(value, (bool, int, float, str)) and type(value) in (bool, int, float, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), key)
    if isinstance(value, Mapping):
        table: dict[str, Any] = {}
        for name, entry in value.items():
            if not isinstance(name, str):
                raise InputError(Fault(key=key, message=f"expected keys that are texts, got {name!r}"))
            if entry is not None:
                table[name] = plain(entry, f"{key}.{name}" if key else name)
        return table
    if isinstance(value, (list, tuple)):
        return [plain(entry, key) for entry in value]
    kind = "None" if value is None else f"a {type(value).__name__}"
    raise InputError(Fault(key=key, message=f"expected a number, a text, a list or a table, got {kind}"))


def _quote(text: str) -> str:
    # TOML knows no surrogate pairs, and wants U+007F escaped
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def inline(value: Any) -> str:
    """A plain value as TOML in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return "nan"
        return repr(value) if math.isfinite(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quote(name)} = {inline(entry)}" for name, entry in value.items()) + "}"
    return "[" + ", ".join(inline(entry) for entry in value) + "]"


def overrides(changes: Mapping[str, Any] | None) -> list[str]:
    """``{"solver.dt": 5e-4}`` as the library takes it: ``solver.dt=0.0005``."""
    if changes is None:
        return []
    if not isinstance(changes, Mapping):
        raise TypeError(f"overrides are a dict of keys and values, not a {type(changes).__name__}")
    for key in changes:
        if not isinstance(key, str):
            raise InputError(Fault(message=f"expected keys that are texts, got {key!r}"))
        if not key or "=" in key or "\n" in key:
            raise InputError(Fault(key=key, message="no scenario key has such a name"))
    return [f"{key}={inline(plain(value, key))}" for key, value in changes.items()]


def dumps(table: dict[str, Any]) -> str:
    """A plain table as a TOML file."""
    return tomli_w.dumps(table)
