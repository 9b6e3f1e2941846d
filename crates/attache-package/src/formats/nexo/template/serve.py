"""Serves this agent's instructions over MCP. Made by a conversion; add your own tools below."""

from pathlib import Path

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError:  # The SDK before 2.0 has the same classes in another place.
    from mcp.server.fastmcp import FastMCP as MCPServer
    from mcp.server.fastmcp.exceptions import ToolError

# Not resolved: a host may link these files to a store that is laid out differently.
ROOT = Path(__file__).absolute().parent.parent
INSTRUCTIONS = {
    path.relative_to(ROOT / "instructions").with_suffix("").as_posix(): path
    for path in sorted((ROOT / "instructions").rglob("*.md"))
}

server = MCPServer("@NAME@")


@server.prompt()
def persona() -> str:
    """Who this agent is and how it should behave."""
    return INSTRUCTIONS["persona"].read_text(encoding="utf-8")


@server.tool()
def list_instructions() -> list[str]:
    """Lists the names that read_instructions takes."""
    return list(INSTRUCTIONS)


@server.tool()
def read_instructions(name: str) -> str:
    """Returns one of the agent's instructions, such as `persona`."""
    if name not in INSTRUCTIONS:
        raise ToolError(f"there are no instructions called {name!r}")
    return INSTRUCTIONS[name].read_text(encoding="utf-8")


if __name__ == "__main__":
    server.run(transport="stdio")
