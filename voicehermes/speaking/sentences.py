"""Spoken words to clauses and sentences. Knows neither Markdown nor deltas."""

import re
from enum import Enum, auto

from voicehermes.lexicon import Lexicon
from voicehermes.speaking.clauses import Clause
from voicehermes.speaking.inline import unshield
from voicehermes.speaking.markdown import opening

CLAUSE_SIZE = 25
"""Characters. A shorter clause is not worth speaking by itself and joins the next."""
RUN_SIZE = 400
"""Characters. A longer run without an end is cut at a space: speech does not wait for ever."""
_DEPTH = 8
"""Brackets and quotations within each other that are followed."""

_LETTER = re.compile(r"[^\W_]")
_CLOSERS = "»”\"'’)]}"
_RUN = ".!?…。！？" + _CLOSERS
_QUOTES = re.compile(r"[«»“”„\"()\[\]]")
_PAIRS = {"«": "»", "“": "”", "„": "“", "(": ")", "[": "]"}
_BEFORE_NAME = re.compile(r"^(?:.*[-–]|\w{1,6}['’])(?=\w)")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_COUNTER = re.compile(r"(\d{1,3})(?:\.\d{1,3})*|[a-zA-Z]|[IVX]{1,5}")


class _End(Enum):
    """What the last word may end, and what the next word must be for it."""

    CLAUSE = auto()
    """A clause, whatever follows."""
    SENTENCE = auto()
    """A sentence, unless a small letter follows."""
    QUOTED = auto()
    """The same, and not before a bracket: "Ei fu." (Manzoni)."""
    CAPITAL = auto()
    """A sentence if a capital follows: "ecc.", "..."."""
    STARTER = auto()
    """A sentence if a word follows that often begins one: "nel 44 a.C. Il"."""
    INITIAL = auto()
    """The same, but for words that begin a surname: "G. La Malfa"."""


