"""``python -m cosyvoice``: the ``cosyvoice`` command."""

from cosyvoice.cli import main

main()
