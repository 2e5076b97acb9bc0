"""Wording: what the words so far tell of the end, and how parts read as one text."""

import pytest

from voicehermes.hearing.wording import joined, sounds_finished
from voicehermes.lexicon import Language, wording

IT, EN = wording.load("it"), wording.load("en")


@pytest.mark.parametrize(
    "text",
    [
        "Che ore sono?",
        "che tempo fa domani a Milano",
        "Dov'è la stazione più vicina?",
        "Che ora è?",
        "Accendi la luce in cucina, per favore.",
        "Vorrei prenotare un tavolo per quattro persone.",
        "Metti una sveglia domani mattina alle sette",
        "Quando arriva il treno da Bologna?",
        "Ricordami che devo passare a prenderlo io.",
        "Dimmi dove si può parcheggiare da quelle parti.",
        "Ma quanto costa alla fine?",
        "Lascia pure tutto quanto là.",
    ],
)
def test_a_whole_sentence_sounds_finished(text: str) -> None:
    assert sounds_finished(text, IT) is True


@pytest.mark.parametrize(
    "text",
    [
        "Vorrei che",
        "Vorrei che.",
        "Accendi la luce e.",
        "Prenota un tavolo per quattro persone con",
        "Mandami il documento che ho salvato nella.",
        "Non ci vado perché",
        "Domani a Milano, cioè",
        "Volevo chiederti, ehm.",
        "Il problema della mia macchina è",
        "Mi piacerebbe sapere se",
        "Allora, io vorrei...",
        "Allora, io direi così…",
        "Metti nella lista il latte, il pane,",
        "Cercami un volo per la",
        "Scrivi a Marco e poi",
        "Dimmi dove",
        "Fammi pensare un attimo",
        "Quello che non",
    ],
)
def test_a_sentence_left_hanging_does_not_sound_finished_whatever_sign_is_behind_it(
    text: str,
) -> None:
    assert sounds_finished(text, IT) is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "...",
        "Sì.",
        "Il mio amico.",
        "Se domani piove.",
        "Quando torni a casa la sera.",
        "E perché?",
        "Spegni la luce.",
    ],
)
def test_of_a_few_words_and_of_a_condition_nothing_is_known(text: str) -> None:
    assert sounds_finished(text, IT) is None


def test_accents_tell_words_apart() -> None:
    assert sounds_finished("Mettilo un po' più in là", IT) is True
    assert sounds_finished("Mettilo un po' più vicino alla", IT) is False
    assert sounds_finished("Secondo me la risposta giusta è sì", IT) is True


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("What time is it?", True),
        ("Turn on the light in the kitchen.", True),
        ("Turn on the light and.", False),
        ("I would like to.", False),
        ("Where do you come from?", True),
        ("Remind me tomorrow, um", False),
        ("If it rains tomorrow morning.", None),
        ("Yes.", None),
    ],
)
def test_english_is_judged_by_its_own_words(text: str, verdict: bool | None) -> None:
    assert sounds_finished(text, EN) is verdict


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([], ""),
        (["Ciao."], "Ciao."),
        (["", "Ciao.", ""], "Ciao."),
        (
            ["Vorrei un tavolo per quattro.", "Domani sera alle otto."],
            "Vorrei un tavolo per quattro. Domani sera alle otto.",
        ),
        (["Vorrei un tavolo per.", "Il giorno dopo."], "Vorrei un tavolo per il giorno dopo."),
        (["Vorrei andare a.", "Milano domani."], "Vorrei andare a Milano domani."),
        (["Prendi il latte,", "E anche il pane."], "Prendi il latte, e anche il pane."),
        (["Prendi il latte...", "...e anche il pane."], "Prendi il latte e anche il pane."),
        (["Prendi il latte.", "e anche il pane."], "Prendi il latte e anche il pane."),
        (["Che cosa ne pensi?", "Io direi di sì."], "Che cosa ne pensi? Io direi di sì."),
        (["Sì.", "..."], "Sì."),
    ],
)
def test_the_texts_of_parts_read_as_one(parts: list[str], text: str) -> None:
    assert joined(parts, IT) == text


@pytest.mark.parametrize("language", ["it", "en"])
def test_no_phrase_hangs_both_always_and_unless_asked(language: Language) -> None:
    words = wording.load(language)
    assert not words.hanging & words.hanging_unless_asked


@pytest.mark.parametrize("language", ["it", "en"])
def test_every_phrase_can_be_matched(language: Language) -> None:
    words = wording.load(language)
    lists = (words.hanging, words.hanging_unless_asked, words.interrogatives, words.openings)
    assert all(0 < len(phrase) <= wording.MOST_WORDS for phrases in lists for phrase in phrases)
