"""10. On Spark: the same rules over a DataFrame, as many rows as there are."""

import holdsfor
from holdsfor.spark import recognise, session

rules = holdsfor.parse("""
    initiatedAt(slow(V)=true, T)  :- happensAt(velocity(V, Knots), T), Knots < 5.
    terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots >= 5.
""")
spark = session()
rows = [(t, f"v{v}", 3.0 if t % 20 == v else 8.0) for t in range(0, 100, 10) for v in (0, 10)]
frame = spark.createDataFrame(rows, "time long, vessel string, knots double")
mapping = {"event": "velocity", "time": "time", "events": {"velocity": ["vessel", "knots"]}}

result = recognise(spark, rules, frame, mapping=mapping)
result.intervals.groupBy("fluent", "args").count().orderBy("args").show(truncate=False)
spark.stop()
