"""The examples for SDKs, with the real packages where they are installed."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

import loadline
from test_loadline import messages

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples/sdk"))


def test_a_hook_of_langgraph():
    prebuilt = pytest.importorskip("langgraph.prebuilt")
    core = pytest.importorskip("langchain_core.messages")
    fake = pytest.importorskip("langchain_core.language_models.fake_chat_models")
    from langgraph_hook import hook

    seen = []

    class Model(fake.FakeListChatModel):
        def _call(self, given, *arguments, **named):
            seen.append(given)
            return super()._call(given, *arguments, **named)

    history = core.convert_to_messages(json.loads(loadline.convert(messages(60), "openai-chat")))
    agent = prebuilt.create_react_agent(Model(responses=["done"]), [], pre_model_hook=hook(3_000))
    state = agent.invoke({"messages": [*history, core.HumanMessage("go on")]})
    assert len(state["messages"]) == len(history) + 2, "the state keeps everything"
    assert len(seen[0]) < len(history)
    assert "Never touch tests." in str(seen[0][0].content)
    assert seen[0][-1].content == "go on"


def test_a_session_of_the_agents_sdk():
    pytest.importorskip("agents")
    from openai_agents_session import TrimmedSession

    items = json.loads(loadline.convert(messages(60), "openai-responses"))
    items = items["input"] if isinstance(items, dict) else items

    async def trial():
        session = TrimmedSession("one", budget=3_000)
        await session.add_items(items)
        trimmed = await session.get_items()
        await session.add_items([{"role": "user", "content": "go on"}])
        return trimmed, await session.pop_item()

    trimmed, last = asyncio.run(trial())
    assert len(trimmed) < len(items)
    calls = {it["call_id"] for it in trimmed if it.get("type") == "function_call"}
    answers = {it["call_id"] for it in trimmed if it.get("type") == "function_call_output"}
    assert calls == answers
    assert last["content"] == "go on"
