"""What a check found."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    subject: str
    found: str
    advice: str | None = None
    """What to do; None: nothing, all is well."""

    @property
    def warning(self) -> str:
        """Return the finding as one sentence for a manifest."""
        return f"{self.subject}: {self.found}; {self.advice}"
