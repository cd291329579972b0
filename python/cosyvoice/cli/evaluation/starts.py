"""When words are said to begin, against manifests that know it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cosyvoice.cli.evaluation.edits import Pair


def errors_ms(pairs: Iterable[Pair], wanted_ms: Sequence[int], heard_ms: Sequence[int]) -> tuple[int, ...]:
    """How much later than wanted each word begins that was heard as it was said; both lists are in the order of words."""
    wanted, heard = iter(wanted_ms), iter(heard_ms)
    found = []
    for said, got in pairs:
        due = next(wanted) if said is not None else 0
        came = next(heard) if got is not None else 0
        if said is not None and said == got:
            found.append(came - due)
    return tuple(found)


def starts_row(errors: Counter[int]) -> dict[str, int] | None:
    """Median and P90 of the absolute errors, and the median of the errors, above 0 where words begin too late."""
    count = errors.total()
    if count == 0:
        return None
    signed = sorted(errors.elements())
    absolute = sorted(map(abs, signed))
    return {
        "median_error": absolute[(count - 1) // 2],
        "p90_error": absolute[-(-9 * count // 10) - 1],
        "median_lateness": signed[(count - 1) // 2],
        "words": count,
    }
