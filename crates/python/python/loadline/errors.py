"""Errors of the library: one class per code, all of them a LoadlineError."""

from __future__ import annotations

from typing import Dict, Optional, Type


class LoadlineError(Exception):
    """What went wrong, with a stable code and, where there is one, the next step."""

    code: str = ""
    hint: Optional[str] = None


_classes: Dict[str, Type[LoadlineError]] = {}


def by_code(code: str) -> Type[LoadlineError]:
    """The class of a code, such as LL-CTX-003; `except by_code("LL-CTX-003")` catches it."""
    if code not in _classes:
        _classes[code] = type(code.replace("-", "_"), (LoadlineError,), {"code": code})
    return _classes[code]


def make(code: str, message: str, hint: Optional[str]) -> LoadlineError:
    error = by_code(code)(f"{message}; {hint}" if hint else message)
    error.hint = hint
    return error
