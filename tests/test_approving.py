"""Spoken answers to an approval: what is said refuses, asks, or allows; nothing else allows."""

import string
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.bench.answers import CONSENTS, Case, cases, faults
from voicehermes import lexicon
from voicehermes.deciding.approving import (
    GRANTS,
    LONGEST_GRANT,
    is_confirmation,
    of_approval,
)
from voicehermes.deciding.matching import contains
from voicehermes.lexicon import Language
from voicehermes.lexicon.answers import AnswerWords, load
from voicehermes.lexicon.folding import tokens

LANGUAGES: tuple[Language, ...] = ("it", "en")
WORDS = {language: load(language) for language in LANGUAGES}
CASES = list(cases())

TAKEN_FOR_LEFT_OVER = {"Do it.", "Run it.", "Proceda.", "Esegua.", "Proceda per tutta la sessione."}
"""Consents that are asked for again: what is left of "don't do it" or "non proceda" is the same."""

GRANTING = [case for case in CASES if case.expected <= set(GRANTS) and case.heard in GRANTS]
REFUSALS = [case for case in CASES if case.expected == {"deny"}]


def sayings(words: AnswerWords, *names: str) -> st.SearchStrategy[str]:
    """One of the phrases of these lists."""
    phrases = sorted({phrase for name in names for phrase in getattr(words, name)})
    return st.sampled_from(phrases).map(" ".join)


def inserted(case: Case, extra: str, at: int) -> str:
    """The transcript with more words before its word of that number."""
    parts = case.transcript.split()
    return " ".join([*parts[: at % (len(parts) + 1)], extra, *parts[at % (len(parts) + 1) :]])


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}: {case.transcript}")
def test_what_people_say_is_understood(case: Case) -> None:
    if case.transcript in TAKEN_FOR_LEFT_OVER and case.expected <= set(GRANTS):
        assert case.heard == "unclear"
    else:
        assert not faults(case)


def test_there_are_enough_cases_and_few_plain_consents_are_misread() -> None:
    italian = [
        case for case in CASES if case.file.startswith("approvals") and case.language == "it"
    ]
    assert len(italian) >= 400
    assert len([case for case in CASES if case.language == "en"]) >= 100
    plain = [case for case in CASES if case.kind == "plain-consent" and case.expected <= CONSENTS]
    assert len([case for case in plain if faults(case)]) <= 0.03 * len(plain)


@given(st.sampled_from(GRANTING), st.integers(0, 20), st.data())
def test_a_refusal_anywhere_in_a_grant_refuses(case: Case, at: int, data: st.DataObject) -> None:
    words = WORDS[case.language]
    is_conditional = contains(tokens(case.transcript), words.conditions)  # "until the end of it"
    names = ("refusals",) if is_conditional else ("refusals", "negatives", "stops")
    said = inserted(case, data.draw(sayings(words, *names)), at)
    meaning = of_approval(said, words)
    assert meaning not in GRANTS
    # "do not" and "only" make "not only"; "che" and "cancella" ask what it deletes.
    assume(not contains(tokens(said), words.idioms | words.details))
    assert meaning == "deny"


@given(st.sampled_from(GRANTING), st.sampled_from(REFUSALS), st.booleans())
def test_a_refusal_before_or_behind_a_grant_refuses(
    grant: Case, refusal: Case, is_before: bool
) -> None:
    assume(grant.language == refusal.language)
    first, then = (refusal, grant) if is_before else (grant, refusal)
    said = f"{first.transcript} {then.transcript}"
    assert of_approval(said, WORDS[grant.language]) not in GRANTS


@given(st.sampled_from(GRANTING), st.integers(0, 20), st.data())
def test_to_wait_or_to_ask_beside_a_grant_allows_nothing(
    case: Case, at: int, data: st.DataObject
) -> None:
    asked = data.draw(
        sayings(WORDS[case.language], "waits", "repeats", "details", "interrogatives", "idioms")
    )
    assert of_approval(inserted(case, asked, at), WORDS[case.language]) not in GRANTS


