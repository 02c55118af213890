"""4. Patterns: one thing after another, and something that did not come between."""

import holdsfor

rules = holdsfor.parse("""
    paid(Order) <- (order(Order) SEQ payment(Order)).60.
    unpaid(Order) <- NOT(payment(Order)).[order(Order), reminder(Order)].
""")
events = holdsfor.read_events(
    ["order(o1) @ 0", "order(o2) @ 5", "payment(o1) @ 30", "reminder(o1) @ 90", "reminder(o2) @ 95"], format="terms"
)

result = holdsfor.recognise(rules, events)
for row in result.occurrences.to_pylist():
    print(row["event"], row["args"], row["start"], row["end"])
