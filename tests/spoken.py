"""What a reply is spoken with, as whole sentences: clauses are joined again for comparison."""

from collections.abc import Iterable

from voicehermes.speaking.clauses import Clause


def sentences_of(clauses: Iterable[Clause]) -> list[str]:
    """The whole sentences that the clauses make up, in order."""
    sentences: dict[int, list[str]] = {}
    for clause in clauses:
        sentences.setdefault(clause.sentence, []).append(clause.text)
    return [" ".join(parts) for parts in sentences.values()]
