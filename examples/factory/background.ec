% Limits in degrees Celsius: above `hot` a machine is hot, at `cool` or below it no longer is. Change them here.
limit(M, hot, 90) :- machine(M, _, _).
limit(M, cool, 85) :- machine(M, _, _).
