"""The tool `greet`: reads its input as JSON from stdin and writes its result to stdout."""

import json
import sys


def greet(name: str) -> dict:
    """Greets someone by name."""
    return {"text": f"Hello, {name}!"}


if __name__ == "__main__":
    print(json.dumps(greet(**json.load(sys.stdin))))
