"""The agent's MCP server. The host starts it in this folder and speaks over stdin and stdout."""

from pathlib import Path

try:
    from mcp.server.mcpserver import MCPServer
except ImportError:  # The SDK before 2.0 has the same class under its first name.
    from mcp.server.fastmcp import FastMCP as MCPServer

# Not resolved: a host may link these files to a store that is laid out differently.
ROOT = Path(__file__).absolute().parent.parent

server = MCPServer("@NAME@")


@server.prompt()
def persona() -> str:
    """Who this agent is and how it should behave."""
    return (ROOT / "instructions" / "persona.md").read_text(encoding="utf-8")


@server.tool()
def greet(name: str) -> str:
    """Greets someone by name."""
    return f"Hello, {name}!"


if __name__ == "__main__":
    server.run(transport="stdio")
