"""What is said to the assistant itself, whole utterances only; and what is said to nobody."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.deciding.local_commands import is_backchannel, local_command
from voicehermes.events import LOCAL_COMMANDS
from voicehermes.lexicon import Language
from voicehermes.lexicon.folding import Phrase
from voicehermes.lexicon.requests import load

CASES = Path(__file__).parent / "data" / "requests"

LANGUAGES: tuple[Language, ...] = ("it", "en")


def _cases(kind: str, language: Language) -> list[tuple[str, str]]:
    """What is expected and what was said, of every case of that kind."""
    lines = (CASES / f"{kind}_{language}.tsv").read_text("utf-8").splitlines()
    split = (line.split("\t") for line in lines if not line.startswith("#"))
    return [(expected, said) for expected, said in split]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_command_is_known_as_people_say_it_and_nothing_else_is_one(language: Language) -> None:
    words = load(language)
    told = [
        (local_command(said, words, LOCAL_COMMANDS) or "none", said)
        for _, said in _cases("requests", language)
    ]
    assert told == _cases("requests", language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_only_follows_is_told_from_who_wants_something(language: Language) -> None:
    told = [
        ("yes" if is_backchannel(said, load(language)) else "no", said)
        for _, said in _cases("backchannels", language)
    ]
    assert told == _cases("backchannels", language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_cases_of_every_command(language: Language) -> None:
    assert {expected for expected, _ in _cases("requests", language)} == {*LOCAL_COMMANDS, "none"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_command_that_is_switched_off_goes_to_the_agent(language: Language) -> None:
    words = load(language)
    for command in LOCAL_COMMANDS:
        said = " ".join(min(words.commands[command]))
        assert local_command(said, words, {command}) == command
        assert local_command(said, words, set(LOCAL_COMMANDS) - {command}) is None


def _known(language: Language) -> set[str]:
    """All words of the lists."""
    words = load(language)
    phrases = set(words.wrappings).union(*words.commands.values())
    return {word for phrase in phrases for word in phrase}


_COMMANDS = st.sampled_from(
    [(lang, p) for lang in LANGUAGES for ps in load(lang).commands.values() for p in sorted(ps)]
)
_CONTENT_WORDS = st.text("bcdfglmnprstvaeiou", min_size=3, max_size=12)


@given(_COMMANDS, st.lists(_CONTENT_WORDS, min_size=2, max_size=2), st.booleans())
def test_a_command_with_two_more_words_that_mean_something_is_none(
    command: tuple[Language, Phrase], more: list[str], in_front: bool
) -> None:
    language, phrase = command
    if _known(language) & set(more):
        return
    said = " ".join((*more, *phrase) if in_front else (*phrase, *more))
    assert local_command(said, load(language), LOCAL_COMMANDS) is None
    assert not is_backchannel(said, load(language))


@given(_COMMANDS, st.data())
def test_a_command_is_the_same_however_it_is_wrapped_and_written(
    command: tuple[Language, Phrase], data: st.DataObject
) -> None:
    language, phrase = command
    words = load(language)
    plain = local_command(" ".join(phrase), words, LOCAL_COMMANDS)
    wrapping = st.sampled_from([" ".join(phrase) for phrase in sorted(words.wrappings)])
    before, after = data.draw(wrapping), data.draw(wrapping)
    said = f"{before.capitalize()}, {' '.join(phrase).upper()} {after}!"
    assert plain is not None
    assert local_command(said, words, LOCAL_COMMANDS) == plain


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_wrapping_makes_another_command_of_one_together_with_its_words(
    language: Language,
) -> None:
    words = load(language)
    listed = words.wrappings.union(*words.commands.values())
    begun = {phrase[:length] for phrase in listed for length in range(1, len(phrase))}

    def is_bridged(before: Phrase, after: Phrase) -> bool:
        ends = [before[place:] for place in range(len(before)) if before[place:] in begun]
        return any(end + after[: n + 1] in listed for end in ends for n in range(len(after)))

    for command, phrases in words.commands.items():
        for phrase, wrapping in product(phrases, words.wrappings):
            for pair in ((wrapping, phrase), (phrase, wrapping)):
                if is_bridged(*pair):
                    said = " ".join(pair[0] + pair[1])
                    assert local_command(said, words, LOCAL_COMMANDS) == command


@given(st.text(max_size=60))
def test_anything_may_be_asked_about(text: str) -> None:
    for language in LANGUAGES:
        local_command(text, load(language), LOCAL_COMMANDS)
        is_backchannel(text, load(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_phrase_is_in_two_lists(language: Language) -> None:
    words = load(language)
    lists = [words.wrappings, *words.commands.values()]
    assert sum(map(len, lists)) == len(frozenset().union(*lists))
    assert not words.backchannels & frozenset().union(*words.commands.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_wrappings_alone_ask_for_nothing(language: Language) -> None:
    words = load(language)
    for phrase in words.wrappings:
        assert local_command(" ".join(phrase), words, LOCAL_COMMANDS) is None


def test_a_long_talk_is_for_nobody_but_the_agent() -> None:
    words = load("it")
    assert local_command("ripeti " * 20, words, LOCAL_COMMANDS) == "repeat"
    assert local_command("ripeti " * 21, words, LOCAL_COMMANDS) is None
    assert not is_backchannel("sì " * 21, words)


def test_of_two_commands_only_a_call_for_quiet_gives_way() -> None:
    words = load("it")
    assert local_command("Stop, ripeti.", words, LOCAL_COMMANDS) == "repeat"
    assert local_command("Ripeti, stop.", words, LOCAL_COMMANDS) == "repeat"
    assert local_command("Ripeti più piano.", words, LOCAL_COMMANDS) is None
    assert local_command("Stop, ripeti, più piano.", words, LOCAL_COMMANDS) is None
