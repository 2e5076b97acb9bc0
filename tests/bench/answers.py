"""How spoken answers are understood: ``python -m tests.bench.answers``.

Exit code 1 if any transcript grants more than it says, or a plain refusal is not one.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from voicehermes.deciding.approving import GRANTS, is_confirmation, of_approval
from voicehermes.lexicon import Language
from voicehermes.lexicon.answers import load

DATA = Path(__file__).parent.parent / "data" / "answers"

CONSENTS = frozenset({*GRANTS, "yes"})


@dataclass(frozen=True)
class Case:
    """A transcript and how it is to be understood."""

    file: str
    kind: str
    transcript: str
    expected: frozenset[str]
    """Any of these is right: a meaning, or "yes" and "no" for the second question."""

    @property
    def language(self) -> Language:
        return "en" if self.file.endswith("_en") else "it"

    @property
    def heard(self) -> str:
        """What it is understood as."""
        words = load(self.language)
        if self.file.startswith("confirmations"):
            return "yes" if is_confirmation(self.transcript, words) else "no"
        return of_approval(self.transcript, words)


def cases() -> Iterator[Case]:
    """The cases of all files, whose lines are: expected <tab> kind <tab> transcript."""
    for path in sorted((*DATA.glob("approvals*.tsv"), *DATA.glob("confirmations*.tsv"))):
        with path.open(encoding="utf-8", newline="") as file:
            lines = (line for line in file if not line.startswith("#"))
            for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                expected, kind, transcript = row
                yield Case(path.stem, kind, transcript, frozenset(expected.split("/")))


def faults(case: Case) -> set[str]:
    """What is wrong with what is heard: nothing, or the columns of the table that count it."""
    heard = case.heard
    if heard in case.expected:
        return set()
    found = {"wrong"}
    if heard in CONSENTS:
        found.add("false grant")
    if case.expected <= CONSENTS:
        found.add("consent misread")
    if case.expected == {"deny"}:
        found.add("refusal misread")
    return found


COLUMNS = ("wrong", "false grant", "consent misread", "refusal misread")


def main() -> int:
    """Print the table, and with -v each case that is wrong."""
    count, found = Counter[str](), dict[str, Counter[str]]()
    for case in cases():
        for kind in (f"{case.file.split('_')[0]} {case.language} {case.kind}", f"all {case.file}"):
            count[kind] += 1
            found.setdefault(kind, Counter()).update(faults(case))
        if "-v" in sys.argv and faults(case):
            print(f"{case.file} {case.kind}: {case.transcript!r} is {case.heard},",
                  f"not {'/'.join(sorted(case.expected))}")  # fmt: skip
    print(f"{'kind':44}{'cases':>6}", *(f"{column:>17}" for column in COLUMNS), sep="")
    for kind in sorted(count):
        numbers = (f"{found[kind][column]:>17}" for column in COLUMNS)
        print(f"{kind:44}{count[kind]:>6}", *numbers, sep="")
    return 1 if any(faults(case) & {"false grant", "refusal misread"} for case in cases()) else 0


if __name__ == "__main__":
    sys.exit(main())
