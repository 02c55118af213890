"""3. Data frames in, data frames out."""

import pandas as pd

import holdsfor

trades = pd.DataFrame({"time": [1, 2, 3, 4], "symbol": ["A", "A", "B", "A"], "price": [10.0, 12.5, 7.0, 9.0]})
rules = holdsfor.parse("""
    initiatedAt(dear(Symbol)=true, T)  :- happensAt(trade(Symbol, Price), T), Price > 12.
    terminatedAt(dear(Symbol)=true, T) :- happensAt(trade(Symbol, Price), T), Price < 10.
""")
mapping = {"event": "trade", "time": "time", "events": {"trade": ["symbol", "price"]}}

result = holdsfor.recognise(rules, trades, mapping=mapping)
print(result.table("dear").to_pandas().to_string(index=False))
