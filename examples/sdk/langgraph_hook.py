"""Keeps an agent of LangGraph under a budget: give `hook(32_000)` as its pre_model_hook.

The graph's state keeps every message; the model sees the trimmed list.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

import loadline


def hook(budget: int, *, model: Optional[str] = None) -> Callable[[Dict[str, Any]], Dict[str, Any]]:
    def trim(state: Dict[str, Any]) -> Dict[str, Any]:
        return {"llm_input_messages": loadline.trim_messages(state["messages"], budget, model=model)}

    return trim
