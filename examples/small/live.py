"""9. Live, inside a program: add rows as they come, and ask what has changed."""

import holdsfor

rules = holdsfor.parse("""
    initiatedAt(hot(M)=true, T)  :- happensAt(reading(M, C), T), C > 90.
    terminatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), C =< 85.
""")
session = holdsfor.session(rules, window=60, step=10)

for time, celsius in [(3, 95), (12, 91), (27, 80)]:
    session.add(holdsfor.read_events([f"reading(m1, {celsius}) @ {time}"], format="terms"))
    changes = session.advance(time + 10)
    for row in changes.intervals.to_pylist():
        print(row["query_time"], row["op"], row["fluent"], row["args"], row["start"], row["end"])
