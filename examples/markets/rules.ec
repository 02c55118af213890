% What happens in a market: patterns over trades and orders.
%
% Reading a rule. head <- pattern: the head occurs whenever the pattern does, and as long. NOT(C).[A, B]: A, later B,
% and no C in between; with a duration in the place of B: for so long after A no C. A MEETS B: B begins when A ends.

input event trade/3.    % symbol, price, shares
input event ordered/2.  % order, symbol
input event filled/1.   % order

% ================================================================ runs

% A step: a trade and the next one of the same symbol.
step(Symbol, Before, Price) <- NOT(trade(Symbol, _, _)).[trade(Symbol, Before, _), trade(Symbol, Price, _)].

% So many rising steps, one right after the other. Each ends with the trade that the next one begins with.
rising(Symbol, 1) <- step(Symbol, Before, Price) WHERE Price > Before.
rising(Symbol, K+1) <- rising(Symbol, K) MEETS rising(Symbol, 1) WHERE (threshold(rally, N), K < N).
rally(Symbol) <- rising(Symbol, N) WHERE threshold(rally, N).

% ================================================================ a double bottom

% A low is a trade below both of its neighbours, a high one above both. They are known with the trade after them.
trough(Symbol, Price) <-
    step(Symbol, Before, Price) MEETS step(Symbol, Price, After) WHERE (Before > Price, After > Price).
peak(Symbol, Price) <-
    step(Symbol, Before, Price) MEETS step(Symbol, Price, After) WHERE (Before < Price, After < Price).
happensAt(low(Symbol, Price), T) :-
    happensAt(trough(Symbol, Price), T).
happensAt(high(Symbol, Price), T) :-
    happensAt(peak(Symbol, Price), T).

% Two lows one after the other at almost the same price, with a high between them that stands out.
swing(Symbol, Low, High) <- NOT(low(Symbol, _)).[low(Symbol, Low), high(Symbol, High)].
doubleBottom(Symbol, Low, Again) <-
    (NOT(low(Symbol, _)).[swing(Symbol, Low, High), low(Symbol, Again)]).10min WHERE isTwice(Low, High, Again).

isTwice(Low, High, Again) :-
    threshold(stands_out, Much),
    High >= Low * (1 + Much),
    threshold(same_price, Little),
    abs(Again-Low) =< Low*Little.

% ================================================================ volume

% The shares of the last ten trades; and a trade with more than half of the shares of the last twenty.
volume(Symbol, Shares) <- trade(Symbol, _, Size) AGGREGATE Shares = sum(Size) OVER LAST 10.
block(Symbol, Most) <-
    trade(Symbol, _, Size) AGGREGATE Shares = sum(Size), Most = max(Size) OVER LAST 20 WHERE 2*Most > Shares.

% ================================================================ silence

% No trade for two minutes after a trade; an order that is not filled within a minute.
quiet(Symbol) <- NOT(trade(Symbol, _, _)).[trade(Symbol, _, _), 2 min].
unfilled(Order, Symbol) <- NOT(filled(Order)).[ordered(Order, Symbol), 1 min].
