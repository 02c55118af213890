"""2. A CSV of your own: a mapping says which column is what."""

from pathlib import Path

import holdsfor

Path("readings.csv").write_text("""ts,machine,celsius
2026-03-01T08:00:00,M-004,93
2026-03-01T08:30:00,M-004,80
2026-03-01T08:40:00,M-017,95
""")
mapping = {"event": "reading", "time": "ts", "events": {"reading": ["machine", "celsius"]}}
rules = holdsfor.parse("""
    initiatedAt(hot(Machine)=true, T)  :- happensAt(reading(Machine, Celsius), T), Celsius > 90.
    terminatedAt(hot(Machine)=true, T) :- happensAt(reading(Machine, Celsius), T), Celsius =< 85.
""")

result = holdsfor.recognise(rules, "readings.csv", mapping=mapping)
print(result.table("hot").to_pandas()[["Machine", "start", "end"]].to_string(index=False))
