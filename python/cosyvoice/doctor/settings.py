"""What the findings are judged against: the effective configuration, as far as it is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cosyvoice.doctor.files import parse_cpus, read_table

if TYPE_CHECKING:
    from pathlib import Path


def allowed_cores(root: Path) -> frozenset[int]:
    """Cores that the kernel lets this process use."""
    return parse_cpus(read_table(root / "proc/self/status", ":").get("Cpus_allowed_list")) or frozenset()


@dataclass(frozen=True, slots=True)
class Settings:
    """``options`` is None where the configuration cannot be read. ``cores`` are those that the engine will use."""

    options: dict[str, Any] | None = None
    allowed: frozenset[int] = field(default_factory=frozenset)

    @property
    def confined(self) -> bool:
        """The configuration names cores."""
        return bool(self.options and self.options["cpus"])

    @property
    def cores(self) -> frozenset[int]:
        """The configured cores, or all that are allowed."""
        named = parse_cpus(self.options["cpus"].replace(" ", "")) if self.options and self.options["cpus"] else None
        return named or self.allowed

    def get(self, option: str, otherwise: Any) -> Any:
        """An option's value, or `otherwise` where the configuration cannot be read."""
        return otherwise if self.options is None else self.options[option]
