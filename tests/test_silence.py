"""What recognisers make of silence is nobody's answer."""

import pytest

from voicehermes.deciding.silence import is_invention, is_nothing, is_repetition
from voicehermes.lexicon.answers import load

WORDS = load("it")


@pytest.mark.parametrize(
    "transcript",
    [
        "", "   ", "...", "♪♪", "♪ la la la ♪", "[Musica]", "(Applausi)", "*sospira*", "<rumore>",
        "Sottotitoli creati dalla comunità Amara.org", "sottotitoli creati dalla comunita amara",
        "Sottotitoli e revisione a cura di QTSS", "Sottotitoli e revisione al canale di Amara.org",
        "Sottotitoli di Sottotitoli di Amara.org", "QTSS",
        "Sottotitoli a cura di QTSS Sottotitoli a cura di QTSS",
        "Grazie a tutti. Sottotitoli creati dalla comunità Amara.org", "Iscriviti al canale!",
        "Grazie per aver guardato il video.", "Grazie per l'attenzione.", "Thanks for watching!",
        "Vielen Dank fürs Zuschauen.", "Untertitelung des ZDF, 2020", "Sous-titrage ST' 501",
        "Sous-titrage Société Radio-Canada", "¡Gracias por ver el video!",
        "Bedankt voor het kijken.",
        "sì sì sì sì", "va bene va bene va bene va bene",
    ],
)  # fmt: skip
def test_inventions_and_repetitions_are_nothing(transcript: str) -> None:
    assert is_nothing(transcript, WORDS)


@pytest.mark.parametrize(
    "transcript",
    [
        "Sì.", "no no no", "sì sì sì", "Grazie a tutti, procedi.", "[Musica] No.",
        "Metti i sottotitoli al video",
        "Sottotitoli e revisione a cura di QTSS. Fermati.", "la cura della comunità", "grazie sì",
    ],
)  # fmt: skip
def test_what_somebody_said_is_something(transcript: str) -> None:
    assert not is_nothing(transcript, WORDS)


def test_a_repetition_may_end_unfinished_but_not_otherwise() -> None:
    assert is_repetition(("va", "bene") * 4 + ("va",))
    assert not is_repetition(("va", "bene") * 4 + ("no",))
    assert not is_repetition(("va", "bene") * 3)
    assert not is_repetition(())


def test_an_invention_is_told_from_a_repetition() -> None:
    assert is_invention("Grazie.", WORDS)
    assert not is_invention("sì sì sì sì", WORDS)