class Sentences:
    """Finds the ends of clauses and sentences in spoken words; a ``Speech``.

    At most one end is in doubt at any time: it waits for how the next word begins.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._sure = re.compile(lexicon.whole_word, re.IGNORECASE)
        self._given: list[Clause] = []
        self._index = 0
        self._words: list[str] = []
        """Of the sentence that is being heard, those not given out."""
        self._size = 0
        self._is_begun = False
        """Whether a clause of this sentence was given out."""
        self._doubt: _End | None = None
        self._doubt_at = 0
        """How many words the clause or sentence in doubt has."""
        self._open: list[str] = []
        """What would close the open quotations and brackets, the innermost last."""
        self._held = 0
        """How many words a sentence has that ended within a quotation still open; 0: none."""
        self._is_patient = True
        """Whether the open quotation may still hold a sentence back."""
        self._is_fresh = True
        """Whether a block begins."""
        self._count = 0
        """The last number of an enumeration."""

    def take(self) -> list[Clause]:
        """The clauses found since the last call."""
        given, self._given = self._given, []
        return given

    def opening(self, text: str) -> None:
        if self._doubt and text:
            self._settle(text, "")

    def word(self, text: str) -> None:
        has_letter = bool(_LETTER.search(text))
        if has_letter and self._doubt:
            self._settle(opening(text) or _LETTER.search(text)[0], text)  # type: ignore[index]
        if self._size > RUN_SIZE:
            if not has_letter:
                return
            if self._held:
                self._finish(self._held)
                self._is_patient = False
            else:
                self._cut(len(self._words))
        self._words.append(text)
        self._size += len(text) + 1
        if _QUOTES.search(text):
            self._follow_quotes(text)
        if not text[-1].isalnum():
            self._judge(text)
        self._is_fresh = False

    def attach(self, marks: str) -> None:
        if self._words and self._words[-1][-1] not in _RUN + ",;:":
            self._words[-1] += marks
            self._judge(self._words[-1])

    def line(self, *, short: bool) -> None:
        if not self._words:
            return
        if self._doubt in {_End.SENTENCE, _End.QUOTED, _End.CAPITAL}:
            self._end(self._doubt_at)
        elif short and not self._words[-1].endswith(","):
            self._doubt, self._doubt_at = _End.SENTENCE, len(self._words)

    def stop(self) -> None:
        if self._held:
            self._finish(self._held)
        if self._words:
            self._finish(len(self._words))
        self._open.clear()
        self._is_patient = True
        self._is_fresh = True
        self._count = 0

    def _settle(self, start: str, word: str) -> None:
        """Decide the end in doubt by how the next word begins, and by the word once it is there."""
        first = start[-1]
        match self._doubt:
            case _End.CLAUSE:
                if not first.isalnum() and not word:
                    return
                self._cut(self._doubt_at)
                ends = False
            case _End.CAPITAL:
                ends = first.isupper()
            case _End.STARTER | _End.INITIAL if first.isupper():
                if not word:
                    return
                ends = self._starts_sentence(word)
            case _End.STARTER | _End.INITIAL:
                ends = False
            case _End.QUOTED:
                ends = not first.islower() and "(" not in start
            case _:
                ends = not first.islower()
        at = self._doubt_at
        if ends:
            self._end(at)
        self._doubt = None

    def _starts_sentence(self, word: str) -> bool:
        bare = word.lstrip("«“\"'‘([—–-").rstrip(_RUN + ",;:").lower().replace("’", "'")
        if self._doubt is _End.INITIAL and bare.partition("'")[0] in self._lexicon.name_particles:
            return False
        elided, mark, _ = bare.partition("'")
        return bare in self._lexicon.starters or elided + mark in self._lexicon.starters

    def _follow_quotes(self, word: str) -> None:
        was_open = bool(self._open)
        for i, mark in enumerate(word):
            if mark in self._open and mark in '»”“")]':
                while self._open.pop() != mark:
                    pass
            elif len(self._open) < _DEPTH and i + 1 < len(word):
                before = word[i - 1] if i else " "
                if mark in _PAIRS:
                    self._open.append(_PAIRS[mark])
                elif mark == '"' and not before.isalnum():
                    self._open.append('"')
        if was_open and not self._open:
            self._is_patient = True
            held, self._held = self._held, 0
            if held and len(" ".join(self._words[:held])) >= CLAUSE_SIZE:
                self._doubt, self._doubt_at = _End.CLAUSE, held

    def _judge(self, word: str) -> None:
        """Note what this word, the last, may end."""
        core = word.rstrip(_RUN)
        run = word[len(core) :]
        if not run.strip(_CLOSERS):
            if self._ends_clause(word):
                self._doubt, self._doubt_at = _End.CLAUSE, len(self._words)
            return
        end = self._sentence_end(core, run)
        if end is _End.SENTENCE and run == "." and self._sure.fullmatch(core.lstrip("«“\"'([")):
            self._end(len(self._words))
        elif end:
            self._doubt, self._doubt_at = end, len(self._words)

    def _ends_clause(self, word: str) -> bool:
        if self._held or self._doubt or self._size < CLAUSE_SIZE or {")", "]"} & {*self._open}:
            return False
        if word in {"-", "–", "—"}:
            return len(self._words) > 1 and not self._words[-2][-1].isdigit()
        return word[-1] in ",;:" and len(word) > 1

    def _sentence_end(self, core: str, run: str) -> _End | None:
        """What a word of that core and that run of stops and closing marks may end."""
        closes_quote = bool(set(run) & set("»”\"'’"))
        if not _LETTER.search(core):
            if set(run) & set(_CLOSERS) and core:
                return None  # "[...]", "(!)"
            return _End.CAPITAL if "…" in run or ".." in run else _End.SENTENCE
        end = _End.QUOTED if closes_quote else _End.SENTENCE
        if set(run) & set("!?。！？"):
            return end
        if "…" in run or ".." in run:
            return _End.CAPITAL
        bare = core.lstrip("«“\"'‘([—–-")
        if self._counts(bare):
            return None
        name = _BEFORE_NAME.sub("", bare)
        abbreviation = f"{name.lower()}."
        is_ambiguous = abbreviation in self._lexicon.ambiguous_abbreviations
        if abbreviation in self._lexicon.abbreviations:
            return _End.INITIAL if is_ambiguous else None
        if abbreviation in self._lexicon.soft_abbreviations:
            return _End.CAPITAL
        if len(name) == 1 and name.isalpha():
            return _End.INITIAL
        if is_ambiguous or _ACRONYM.fullmatch(name):
            return _End.STARTER
        return end

    def _counts(self, bare: str) -> bool:
        """Whether the last word numbers what follows: "Ecco: 1. Apri la porta. 2. Entra." """
        counter = _COUNTER.fullmatch(bare)
        if not counter:
            return False
        if self._is_fresh:
            self._count = int(counter[1] or 0)
            return True
        begins = len(self._words) == 1 or self._words[-2][-1] in ":;,"
        if not counter[1] or not begins:
            return False
        number = int(counter[1])
        if number != self._count + 1:
            return False
        self._count = number
        return True

    def _end(self, at: int) -> None:
        """A sentence ends after so many words, unless a quotation holds it back."""
        if self._open and self._is_patient and not self._held:
            self._held = at
            self._doubt = None
            return
        if self._held:
            held, self._held = self._held, 0
            if self._open:
                self._is_patient = False
                self._finish(held)
                at -= held
        self._finish(at)

    def _finish(self, at: int) -> None:
        """Give out the first words as a sentence, or as the rest of one."""
        if self._give(at, ends_sentence=True):
            self._index += 1
        self._is_begun = False
        self._held = 0

    def _cut(self, at: int) -> None:
        """Give out the first words as a clause."""
        if self._give(at, ends_sentence=False):
            self._is_begun = True

    def _give(self, at: int, *, ends_sentence: bool) -> bool:
        text = unshield(" ".join(self._words[:at])).strip()
        spoken = bool(_LETTER.search(text))
        if spoken:
            self._given.append(Clause(text, self._index, ends_sentence))
        if spoken or ends_sentence:
            del self._words[:at]
            self._size = sum(map(len, self._words)) + len(self._words)
            self._doubt = None
        return spoken
