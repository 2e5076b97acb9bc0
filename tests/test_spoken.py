"""What was heard of late is known by its words, and forgotten after a minute."""

from voicehermes.speaking.spoken import Spoken


class Stage:
    def __init__(self) -> None:
        self.heard_until: float | None = None
        self.spoken = Spoken(lambda: self.heard_until)

    def play(self, tag: int, text: str, *, until: float) -> None:
        self.spoken.began(tag, text)
        self.heard_until = until
        self.spoken.ended(tag)


def test_nothing_was_spoken_before_the_first_sound() -> None:
    assert Stage().spoken.since(0.0) == []


def test_what_was_heard_since_a_time_is_told_in_order() -> None:
    stage = Stage()
    stage.play(1, "Certo!", until=2.0)
    stage.play(2, "Domani piove.", until=5.0)
    stage.play(3, "Porta l'ombrello.", until=8.0)
    assert stage.spoken.since(3.0) == ["Domani piove.", "Porta l'ombrello."]
    assert stage.spoken.since(5.0) == ["Domani piove.", "Porta l'ombrello."]
    assert stage.spoken.since(8.5) == []


def test_what_still_sounds_is_among_it_and_what_is_paused_only_as_far_as_it_was_heard() -> None:
    stage = Stage()
    stage.spoken.began(1, "Domani a Milano piove.")
    stage.heard_until = 4.0
    assert stage.spoken.since(3.0) == ["Domani a Milano piove."]
    assert stage.spoken.since(10.0) == []
    stage.heard_until = 11.0
    assert stage.spoken.since(10.0) == ["Domani a Milano piove."]


def test_what_was_cut_off_counts_until_it_was() -> None:
    stage = Stage()
    stage.spoken.began(1, "Domani a Milano piove.")
    stage.heard_until = 1.0
    stage.spoken.ended(1)
    stage.play(2, "Annullato.", until=9.0)
    assert stage.spoken.since(5.0) == ["Annullato."]


def test_a_minute_is_remembered() -> None:
    stage = Stage()
    for second in range(0, 1000, 10):
        stage.play(second, f"{second}", until=float(second))
    assert stage.spoken.since(0.0) == [f"{second}" for second in range(930, 1000, 10)]
