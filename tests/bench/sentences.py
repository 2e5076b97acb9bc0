"""How many texts each splitter cuts as a careful reader would: ``python -m tests.bench.sentences``.

pysbd and sentencex join the table where they are installed; the project does not need them.
"""

import importlib
import importlib.util
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.spoken import sentences_of
from voicehermes.lexicon import Language, load
from voicehermes.speaking.speakable import SpeechText

DATA = Path(__file__).parent.parent / "data" / "sentences"
SETS = ("golden-it", "prose-it", "prose-it-later", "prose-en", "markdown")

Split = Callable[[str, Language], list[str]]


def ours(text: str, language: Language) -> list[str]:
    speech = SpeechText(load(language))
    clauses = [clause for at in range(0, len(text), 4) for clause in speech.feed(text[at : at + 4])]
    return sentences_of(clauses + speech.end())


def pysbd() -> Split:
    library = importlib.import_module("pysbd")
    segmenters = {
        language: library.Segmenter(language=language, clean=False) for language in ("it", "en")
    }
    return lambda text, language: segmenters[language].segment(text)


def sentencex() -> Split:
    library = importlib.import_module("sentencex")
    return lambda text, language: list(library.segment(language, text))


def splitters() -> dict[str, Split]:
    """Those that are there, by name."""
    others = {"pysbd": pysbd, "sentencex": sentencex}
    there = {name: make() for name, make in others.items() if importlib.util.find_spec(name)}
    return {"voicehermes": ours} | there


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


def main() -> None:
    """Print the table: texts cut right, of how many, and the time per sentence."""
    table = splitters()
    print(f"{'set':16}{'texts':>6}", *(f"{name:>24}" for name in table), sep="")
    for name in SETS:
        texts = cases(name)
        print(f"{name:16}{len(texts):>6}", end="")
        for split in table.values():
            began = time.process_time()
            found = [split(case["md"], case["language"]) for case in texts]
            seconds = time.process_time() - began
            right = sum(
                [part.strip() for part in parts] == case["sentences"]
                for parts, case in zip(found, texts, strict=True)
            )
            each = seconds / sum(len(case["sentences"]) for case in texts) * 1e6
            print(f"{right:>6} {right / len(texts):>5.0%} {each:>6.0f} µs/s.", end="")
        print()
    missing = {"pysbd", "sentencex"} - table.keys()
    if missing:
        print("not installed, so not compared:", ", ".join(sorted(missing)))


if __name__ == "__main__":
    main()
