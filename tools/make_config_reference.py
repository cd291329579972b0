"""Write docs/reference/configuration.md from the schema of the compiled core, or check that it is what would be written.

python tools/make_config_reference.py [--check]
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from made_file import write_or_check

from cosyvoice import _native

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "configuration.md"

HEAD = """# Configuration

<!-- Written by tools/make_config_reference.py from src/config/schema.cc: change that. -->

One YAML file configures an engine. Every key is optional; a key that no section knows is refused, with the line and what is
known. Times are milliseconds.

```sh
cosyvoice config --print > cosyvoice.yaml     # every key with its default and what it does
cosyvoice config --check cosyvoice.yaml       # good, or the line, the key and the remedy; exit code 1
cosyvoice config --print cosyvoice.yaml       # what holds in the end, and where each value comes from
```

Python: `Engine(config="cosyvoice.yaml")` or `EngineConfig.load("cosyvoice.yaml")`; C++: `Engine::from_config("cosyvoice.yaml")`;
on the command line `--config`, or the variable `COSYVOICE_CONFIG`.

The nearest wins: keywords and options of the command line, then variables of the environment, then the file, then the defaults.
A variable that begins like those of a section and is no key is refused as a misspelling. Variables are read whenever a
configuration is: by `--config` and every command, `EngineConfig.load` and `from_config`, not by `Engine()` alone.

A relative `model.path` lies beside the file (of a variable, in the working directory). The file is read once, at start.
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for section, keys in groupby(_native.config_schema(), key=lambda row: row["section"]):
        rows = list(keys)
        parts.append(
            f"\n## {section}\n\n{rows[0]['section_effect']}\n\n| key | default | values | effect |\n|---|---|---|---|\n"
        )
        parts += [
            f"| `{row['key']}` | `{row['default']}` | {row['expected'].replace(' | ', ', ')} | {row['effect']} |\n"
            for row in rows
        ]
    parts.append(
        "\n## Other names\n\nEach key as a variable, and as the keyword of `Engine` and the field of `EngineConfig`.\n\n"
        "| key | variable | keyword |\n|---|---|---|\n"
    )
    parts += [
        f"| `{row['section']}.{row['key']}` | `{row['environment']}` | `{row['option']}` |\n"
        for row in _native.config_schema()
    ]
    return "".join(parts)


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page(), __doc__))