@given(st.sampled_from(GRANTING), st.integers(0, 60), st.sampled_from("?？‽؟¿"))
def test_a_question_is_never_a_grant(case: Case, at: int, mark: str) -> None:
    said = case.transcript
    asked = said[: at % (len(said) + 1)] + mark + said[at % (len(said) + 1) :]
    assert of_approval(said.rstrip(".!") + mark, WORDS[case.language]) not in GRANTS
    assert of_approval(asked, WORDS[case.language]) not in GRANTS


@given(
    st.sampled_from(GRANTING),
    st.integers(0, 20),
    st.text(string.ascii_lowercase + "àèìòù", min_size=2, max_size=12),
)
def test_one_unknown_word_makes_a_grant_none(case: Case, at: int, word: str) -> None:
    words = WORDS[case.language]
    scopes = (words.once, words.limits, words.session, words.always)
    allowing = (words.consents, words.followers, *scopes)
    known = {
        part for phrases in (*allowing, words.fillers) for phrase in phrases for part in phrase
    }
    assume(not set(tokens(word)) & known)
    assert of_approval(inserted(case, word, at), words) not in GRANTS


@given(
    st.sampled_from(GRANTING),
    st.sampled_from('"“»[](){}*♪/&%@#+=~|_\\\ufffd👎'),
    st.integers(0, 60),
)
def test_a_sign_that_may_mean_something_makes_a_grant_none(case: Case, sign: str, at: int) -> None:
    said = case.transcript
    signed = said[: at % (len(said) + 1)] + sign + said[at % (len(said) + 1) :]
    assert of_approval(signed, WORDS[case.language]) not in GRANTS


@given(st.sampled_from(LANGUAGES), st.data())
def test_a_grant_is_short(language: Language, data: st.DataObject) -> None:
    words = WORDS[language]
    said = " ".join(data.draw(st.lists(sayings(words, "consents", "fillers"), min_size=4)))
    assume(len(tokens(said)) > LONGEST_GRANT)
    assert of_approval(said, words) not in GRANTS


@given(st.text(), st.sampled_from(LANGUAGES))
def test_any_text_is_understood_and_what_has_no_known_word_is_unclear(
    text: str, language: Language
) -> None:
    meaning = of_approval(text, WORDS[language])
    if not tokens(text):
        assert meaning == "unclear"


@given(st.sampled_from(GRANTING), st.sampled_from(["upper", "lower", "title", "capitalize"]))
def test_capitals_and_the_last_full_stop_change_no_meaning(case: Case, how: str) -> None:
    words = WORDS[case.language]
    said: str = getattr(case.transcript, how)()
    assert of_approval(said.rstrip(".") + "!", words) == of_approval(case.transcript, words)


@pytest.mark.parametrize("said", ["sì", "va bene", "procedi", "sì sì"])
def test_repetition_is_silence_from_four_times_on(said: str) -> None:
    assert of_approval(" ".join([said]), WORDS["it"]) == "once"
    assert of_approval(" ".join([said] * 4), WORDS["it"]) == "unclear"
    assert of_approval(" ".join([said] * 40), WORDS["it"]) == "unclear"


def test_a_grant_says_no_word_over_and_over() -> None:
    assert of_approval("Sì sì sì, procedi.", WORDS["it"]) == "once"
    assert of_approval("Sì sì sì sì, procedi.", WORDS["it"]) == "unclear"


def test_a_question_said_over_and_over_is_silence_too() -> None:
    assert of_approval("dettagli dettagli dettagli", WORDS["it"]) == "details"
    assert of_approval("dettagli dettagli dettagli dettagli", WORDS["it"]) == "unclear"


@given(st.sampled_from(GRANTING), st.data())
def test_an_answer_that_is_left_hanging_allows_nothing(case: Case, data: st.DataObject) -> None:
    words = WORDS[case.language]
    said = f"{case.transcript.rstrip('.!')} {data.draw(sayings(words, 'hanging'))}"
    assert of_approval(said, words) not in GRANTS


@given(st.sampled_from(LANGUAGES), st.data())
def test_to_take_note_allows_nothing(language: Language, data: st.DataObject) -> None:
    words = WORDS[language]
    parts = [data.draw(sayings(words, name)) for name in ("acknowledgments", "nods", "nods")]
    assert of_approval(" ".join(data.draw(st.permutations(parts))), words) not in GRANTS


