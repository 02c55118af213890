"""6. Counting: three failed logins within a minute, for each user."""

import holdsfor

rules = holdsfor.parse("""
    attack(User) <- failed(User) AGGREGATE N = count OVER LAST 60 s WHERE N >= 3.
""")
events = holdsfor.read_events(
    ["failed(ann) @ 0", "failed(ann) @ 20", "failed(bob) @ 30", "failed(ann) @ 50", "failed(ann) @ 200"], format="terms"
)

result = holdsfor.recognise(rules, events)
for row in result.occurrences.to_pylist():
    print(row["event"], row["args"], row["end"])
