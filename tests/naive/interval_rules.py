"""Random holdsFor rules: interval algebra over what holds for one entity, or for pairs that there is evidence of."""

from __future__ import annotations

from random import Random

from tests.naive.streams import LEVELS, Entity

RELATIONS = ("before", "meets", "starts", "finishes", "during", "overlaps", "equal")
MODES = (
    "source",
    "lhs",
    "target",
    "rhs",
    "union",
    "intersection",
    "relative_complement",
    "relative_complement_inverse",
)


class IntervalRules:
    """Makes the holdsFor rules of one fluent after the other. domain: pairs may range over a declared domain."""

    def __init__(self, random: Random, entities: list[str], domain: bool) -> None:
        self.random = random
        self.entities = entities
        self.domain = domain
        self.count = 0

    def rule(self, new: Entity, value: str, fluents: list[Entity]) -> str:
        self.count = 0
        self.fluents = [fluent for fluent in fluents if set(fluent.sorts) == {"E"}]
        body: list[str] = []
        names = ["X", "Y"][: len(new.sorts)]
        if len(names) == 2 and not self.domain:
            result = self._pairs(names, body)
        elif len(names) == 1 and self.random.random() < 0.2:
            result = self._some_other(body)
        elif len(names) == 1 and self.random.random() < 0.2:
            result = self._absence(names, body)
        elif len(names) == 1 and new.values == LEVELS and self.random.random() < 0.3:
            value, result = "V", self._any_value(body)
        else:
            result = self._combine(names, body, 2)
        if self.random.random() < 0.3:
            longer = self._interval()
            body.append(f"intDurGreater({result}, {self.random.randint(1, 8)}, {longer})")
            result = longer
        if names and self.random.random() < 0.25:
            body.insert(self.random.randint(0, len(body)), self._test(names))
        head = f"{new.name}({','.join(names)})" if names else new.name
        return f"holdsFor({head}={value}, {result}) :- {', '.join(body)}."

    def _test(self, names: list[str]) -> str:
        tests = ["role(X,boss)", "\\+ role(X,aide)", f"X \\= {self.random.choice(self.entities)}", "plain(X)"]
        if len(names) == 2:
            tests += ["X @< Y", "X \\= Y", "linked(X,Y)", "\\+ linked(X,Y)"]
        return self.random.choice(tests)

    def _interval(self) -> str:
        self.count += 1
        return f"I{self.count}"

    def _operand(self, fluent: Entity, args: list[str], body: list[str], value: str | None = None) -> str:
        result = self._interval()
        value = value or self.random.choice(fluent.values)
        body.append(f"holdsFor({fluent.name}({','.join(args)})={value}, {result})")
        return result

    def _within(self, base: str, other: str, body: list[str]) -> str:
        """Something that lies within the base, so that the base says for whom it can hold."""
        if self.random.random() < 0.25:
            return self._related(*self.random.choice(((base, other), (other, base))), body)
        result = self._interval()
        if self.random.random() < 0.5:
            parts = self.random.choice(([base, other], [other, base]))
            body.append(f"intersect_all([{','.join(parts)}], {result})")
        else:
            body.append(f"relative_complement_all({base}, [{other}], {result})")
        return result

    def _related(self, source: str, target: str, body: list[str]) -> str:
        """By one of Allen's relations. It lies within both: where one is empty no pair is related."""
        result, relation, mode = self._interval(), self.random.choice(RELATIONS), self.random.choice(MODES)
        if self.random.random() < 0.5:
            body.append(f"allen({relation}, {source}, {target}, {mode}, {result})")
        else:
            body.append(f"{relation}({source}, {target}, {mode}, {result})")
        return result

    def _some_other(self, body: list[str]) -> str:
        """A variable that the head does not have: for some Z."""
        pair = self.random.choice([fluent for fluent in self.fluents if len(fluent.sorts) == 2])
        base = self._operand(pair, self.random.choice((["X", "Z"], ["Z", "X"])), body)
        return self._within(base, self._leaf(["Z"], body), body) if self.random.random() < 0.8 else base

    def _any_value(self, body: list[str]) -> str:
        valued = [fluent for fluent in self.fluents if fluent.values == LEVELS and len(fluent.sorts) == 1]
        base = self._operand(self.random.choice(valued), ["X"], body, "V")
        if self.random.random() < 0.5:
            return self._within(base, self._leaf(["X"], body), body)
        other = self._operand(self.random.choice(valued), ["X"], body, "V")
        result = self._interval()
        body.append(f"union_all([{base},{other}], {result})")
        return result

    def _pairs(self, names: list[str], body: list[str]) -> str:
        """Pairs need evidence: the result lies within what holds for both, or background facts name the pairs."""
        if self.random.random() < 0.25:
            body.append(self.random.choice(("linked(X,Y)", "road(X,Y)")))
            return self._combine(names, body, 2)
        both = [fluent for fluent in self.fluents if len(fluent.sorts) == 2]
        base = self._operand(self.random.choice(both), self.random.choice((names, names, names[::-1])), body)
        if self.random.random() < 0.2:
            return base
        if self.random.random() < 0.15:
            return self._outside([base], body)
        about = [self.random.choice(names)] if self.random.random() < 0.7 else names
        return self._within(base, self._combine(about, body, 1), body)

    def _combine(self, names: list[str], body: list[str], depth: int) -> str:
        """Every head variable occurs: in one operand about all of them, or in one operand for each."""
        parts = [self._leaf(names, body)]
        if len(names) == 2:
            parts += [self._leaf([name], body) for name in names]
        for _ in range(self.random.randint(0, 2)):
            deeper = depth > 1 and self.random.random() < 0.4
            parts.append(self._combine(names, body, depth - 1) if deeper else self._leaf(names, body))
        if self.random.random() < 0.15:
            return self._outside(parts, body)
        if self.random.random() < 0.05:  # the whole history, or nothing at all
            result = self._interval()
            body.append(f"{self.random.choice(('complement_all', 'union_all', 'intersect_all'))}([], {result})")
            parts = [self._within(parts[0], result, body), *parts[1:]]
        if len(parts) == 1:
            return parts[0]
        self.random.shuffle(parts)
        if self.random.random() < 0.15:
            parts[:2] = [self._related(parts[0], parts[1], body)]
            if len(parts) == 1:
                return parts[0]
        result = self._interval()
        op = self.random.choice(("union_all", "intersect_all", "relative_complement_all"))
        if op == "relative_complement_all":
            body.append(f"{op}({parts[0]}, [{','.join(parts[1:])}], {result})")
        else:
            body.append(f"{op}([{','.join(parts)}], {result})")
        return result

    def _absence(self, names: list[str], body: list[str]) -> str:
        """When something does not hold, of those of whom there is a fact: true also where no row is about them."""
        body.append(self.random.choice(("ent(X)", "role(X,_)", "plain(X)", "road(X,_)", "road(_,X)")))
        leaves = [self._leaf(names, body) for _ in range(self.random.randint(1, 2))]
        if self.random.random() < 0.5:
            return self._outside(leaves, body)
        result, every = self._interval(), self._outside([], body)
        body.append(f"relative_complement_all({every}, [{','.join(leaves)}], {result})")
        return result

    def _outside(self, parts: list[str], body: list[str]) -> str:
        result = self._interval()
        body.append(f"complement_all([{','.join(parts)}], {result})")
        return result

    def _leaf(self, names: list[str], body: list[str]) -> str:
        fluent = self.random.choice(self.fluents)
        args = [
            self.random.choice(names if names and self.random.random() < 0.85 else self.entities) for _ in fluent.sorts
        ]
        if len(names) == 1 and names[0] not in args:
            args[0] = names[0]
        return self._operand(fluent, args, body)
