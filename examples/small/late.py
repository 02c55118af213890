"""8. Late and retracted rows: what counts is when it happened, if it came in time."""

import holdsfor

rules = holdsfor.parse("""
    initiatedAt(open(Door)=true, T)  :- happensAt(opened(Door), T).
    terminatedAt(open(Door)=true, T) :- happensAt(closed(Door), T).
""")
events = holdsfor.read_events(  # operation | name | arrival | time | arguments, as in RTEC's CSV
    [
        "insert|opened|10|10|d1",
        "insert|closed|35|20|d1",  # fifteen ticks late: within the window
        "insert|opened|30|30|d2",
        "retract|opened|50|30|d2",  # never happened
        "insert|opened|90|5|d3",  # too late: older than the window
    ],
    format="rtec",
)

result = holdsfor.recognise(rules, events, window=40, step=10)
print([(row["args"], row["start"], row["end"]) for row in result.intervals.to_pylist()])
print("late:", result.late.num_rows)
