"""The text of a reply, as it arrives, to what is spoken of it.

Pure: the same text gives the same clauses however it is cut into deltas, and each as soon as no
text to come could change it.
"""

from voicehermes.lexicon import Lexicon
from voicehermes.speaking.clauses import Clause
from voicehermes.speaking.markdown import Reader
from voicehermes.speaking.sentences import Sentences


class SpeechText:
    """A reply in Markdown, or in plain text, to clauses."""

    def __init__(self, lexicon: Lexicon, *, plain: bool = False) -> None:
        self._sentences = Sentences(lexicon)
        self._reader = Reader(lexicon, self._sentences, plain=plain)

    def feed(self, delta: str) -> list[Clause]:
        """The clauses that are certain with this delta."""
        self._reader.feed(delta)
        return self._sentences.take()

    def end(self) -> list[Clause]:
        """The rest. More may be fed: it begins a new sentence, and the indices go on."""
        self._reader.end()
        return self._sentences.take()
