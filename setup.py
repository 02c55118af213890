"""Find the packages: every folder with code, the examples under the name that they are installed by.

Everything else is in pyproject.toml, whose own search cannot rename what it finds.
"""

from setuptools import find_packages, setup

examples = [
    "holdsfor_examples" + name.removeprefix("examples") for name in find_packages(include=["examples", "examples.*"])
]
setup(packages=[*find_packages(include=["holdsfor", "holdsfor.*"]), *examples])
