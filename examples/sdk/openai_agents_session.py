"""A session of the OpenAI Agents SDK that hands over no more than a budget.

    Runner.run(agent, "go on", session=TrimmedSession("user-1", "sessions.db", budget=32_000))

Everything stays in the database; what a run begins with is the trimmed list.
"""

from __future__ import annotations

from typing import Any, List, Optional

from agents import SQLiteSession

import loadline


class TrimmedSession(SQLiteSession):
    def __init__(self, session_id: str, db_path: str = ":memory:", *, budget: int,
                 model: Optional[str] = None) -> None:
        super().__init__(session_id, db_path)
        self.budget, self.model = budget, model

    async def get_items(self, limit: Optional[int] = None) -> List[Any]:
        items = await super().get_items(limit)
        return loadline.trim_messages(items, self.budget, model=self.model)
