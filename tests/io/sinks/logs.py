"""Small logs to deliver."""

from __future__ import annotations

import pyarrow as pa

from tests.io.change_logs import interval_log, occurrence_logs

INTERVALS = interval_log(
    [
        (20, "end", "rendezVous", ("v1", "'Two, \"words\"'"), "true", 7, 15),
        (10, "insert", "rendezVous", ("v1", "'Two, \"words\"'"), "true", 7, None),
        (20, "withdraw", "idle", (), "'Ä\n'", 3, 9),
    ]
)
OCCURRENCES: pa.Table = occurrence_logs([{("alarm", ("v1",), 5, 5), ("gap", (), 2, 6)}])[0]
