"""Recognised words as they would be written: English numbers, times, dates and money with digits.

A stretch of words (``phrase``) has its numbers found by text2num, an extra. The rules (``rules``, ``clock``, ``money``,
``digits``) are asked in turn at each word; what none of them knows stays as it was said.
"""

from cosyvoice.text.itn import NoNumberGrammar, check, display

__all__ = ["NoNumberGrammar", "check", "display"]
