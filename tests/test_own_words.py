"""What we said ourselves is known again, also misheard; what people say about it is theirs."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import QUICK_SECONDS
from voicehermes.hearing.own_words import LEAST_WORDS, is_own

SPOKEN = [
    "Certo!",
    "Domani a Milano piove per tutta la mattina, e nel pomeriggio esce il sole.",
    "La temperatura massima sarà di 12 gradi.",
    "Ti consiglio di prendere l'ombrello se esci prima di pranzo.",
    "Vuoi che ti avvisi quando smette di piovere?",
]
WORDS = " ".join(SPOKEN).split()


@pytest.mark.parametrize(
    "text",
    [
        "Domani a Milano piove per tutta la mattina e nel pomeriggio esce il sole.",
        "certo domani a milano piove per tutta la mattina",
        "e nel pomeriggio esce il sole la temperatura massima sarà di dodici gradi",
        # Misheard.
        "Domani a Milan o piove per tutta la matina.",
        "e nel pomerigio esce il sole",
        "Ti consiglio di prendere lombrello se esci prima di pranzo.",
        "Ti consiglio prendere l'ombrello se esci prima pranzo",
        "La temperatura massima sarà di dodici gradi, ti consiglio di prendere un ombrello",
        "vuoi che ti avvisi quando smetti di piovere",
        # Cut off where the recording begins or ends.
        "mani a Milano piove per tutta la mattina",
        "la mattina e nel pomeriggio esce il sol",
        "lano piove per tutta la mattina e nel pomer",
    ],
)
def test_a_stretch_of_what_we_said_is_our_own(text: str) -> None:
    assert is_own(text, SPOKEN)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sì",
        "No.",
        "la seconda",
        "certo",
        "esce il sole",
        "quando smette di piovere",  # an answer in the words of the question
        "sì, avvisami quando smette di piovere",
        "No, non voglio che mi avvisi quando smette di piovere.",
        "E domani a Roma piove per tutta la mattina?",
        "Domani a Roma piove per tutta la mattina?",
        "e nel pomeriggio esce la luna?",
        "quindi nel pomeriggio esce il sole?",
        "basta così, dimmi che ore sono",
        "nel pomeriggio esce il sole, fermati",
        "domani a Milano piove per tutta la mattina no",
        "aspetta, ti consiglio di prendere l'ombrello",
        "Che temperatura massima ci sarà invece domenica a Milano?",
        "mandalo a Milano domani mattina per favore",
    ],
)
def test_what_people_say_about_it_is_theirs(text: str) -> None:
    assert not is_own(text, SPOKEN)


def test_nothing_is_our_own_where_we_said_nothing() -> None:
    assert not is_own("Domani a Milano piove per tutta la mattina.", [])
    assert not is_own("Domani a Milano piove per tutta la mattina.", ["…", ""])


@given(st.integers(0, len(WORDS) - LEAST_WORDS - 2), st.integers(LEAST_WORDS + 1, len(WORDS)))
def test_every_stretch_of_it_is_our_own(first: int, count: int) -> None:
    assert is_own(" ".join(WORDS[first : first + count]), SPOKEN)


@given(st.integers(0, len(WORDS) - 12), st.integers(1, 10), st.randoms(use_true_random=False))
def test_a_wrong_letter_in_a_long_word_changes_nothing(
    first: int, misheard: int, chance: random.Random
) -> None:
    words = WORDS[first : first + 12]
    word = words[misheard]
    if len(word) > 5:
        at = chance.randrange(1, len(word) - 1)
        words[misheard] = word[:at] + chance.choice("aeiou") + word[at + 1 :]
    assert is_own(" ".join(words), SPOKEN)


@given(st.integers(0, len(WORDS) - 8), st.sampled_from(["no", "fermati", "ma", "invece", "quale"]))
def test_a_word_of_the_users_before_or_behind_it_makes_it_theirs(first: int, word: str) -> None:
    stretch = " ".join(WORDS[first : first + 8])
    assert not is_own(f"{word} {stretch}", SPOKEN)
    assert not is_own(f"{stretch} {word}", SPOKEN)


@given(st.text(max_size=80), st.lists(st.text(max_size=80), max_size=4))
@settings(max_examples=200)
def test_any_text_can_be_compared(text: str, spoken: list[str]) -> None:
    is_own(text, spoken)


@given(st.lists(st.sampled_from(WORDS), max_size=LEAST_WORDS - 1))
def test_short_answers_are_always_theirs(words: list[str]) -> None:
    if not any("'" in word for word in words):  # which parts a word
        assert not is_own(" ".join(words), SPOKEN)


def test_a_minute_of_speech_is_compared_in_no_time() -> None:
    chance = random.Random(1)
    ours = ["".join(chance.choices("abcdeilmnoprst", k=6)) for _ in range(160)]
    begun = time.process_time()
    is_own(" ".join(chance.choices(ours, k=80)), [" ".join(ours)])
    assert time.process_time() - begun < QUICK_SECONDS
