"""How a word of a command is read: as it is, letter by letter, or as what it is.

Pure. A word is a run of letters and digits; what passes for a word of the names is told from them.
"""

import re
from itertools import pairwise

from voicehermes.deciding.commands.characters import (
    Sort,
    latin_of,
    lookalikes_in_word,
    script_of,
    sort_of,
)
from voicehermes.lexicon.commands import CommandWords

_DIGITS = 6
"""A longer number is read in groups of three."""
_EDGE = 4
"""Characters at each end of a blob that are read."""
_HEX = re.compile(r"[0-9a-fA-F]+")
_KINDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_TURNS = 3
"""From a letter to a digit or back: a word with as many is spelled."""

BLOB = re.compile(r"(?<!\w)[A-Za-z0-9+/_-]{32,}={0,2}(?!\w)")
"""What may be a blob; ``blob_kind`` decides."""


def blob_kind(text: str) -> str:
    """ "hex", "base64", "mixed" if nobody could follow it letter by letter; "" if it is text.

    A path or a name is no blob, however long: within a word of it the kind of characters is kept.
    """
    if len(text) < 32 or not re.search(r"\d", text):
        return ""
    if _HEX.fullmatch(text) and re.search(r"[a-fA-F]", text):
        return "hex"
    segments = re.findall(r"[a-zA-Z0-9]+", text)
    changes = sum(len(_KINDS.findall(segment)) - 1 for segment in segments)
    if changes * 4 < len(text):
        return ""
    has_cases = text.lower() != text and text.upper() != text
    return "base64" if has_cases else "mixed"


def blobs_in(command: str) -> list[str]:
    """The stretches that nobody could follow letter by letter."""
    return [text for text in BLOB.findall(command) if blob_kind(text)]


def blob(text: str, kind: str, words: CommandWords) -> str:
    """ "un blocco di 344 caratteri in base64 da e y J h a Q maiuscola = ="."""
    template = words.words[f"blob-{kind}"]
    first, last = letters(text[:_EDGE], words), letters(text[-_EDGE:], words)
    return template.format(count=len(text), first=first, last=last)


def letters(text: str, words: CommandWords) -> str:
    """One by one: "aB3=" -> "a B maiuscola 3 uguale"."""
    return " ".join(letter(c, words) for c in text)


def letter(character: str, words: CommandWords) -> str:
    """One character: "B" -> "B maiuscola", "=" -> "uguale"."""
    if character.isascii() and character.isalnum():
        return words.words["capital"].format(letter=character) if character.isupper() else character
    return words.symbols.get(character, character)


def _is_jumble(word: str) -> bool:
    """Whether a word is a jumble: "a1b2c3" and "rwX" are, "sha256" and "getName" are not."""
    if len(word) < 6:
        return bool(re.fullmatch(r"[a-z]{1,3}[A-Z]{1,3}", word)) and len(word) < 5
    kinds = [c.isdigit() for c in word]
    return sum(a != b for a, b in pairwise(kinds)) >= _TURNS


def word(text: str, words: CommandWords, before: str = "") -> list[tuple[str, bool]]:
    """The pieces that a word is read in, and whether each is plain.

    "tmp" -> tmp (plain), "R" -> R maiuscola, "punto" -> la parola punto,
    "1234567" -> numero di 7 cifre 123 456 7. ``before`` is the piece it touches.
    """
    if not text.isascii():
        return _other(text, words)
    if text.lower() in words.reserved or (before, text.lower()) in words.ambiguous:
        return [(words.words["word"].format(word=text), True)]
    if len(text) == 1 and text.isupper():
        return [(words.words["capital"].format(letter=text), False)]
    if text.isdigit() and len(text) > _DIGITS:
        groups = " ".join(text[at : at + 3] for at in range(0, len(text), 3))
        return [(words.words["digits"].format(count=len(text), digits=groups), False)]
    if _is_jumble(text):
        spelled = letters(text, words)
        return [(words.words["spelled"].format(count=len(text), letters=spelled), False)]
    return [(text, True)]


def _other(text: str, words: CommandWords) -> list[tuple[str, bool]]:
    """A word with other letters than ASCII's: as it is, as a foreign word, or each named."""
    sorts = {sort_of(c) for c in text}
    if sorts == {Sort.PLAIN}:
        is_name = text.lower() in words.reserved
        return [(words.words["word"].format(word=text) if is_name else text, True)]
    if sorts == {Sort.FOREIGN} and not lookalikes_in_word(text):
        script = _script(text[0], words)
        return [(words.words["foreign-word"].format(script=script, word=text), False)]
    parts = re.findall(r"[\x00-\x7f\u00c0-\u024f]+|.", text, re.DOTALL)
    return [piece for part in parts for piece in _part(part, words)]


def _part(part: str, words: CommandWords) -> list[tuple[str, bool]]:
    if all(sort_of(c) is Sort.PLAIN for c in part):
        return [(piece, False) for piece, _ in word(part, words)]
    return [(named(c, words), False) for c in part]


def named(character: str, words: CommandWords) -> str:
    """The name of a character that is not what it seems: "а" (Cyrillic) -> lettera cirillica a."""
    if character == "\t":
        return words.words["tab"]
    code = f"{ord(character):x}"
    match sort_of(character):
        case Sort.HIDDEN if character in words.hidden:
            return words.words["hidden"].format(name=words.hidden[character])
        case Sort.HIDDEN:
            return words.words["hidden-code"].format(code=_spaced(code))
        case Sort.FOREIGN:
            return _foreign(character, code, words)
        case _ if character in words.symbols:
            return words.symbols[character]
        case Sort.PLAIN:
            return character
        case _:
            is_emoji = "\U0001f000" <= character <= "\U0001faff"
            template = words.words["emoji" if is_emoji else "symbol-code"]
            return template.format(code=_spaced(code))


def _foreign(character: str, code: str, words: CommandWords) -> str:
    latin, script = latin_of(character), _script(character, words)
    if not latin:
        return words.words["foreign-code"].format(script=script, code=_spaced(code))
    is_sure = script_of(character) in {"CYRILLIC", "GREEK", "FULLWIDTH"}
    template = words.words["lookalike" if is_sure else "lookalike-code"]
    return template.format(script=script, letter=letter(latin, words), code=_spaced(code))


def _script(character: str, words: CommandWords) -> str:
    return words.scripts.get(script_of(character), words.scripts["other"])


def _spaced(code: str) -> str:
    """ "200b" -> "2 0 0 b"."""
    return " ".join(code)
