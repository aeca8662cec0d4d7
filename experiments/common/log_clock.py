"""The clock of a log: what its header says of the time and place of its seconds."""
import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

HEADER_FIELD = re.compile(r"^;\s*(\w+):\s*(.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class LogClock:
    """When second 0 of a log was, in seconds from 1970, and the machine's time zone."""

    start: int
    zone: tzinfo

    @classmethod
    def of(cls, header: str) -> "LogClock":
        """The clock of a log with this header. Without one, second 0 is midnight, 1 January 1970, in UTC, which is
        midnight for `batfill generate` too."""
        fields = dict(HEADER_FIELD.findall(header))
        return cls(int(fields.get("UnixStartTime", 0)), _time_zone(fields))

    def local(self, second: float) -> datetime:
        """What the machine's calendar and clock show at this second of the log."""
        return datetime.fromtimestamp(self.start + second, self.zone)

    def second_of(self, year: int, month: int) -> float:
        """The second of the log at which a month of the calendar begins."""
        return datetime(year, month, 1, tzinfo=self.zone).timestamp() - self.start


def _time_zone(fields: dict[str, str]) -> tzinfo:
    """The log's time zone: its name if there is one, for daylight saving time, else its offset, else UTC."""
    try:
        return ZoneInfo(fields["TimeZoneString"])
    except (KeyError, ValueError, ZoneInfoNotFoundError):
        return timezone(timedelta(seconds=int(fields.get("TimeZone", 0))))
