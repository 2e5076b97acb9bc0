"""Why hermes-agent asks, in the user's language. Pure."""

import re

from voicehermes.lexicon.commands import CommandWords

_LONGEST = 60
"""Characters of a description that we have no words for."""
_SECURITY = re.compile(r"security scan\s*(?:—|–|-|:)\s*", re.IGNORECASE)
_SEVERITY = re.compile(r"^\[\w+\]\s*")
_REMARK = re.compile(r"\s*\([^()]*\)$")
_THROUGH = re.compile(r"arbitrary program execution via (\S+) \S+", re.IGNORECASE)
_JUNK = re.compile(r"[^\w\s.,;:'’/+-]+")


def describe(description: str, words: CommandWords) -> str:
    """A description of hermes-agent's, in short; one that is not known stays what it is.

    "recursive delete (long flag); find -delete"
    -> "cancellazione ricorsiva e cancellazione dei file trovati"
    """
    text = " ".join(description.split())
    is_scan = bool(_SECURITY.match(text))
    reasons = [_reason(part, words) for part in re.split(r";\s+", _SECURITY.sub("", text))]
    told = words.listed(list(dict.fromkeys(filter(None, reasons))))
    return words.describing["security"].format(text=told) if is_scan and told else told


def _reason(text: str, words: CommandWords) -> str:
    """One of the reasons: "git force push (rewrites remote history)" -> "push forzato con git"."""
    bare = _SEVERITY.sub("", text)
    for known in (bare, _REMARK.sub("", bare), bare.partition(". ")[0], bare.partition(": ")[0]):
        if found := words.descriptions.get(known.lower()):
            return found
    if through := _THROUGH.fullmatch(bare):
        return words.describing["program"].format(text=through[1])
    return _shortened(bare)


def _shortened(text: str) -> str:
    """What can be spoken of a text, cut at a word.

    "Plugin: `rm` is *not* allowed" -> "Plugin: rm is not allowed"
    """
    plain = " ".join(_JUNK.sub(" ", text).replace("_", " ").split())
    if len(plain) <= _LONGEST:
        return plain.rstrip(" .,;:")
    return plain[: _LONGEST + 1].rpartition(" ")[0].rstrip(" .,;:") or plain[:_LONGEST]
