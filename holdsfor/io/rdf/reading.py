"""Files with triples as columns of codes.

pyoxigraph reads any format and writes N-Triples again, in pieces, which are cut at blanks and encoded by kernels: no
triple is looked at by Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.strings import Strings
from holdsfor.io.columns.text import Mask, mask
from holdsfor.language.diagnostics import DescriptionError, Diagnostic, Source
from holdsfor.language.terms import Place

if TYPE_CHECKING:
    from pyoxigraph import QuadParser

Codes = npt.NDArray[np.int32]
_PIECE = 200_000  # triples: small enough for the cache, large enough for calls to cost nothing
_LINE_END, _BLANK = 10, 32
_XML_PREFIX = re.compile(rb"""xmlns(?::([\w.-]+))?\s*=\s*["']([^"'&]+)["']""")
_HEAD_OF_XML = 1 << 16
_FORMATS = {".ttl": "TURTLE", ".nt": "N_TRIPLES", ".nq": "N_QUADS", ".rdf": "RDF_XML", ".owl": "RDF_XML"}
_AT = re.compile(r"^Parser error (?:at|between) line .*?: ")


@dataclass(frozen=True, slots=True)
class Triples:
    """Nodes, each once, as N-Triples write them, and triples of their numbers; blank nodes are numbered: `_:1`."""

    nodes: pa.Array
    subjects: Codes
    properties: Codes
    objects: Codes

    @property
    def are_literals(self) -> Mask:
        """Mark the nodes that are no resources."""
        return mask(pc.starts_with(self.nodes, '"'))

    def find(self, iri: str) -> int:
        """Return the number of a resource, or -1."""
        return int(pc.index(self.nodes, f"<{iri}>").as_py())


def read_files(files: Sequence[Source]) -> tuple[Triples, list[tuple[str, str, str]]]:
    """Read triples, and the prefixes that files declare, each with namespace and file."""
    library = _pyoxigraph()
    pieces: list[pa.DictionaryArray] = []
    namespaces: list[tuple[str, str, str]] = []
    blanks = 0
    for source in files:
        parser = _open(library, source)
        whole = _joined([_cut(data) for data in _pieces(library, parser, source)])
        numbered, blanks = _number_blank_nodes(whole, blanks)
        pieces.append(numbered)
        declared = dict(parser.prefixes) or _prefixes_of_xml(source)
        namespaces += [(prefix, namespace, source.name) for prefix, namespace in declared.items()]
    return _triples(_joined(pieces)), namespaces


def _pyoxigraph() -> ModuleType:
    try:
        import pyoxigraph
    except ImportError:
        message = "files with triples are read by pyoxigraph, which is not installed: pip install 'holdsfor[rdf]'"
        raise HoldsforError(message) from None
    return pyoxigraph


def _open(library: ModuleType, source: Source) -> QuadParser:
    kind = getattr(library.RdfFormat, _FORMATS[Path(source.name).suffix])
    where = {"input": source.text} if source.path is None else {"path": source.path}
    parser: QuadParser = library.parse(**where, format=kind)
    return parser


def _pieces(library: ModuleType, parser: QuadParser, source: Source) -> Iterator[bytes]:
    triples = (quad.triple for quad in parser) if source.name.endswith(".nq") else parser
    while True:
        try:
            data: bytes = library.serialize(islice(triples, _PIECE), format=library.RdfFormat.N_TRIPLES)
        except SyntaxError as error:
            raise DescriptionError([_as_diagnostic(error, source)]) from None
        if not data:
            return
        yield data


def _as_diagnostic(error: SyntaxError, source: Source) -> Diagnostic:
    text = source
    if source.path is not None:
        text = Source(source.name, source.path.read_text(encoding="utf-8", errors="replace"))
    line, column = error.lineno or 1, error.offset or 1
    place = Place(source.name, line, column, line, column + 1)
    is_relative = "No scheme" in error.msg
    hint = "declare a base before: @base <http://example.org/> ." if is_relative else "correct the file"
    return text.error("syntax", _AT.sub("", error.msg), place, hint)


def _prefixes_of_xml(source: Source) -> dict[str, str]:
    """Return the namespaces that the head of an RDF/XML file declares: the parser keeps none."""
    if source.path is None or _FORMATS[source.path.suffix] != "RDF_XML":
        return {}
    with source.path.open("rb") as file:
        declarations = _XML_PREFIX.findall(file.read(_HEAD_OF_XML))
    return {prefix.decode(): namespace.decode() for prefix, namespace in declarations}


# ---------------------------------------------------------------- columns


def _cut(data: bytes) -> pa.DictionaryArray:
    """Encode subjects, then properties, then objects of lines `subject property object .`: only objects have blanks."""
    text = np.frombuffer(data, np.uint8)
    ends, blanks = np.flatnonzero(text == _LINE_END), np.flatnonzero(text == _BLANK)
    begins = np.concatenate([[0], ends[:-1] + 1])
    first = np.searchsorted(blanks, begins)
    behind_subject, behind_property = blanks[first], blanks[first + 1]
    begin = np.concatenate([begins, behind_subject + 1, behind_property + 1]).astype(np.int32)
    end = np.concatenate([behind_subject, behind_property, ends - len(" .")]).astype(np.int32)
    return Strings(text, begin, end, np.ones(len(begin), np.bool_)).encode()


def _joined(pieces: list[pa.DictionaryArray]) -> pa.DictionaryArray:
    """Join pieces, each with subjects, properties and objects, to one."""
    if len(pieces) == 1:
        return pieces[0]
    kind = pa.dictionary(pa.int32(), pa.string())
    chunks = pa.chunked_array(pieces, kind).unify_dictionaries().chunks
    if not chunks:
        return pa.array([], kind)
    sizes = [len(chunk) // 3 for chunk in chunks]
    parts = [chunk.indices.to_numpy() for chunk in chunks]
    pairs = list(zip(parts, sizes, strict=True))
    codes = np.concatenate([part[n * size : (n + 1) * size] for n in range(3) for part, size in pairs])
    return pa.DictionaryArray.from_arrays(pa.array(codes), chunks[0].dictionary)


def _number_blank_nodes(column: pa.DictionaryArray, before: int) -> tuple[pa.DictionaryArray, int]:
    """Number the blank nodes of a file in the order of the text: labels are the same in two files by chance only."""
    nodes = column.dictionary
    are_blank = mask(pc.starts_with(nodes, "_:"))
    count = int(np.count_nonzero(are_blank))
    if count == 0:
        return column, before
    names = pa.array([f"_:{number}" for number in range(before + 1, before + count + 1)])
    nodes = pc.replace_with_mask(nodes, pa.array(are_blank), names)
    return pa.DictionaryArray.from_arrays(column.indices, nodes), before + count


def _triples(column: pa.DictionaryArray) -> Triples:
    subjects, properties, objects = column.indices.to_numpy().reshape(3, -1)
    return Triples(column.dictionary, subjects, properties, objects)
