"""1. The first rules: a light is on between two events."""

import holdsfor

rules = holdsfor.parse("""
    initiatedAt(on(Light)=true, T)  :- happensAt(press(Light), T).
    terminatedAt(on(Light)=true, T) :- happensAt(release(Light), T).
""")
events = holdsfor.read_events(["press(hall) @ 10", "release(hall) @ 25", "press(stairs) @ 40"], format="terms")

result = holdsfor.recognise(rules, events)
for row in result.intervals.to_pylist():
    print(row["fluent"], row["args"], row["start"], row["end"])
