"""5. Silence: a sensor that has said nothing for ten minutes is lost, until it speaks again."""

import holdsfor

rules = holdsfor.parse("""
    initiatedAt(sensor(S)=heard, T) :- happensAt(reading(S), T).
    fi(sensor(S)=heard, sensor(S)=lost, 10).
    p(sensor(_)=heard).
""")
events = holdsfor.read_events(["reading(s1) @ 0", "reading(s1) @ 8", "reading(s1) @ 40"], format="terms")

result = holdsfor.recognise(rules, events, end=45)
for row in result.intervals.to_pylist():
    print(row["fluent"], row["args"], row["value"], row["start"], row["end"])