@given(st.sampled_from(LANGUAGES), st.data())
def test_a_limit_allows_nothing_by_itself_and_no_more_than_once(
    language: Language, data: st.DataObject
) -> None:
    words = WORDS[language]
    limit = data.draw(sayings(words, "limits"))
    assert of_approval(limit, words) == "unclear"
    assert of_approval(f"ok {limit}", words) == "once"
    assert of_approval(f"{data.draw(sayings(words, 'session'))} {limit}", words) == "unclear"


def test_what_recognisers_invent_refuses_nothing() -> None:
    assert of_approval("[Non udibile]", WORDS["it"]) == "unclear"
    assert of_approval("Non dimenticate di iscrivervi al canale.", WORDS["it"]) == "unclear"
    assert of_approval("Sottotitoli a cura di QTSS. No.", WORDS["it"]) == "deny"


def test_a_reason_to_refuse_is_a_refusal_and_a_question_about_it_is_none() -> None:
    assert of_approval("Perché non voglio.", WORDS["it"]) == "deny"
    assert of_approval("Perché non lo leggi tutto?", WORDS["it"]) == "details"


@given(st.sampled_from(GRANTING), st.integers(0, 20), st.data())
def test_an_idiom_allows_nothing_even_if_all_its_words_did(
    case: Case, at: int, data: st.DataObject
) -> None:
    words = WORDS[case.language]
    idiom = data.draw(sayings(words, "idioms"))
    allowing = replace(words, consents=words.consents | {(word,) for word in idiom.split()})
    assert of_approval(inserted(case, idiom, at), allowing) not in GRANTS


def test_a_refusal_said_over_and_over_is_still_one() -> None:
    assert of_approval("No! No! No! No!", WORDS["it"]) == "deny"


def test_two_different_grants_are_none() -> None:
    for said in (
        "Sempre per la sessione.",
        "Una volta, per la sessione.",
        "Sì, una volta, sempre.",
    ):
        assert of_approval(said, WORDS["it"]) == "unclear"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_left_of_our_own_prompt_allows_nothing(language: Language) -> None:
    say = lexicon.load(language).say
    names = ("once", "session", "always", "details")
    prompt = say("approval-offer", answers=", ".join(say(f"answer-{name}") for name in names))
    parts = prompt.split()
    for begin in range(len(parts)):
        for end in range(begin + 2, len(parts) + 1):
            part = " ".join(parts[begin:end])
            assert of_approval(part, WORDS[language]) not in GRANTS
            assert of_approval(" ".join(tokens(part)), WORDS[language]) not in GRANTS
            assert not is_confirmation(part, WORDS[language])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["once", "session", "always", "details"])
def test_what_our_prompt_offers_is_understood(language: Language, name: str) -> None:
    assert of_approval(lexicon.load(language).say(f"answer-{name}"), WORDS[language]) == name


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_second_prompt_confirms_nothing_by_itself(language: Language) -> None:
    parts = lexicon.load(language).say("confirm-word").split()
    for begin in range(len(parts)):
        for end in range(begin + 1, len(parts) + 1):
            if tokens(" ".join(parts[begin:end])) not in WORDS[language].confirmation:
                assert not is_confirmation(" ".join(parts[begin:end]), WORDS[language])


@given(st.sampled_from(LANGUAGES), st.text(min_size=1), st.booleans())
def test_only_the_confirming_word_confirms(language: Language, extra: str, is_before: bool) -> None:
    words = WORDS[language]
    word = " ".join(min(words.confirmation))
    assert is_confirmation(word.upper() + ".", words)
    said = f"{extra} {word}" if is_before else f"{word} {extra}"
    assert not is_confirmation(said, words) or tokens(said) in words.confirmation
    assert not is_confirmation(word + "?", words)


@given(st.sampled_from([case for case in CASES if case.file.startswith("approvals")]))
def test_what_answers_the_first_question_confirms_nothing(case: Case) -> None:
    words = WORDS[case.language]
    is_the_word = tokens(case.transcript) in words.confirmation and case.expected == {"once"}
    assert is_confirmation(case.transcript, words) == is_the_word
