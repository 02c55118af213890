"""Random bodies of rules about points: a trigger that binds T, then conditions of every kind, mixed at random."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from tests.naive.streams import EVENTS, FLUENTS, LEVELS, Entity

OFFSETS = ("T+1", "T+3", "T-1", "T-4", "T+5")


@dataclass
class Scope:
    """The variables bound so far in a rule, by sort, and its literals."""

    bound: dict[str, list[str]] = field(default_factory=lambda: {"E": [], "N": [], "L": []})
    body: list[str] = field(default_factory=list)

    def copy(self) -> Scope:
        """To bind variables of its own in: of a negation, an alternative, an aggregate."""
        return replace(self, bound={sort: list(known) for sort, known in self.bound.items()})


class Bodies:
    """events, fluents: what bodies may read; it grows with each definition.

    members: fluents of a cycle that is being made, which may be asked only whether they hold at T; those that are made
    already, also when they are initiated. declared: what groundings list, with a value each.
    """

    def __init__(self, random: Random, entities: list[str]) -> None:
        self.random = random
        self.entities = entities
        self.events = list(EVENTS)
        self.fluents = list(FLUENTS)
        self.members: list[Entity] = []
        self.finished: list[Entity] = []
        self.declared: list[Entity] = []
        self.count = 0

    def body(self) -> Scope:
        scope = Scope()
        if self.random.random() < 0.1:
            self._either_trigger(scope)
        else:
            scope.body.append(self._trigger(scope, "T", 0.85))
        conditions = (
            *(self._happens, self._not_happens, self._holds, self._holds, self._not_holds, self._not_both),
            *(self._compare, self._background, self._offset, self._earlier, self._either, self._aggregate),
        )
        for _ in range(self.random.choice((0, 0, 1, 1, 2, 3))):
            self.random.choice(conditions)(scope)
        if self.members and self.random.random() < 0.7:
            self._member(scope)
        return scope

    # ------------------------------------------------------------ terms

    def number(self) -> int:
        """A number for a variable that no other has."""
        self.count += 1
        return self.count

    def constant(self, sort: str) -> str:
        if sort == "E":
            return self.random.choice(self.entities)
        return self.random.choice(LEVELS if sort == "L" else ("5", "40", "37.5"))

    def _sign(self) -> str:
        return self.random.choice(("", "\\+ "))

    def _new(self, scope: Scope, sort: str) -> str:
        scope.bound[sort].append(f"{sort}{self.number()}")
        return scope.bound[sort][-1]

    def _args(self, scope: Scope, sorts: tuple[str, ...], fresh: float) -> str:
        """Bound variables, constants, `_` and, with the given chance, new variables."""
        args = []
        for sort in sorts:
            known = scope.bound[sort]
            if self.random.random() < fresh:
                args.append(self._new(scope, sort))
            elif known and self.random.random() < 0.8:
                args.append(self.random.choice(known))
            else:
                args.append("_" if self.random.random() < 0.5 else self.constant(sort))
        return f"({','.join(args)})" if args else ""

    def _trigger(self, scope: Scope, time: str, fresh: float) -> str:
        if self.random.random() < 0.65:
            event = self.random.choice(self.events)
            return f"happensAt({event.name}{self._args(scope, event.sorts, fresh)}, {time})"
        fluent = self.random.choice(self.fluents)
        edge = self.random.choice(("start", "start", "end", "end", "startI", "endI"))
        return f"happensAt({edge}({self._fluent(scope, fluent, fresh)}), {time})"

    def _fluent(self, scope: Scope, fluent: Entity, fresh: float) -> str:
        args = self._args(scope, fluent.sorts, fresh)
        value = self.random.choice(fluent.values)
        if fluent.values == LEVELS and self.random.random() < 0.4:
            value = self._new(scope, "L") if self.random.random() < fresh else "_"
        return f"{fluent.name}{args}={value}"

    def _some_fluent(self, scope: Scope, fresh: float) -> str:
        return self._fluent(scope, self.random.choice((*self.fluents, *self.members)), fresh)

    # ------------------------------------------------------------ conditions

    def _happens(self, scope: Scope) -> None:
        scope.body.append(self._trigger(scope, "T", 0.3))

    def _not_happens(self, scope: Scope) -> None:
        scope.body.append(f"\\+ {self._trigger(scope, self.random.choice(('T', 'T', 'T+1', 'T-2')), 0)}")

    def _holds(self, scope: Scope) -> None:
        scope.body.append(f"holdsAt({self._some_fluent(scope, 0.3)}, T)")

    def _not_holds(self, scope: Scope) -> None:
        fluent = self._fluent(scope, self.random.choice(self.fluents), 0)
        scope.body.append(f"\\+ holdsAt({fluent}, {self.random.choice(('T', 'T', 'T+1', 'T-3'))})")

    def _not_both(self, scope: Scope) -> None:
        local = scope.copy()
        if self.members and self.random.random() < 0.5:  # two of a cycle, perhaps with a variable in common
            holds = [f"holdsAt({self._some_fluent(local, 0.3)}, T)", f"holdsAt({self._some_fluent(local, 0)}, T)"]
            holds = holds if local.bound != scope.bound else [f"{self._sign()}{each}" for each in holds]
            scope.body.append(f"\\+ ({self.random.choice((', ', ' ; ')).join(holds)})")
            return
        first = self._trigger(local, "T", 0.4)
        scope.body.append(f"\\+ ({first}, holdsAt({self._some_fluent(local, 0)}, T))")

    def _member(self, scope: Scope) -> None:
        """A condition that closes a cycle, perhaps about another entity, that a relation names."""
        member = self.random.choice(self.members)
        if "E" in member.sorts and scope.bound["E"] and self.random.random() < 0.3:
            one, other = self.random.choice(scope.bound["E"]), self._new(scope, "E")
            scope.body.append(self.random.choice((f"holdsAt(near({one},{other})=true, T)", f"linked({one},{other})")))
            args = ",".join([other] + ["_"] * (len(member.sorts) - 1))
            scope.body.append(f"holdsAt({member.name}({args})={self.random.choice(member.values)}, T)")
            return
        sign = self._sign()
        if member in self.finished and self.random.random() < 0.3:
            scope.body.append(f"{sign}initiatedAt({self._fluent(scope, member, 0)}, T)")
            return
        scope.body.append(f"{sign}holdsAt({self._fluent(scope, member, 0 if sign else 0.2)}, T)")

    def _compare(self, scope: Scope) -> None:
        numbers, entities, levels = scope.bound["N"], scope.bound["E"], scope.bound["L"]
        if numbers and self.random.random() < 0.7:
            number = self.random.choice(numbers)
            op = self.random.choice(("<", ">", "=<", ">=", "=:=", "=\\="))
            if self.random.random() < 0.4:
                result = f"N{self.number()}"
                scope.body.append(f"{result} is {number} {self.random.choice('+-*/')} 2")
                number = result
                scope.bound["N"].append(number)
            scope.body.append(f"{number} {op} {self.random.choice(('20', '40', '37.5', '30 + 5'))}")
        elif len(entities) > 1:
            op = self.random.choice(("=", "\\=", "==", "\\==", "@<", "@>="))
            scope.body.append(f"{entities[0]} {op} {self.random.choice(entities[1:])}")
        elif levels:
            op = self.random.choice(("=", "\\=", "=="))
            scope.body.append(f"{levels[0]} {op} {self.constant('L')}")

    def _background(self, scope: Scope) -> None:
        entities, numbers = scope.bound["E"], scope.bound["N"]
        if not entities:
            return
        one = self.random.choice(entities)
        goals = [f"role({one},boss)", f"\\+ role({one},aide)", f"role({one},_)", f"plain({one})"]
        goals.append(f"\\+ linked({one},{self.random.choice(entities)})")
        if numbers:
            goals += [f"over({one},{numbers[0]})", f"\\+ over({one},{numbers[0]})"]
            limit, gap = f"M{self.number()}", f"W{self.number()}"
            goals.append(f"limit({one},{limit}), gap({numbers[0]},{limit},{gap}), {gap} < 20")
        if self.declared:
            listed = self.random.choice(self.declared)
            args = [self.random.choice(entities) for _ in listed.sorts]
            term = f"{listed.name}({','.join(args)})" if args else listed.name
            goals.append(f"{self._sign()}grounding({term}={self.random.choice(listed.values)})")
        goal = self.random.choice((*goals, "linked"))
        scope.body.append(f"linked({one},{self._new(scope, 'E')})" if goal == "linked" else goal)

    def _offset(self, scope: Scope) -> None:
        """A condition at another time: in place or by `is`."""
        offset = self.random.choice(OFFSETS)
        time = offset
        if self.random.random() < 0.5:
            time = f"T{self.number()}"
            scope.body.append(f"{time} is {offset}")
        if self.random.random() < 0.5:
            fluent = self._fluent(scope, self.random.choice(self.fluents), 0.2)
            scope.body.append(f"holdsAt({fluent}, {time})")
        else:
            scope.body.append(self._trigger(scope, time, 0.2))

    def _earlier(self, scope: Scope) -> None:
        """A second time variable, joined on what is known and bounded."""
        if not scope.bound["E"]:
            return
        time = f"T{self.number()}"
        event = self.random.choice([event for event in self.events if "E" in event.sorts])
        args = [scope.bound["E"][0], *("_" for _ in event.sorts[1:])]
        scope.body.append(f"happensAt({event.name}({','.join(args)}), {time})")
        scope.body.append(f"{time} < T")
        scope.body.append(f"T - {time} =< {self.random.randint(2, 9)}")

    # ------------------------------------------------------------ one of several, and all of them

    def _either_trigger(self, scope: Scope) -> None:
        """Two triggers that bind the same variable."""
        one = self._new(scope, "E")
        events = [event for event in self.events if "E" in event.sorts]
        parts = []
        for event in self.random.choices(events, k=self.random.choice((2, 2, 3))):
            args = ["_" for _ in event.sorts]
            args[event.sorts.index("E")] = one
            parts.append(f"happensAt({event.name}({','.join(args)}), T)")
        if self.random.random() < 0.3:
            parts[0] += f", {self._sign()}role({one},boss)"
        scope.body.append(f"({' ; '.join(parts)})")

    def _either(self, scope: Scope) -> None:
        parts = []
        for _ in range(self.random.choice((2, 2, 3))):
            local = replace(scope.copy(), body=[])
            conditions = (self._happens, self._not_happens, self._holds, self._holds, self._compare, self._background)
            for _ in range(self.random.choice((1, 1, 2))):
                self.random.choice(conditions)(local)
            parts.append(", ".join(local.body) or self._trigger(local, "T", 0))
        scope.body.append(f"({' ; '.join(parts)})")

    def _aggregate(self, scope: Scope) -> None:
        values, result = f"L{self.number()}s", f"C{self.number()}"
        local = replace(scope.copy(), body=[])
        if self.random.random() < 0.35:
            number = f"N{self.number()}"
            who = self._args(local, ("E",), 0.3)[1:-1]
            readings = [f"happensAt(reading({who},{number}), T)", f"limit({who},{number})", f"limit(_,{number})"]
            goals = self.random.choices(readings, (4, 1, 1), k=self.random.choice((1, 1, 2, 3)))
            local.body.append(goals[0] if len(goals) == 1 else f"({' ; '.join(goals)})")
            function = self.random.choice(("sum_list", "min_list", "max_list"))
            self._aggregated(scope, local, number, f"{function}({values}, {result})", values)
            scope.body.append(f"{result} {self.random.choice(('>', '<', '=:='))} {self.random.choice((20, 40, 45))}")
            return
        template = f"E{self.number()}"
        local.bound["E"] = [template, template, *local.bound["E"]]
        goals = [self._counted(local, template) for _ in range(self.random.choice((1, 1, 1, 2, 3)))]
        local.body.append(goals[0] if len(goals) == 1 else f"({' ; '.join(goals)})")
        if self.random.random() < 0.4:
            local.body.append(f"{self._sign()}role({template},{self.random.choice(('boss', '_'))})")
        if self.random.random() < 0.2:
            result = str(self.random.choice((0, 1, 2)))
        self._aggregated(scope, local, template, f"length({values}, {result})", values)
        if not result.isdigit():
            op = self.random.choice((">", "<", "=:=", ">="))
            scope.body.append(f"{result} {op} {self.random.choice((0, 1, 1, 2))}")
            if self.random.random() < 0.3:
                scope.bound["N"].append(result)

    def _counted(self, local: Scope, template: str) -> str:
        """A goal that binds the template."""
        goals = [
            self._trigger(local, "T", 0),
            f"holdsAt({self._some_fluent(local, 0)}, T)",
            f"linked({self.random.choice(('_', self.constant('E')))},{template})",
        ]
        goal = self.random.choice(goals)
        return goal if template in goal else f"happensAt(swap(_,{template}), T)"

    def _aggregated(self, scope: Scope, local: Scope, template: str, function: str, values: str) -> None:
        goals = ", ".join(local.body)
        goals = f"({goals})" if len(local.body) > 1 else goals
        scope.body.append(f"findall({template}, {goals}, {values}), {function}")
