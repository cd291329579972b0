"""Write docs/reference/models.md from the cards of the embedded bundles, or check that it is what would be written.

python tools/make_model_reference.py [--check]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from made_file import write_or_check

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "python" / "cosyvoice" / "models"
PAGE = ROOT / "docs" / "reference" / "models.md"

HEAD = """# The embedded networks

<!-- Written by tools/make_model_reference.py from the bundles' MODEL_CARD.md: change those. -->

The cards of the bundles that come with the package; `cosyvoice model card NAME` prints one. How they were made step by step
is in [recipes](../../recipes/README.md).
"""


def page() -> str:
    """The whole page: each card one level of headings below it."""
    cards = [path.read_text("utf-8") for path in sorted(MODELS.glob("*/MODEL_CARD.md"))]
    return HEAD + "".join("\n" + re.sub(r"^#", "##", card, flags=re.MULTILINE) for card in cards)


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page(), __doc__))
