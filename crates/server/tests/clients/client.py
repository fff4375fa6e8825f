"""Lists and calls everything with the official Python client, of version 1 or 2."""

import asyncio
import sys

from calls import TOOLS, calls

binary, project, url, transport, mode, handle = sys.argv[1:]


async def check(client, is_new):
    tools = await client.list_tools()
    names = [tool.name for tool in tools.tools]
    assert names == TOOLS, names
    told = []

    async def progress(done, total, message):
        told.append(done)

    for name, arguments, expected in calls(handle):
        result = await client.call_tool(name, arguments, progress_callback=progress)
        text = result.content[0].text
        assert expected in text, f"{name} {arguments}: {text}"
    assert told, "no progress was told"
    result = await client.call_tool("read", {"path": "../../etc/passwd"})
    is_error = result.is_error if is_new else result.isError
    assert is_error and "outside the served directories" in result.content[0].text
    resources = await client.list_resources()
    assert any(handle in str(it.uri) for it in resources.resources), resources
    uri = f"loadline://recall/{handle}:1"
    if not is_new:
        from pydantic import AnyUrl
        uri = AnyUrl(uri)
    read = await client.read_resource(uri)
    assert "Make sessions expire in time." in read.contents[0].text, read
    prompts = await client.list_prompts()
    assert [it.name for it in prompts.prompts] == ["handoff"], prompts
    prompt = await client.get_prompt("handoff", {})
    assert "# Handoff" in prompt.messages[0].content.text, prompt


async def version_2():
    from mcp import Client, StdioServerParameters
    server = url
    if transport == "stdio":
        server = StdioServerParameters(command=binary, args=["mcp"], cwd=project, env=environment())
    async with Client(server, mode=mode) as client:
        expected = "2026-07-28" if mode != "legacy" else "2025-11-25"
        assert client.protocol_version == expected, client.protocol_version
        await check(client, is_new=True)


async def version_1():
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client
    if transport == "stdio":
        server = StdioServerParameters(command=binary, args=["mcp"], cwd=project, env=environment())
        opened = stdio_client(server)
    else:
        opened = streamablehttp_client(url)
    async with opened as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            await check(session, is_new=False)


def environment():
    import os
    names = ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "PATH"]
    return {name: os.environ[name] for name in names if name in os.environ}


def is_version_2():
    from importlib.metadata import version
    return int(version("mcp").split(".")[0]) >= 2


asyncio.run(asyncio.wait_for(version_2() if is_version_2() else version_1(), 120))
