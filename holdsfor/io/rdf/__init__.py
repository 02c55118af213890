"""Triples as background knowledge: read by pyoxigraph, entailed by RDFS over codes, and facts where rules ask for them.

`reading` gives nodes and codes, `entailment` what follows from the schema, `literals` and `names` terms, and
`knowledge` the tables of facts.
"""
