"""What hermes-agent says of a command, in the user's language."""

import pytest

from voicehermes.deciding.commands.describing import describe
from voicehermes.lexicon.commands import load


@pytest.mark.parametrize(
    ("description", "told"),
    [
        ("recursive delete", "cancellazione ricorsiva"),
        ("Recursive  delete\n", "cancellazione ricorsiva"),
        ("recursive delete (long flag)", "cancellazione ricorsiva"),
        ("delete in root path", "cancellazione in un percorso assoluto"),
        ("world/other-writable permissions", "permessi di scrittura per tutti"),
        ("git force push (rewrites remote history)", "push forzato con git"),
        ("format filesystem (mkfs)", "formattazione di un disco"),
        ("script execution via -e/-c flag", "codice nel comando"),
        ("arbitrary program execution via rg --pre", "programma eseguito tramite rg"),
        (
            "find -delete; SQL DROP; recursive delete; recursive delete (long flag)",
            "cancellazione dei file trovati, eliminazione di dati da un database e "
            "cancellazione ricorsiva",
        ),
        (
            "execute_code script execution. The script can spawn subprocesses or mutate files.",
            "esecuzione di un programma Python",
        ),
        (
            "Security scan — [HIGH] pipe remote content to shell: curl feeds a shell",
            "controllo di sicurezza: codice scaricato da internet",
        ),
        (
            "Security scan: security issue detected",
            "controllo di sicurezza: possibile problema di sicurezza",
        ),
        ("Plugin: `rm` is *not* allowed here", "Plugin: rm is not allowed here"),
        ("", ""),
        (";", ""),
    ],
)
def test_a_description_is_told_in_italian(description: str, told: str) -> None:
    assert describe(description, load("it")) == told


def test_one_that_is_not_known_is_cut_at_a_word() -> None:
    told = describe(
        "this tool wants to reconfigure the whole network of the office now", load("it")
    )
    assert told == "this tool wants to reconfigure the whole network of the"
    assert len(describe("x" * 500, load("it"))) == 60


def test_in_english_it_stays_and_loses_its_remark_only_if_it_is_known() -> None:
    assert describe("recursive delete", load("en")) == "recursive delete"
    assert describe("delete in root path", load("en")) == "deletion in an absolute path"


def test_every_known_description_is_short_and_in_lower_case() -> None:
    for known, told in load("it").descriptions.items():
        assert known == known.lower()
        assert len(told) <= 60
