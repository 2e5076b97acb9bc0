"""The simple commands of a command."""

import pytest
from hypothesis import given

from tests.test_shell_tokens import COMMANDS
from voicehermes.deciding.commands.shell import Simple, parse


def words(simple: Simple) -> list[str]:
    return [word.value for word in simple.words]


def commands(command: str) -> list[list[str]]:
    return [words(simple) for simple in parse(command).commands]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("a b; c | d && e", [["a", "b"], ["c"], ["d"], ["e"]]),
        ("r''m \"-r\"f \\x", [["rm", "-rf", "x"]]),
        ('a "$(b c)" d', [["b", "c"], ["a", "$(b c)", "d"]]),
        ("a `b`", [["b"], ["a", "`b`"]]),
        ("a <(b) >(c)", [["b"], ["c"], ["a", "<(b)", ">(c)"]]),
        ("(a; b) | c", [["a"], ["b"], ["c"]]),
        ("a\\\nb c", [["ab", "c"]]),
        ("a # b\nc", [["a"], ["c"]]),
        ("cat <<E\n$(a) b\nE\nc", [["cat"], ["a"], ["c"]]),
        ("cat <<'E'\n$(a) b\nE\nc", [["cat"], ["c"]]),
        ("", []),
    ],
)
def test_every_command_is_found(command: str, expected: list[list[str]]) -> None:
    assert commands(command) == expected


def test_a_commands_redirections_and_lines_are_its_own() -> None:
    first, second = parse("a > x 2>&1 <<E | b >> y\nl\nE").commands
    assert [(r.sign, r.target.value) for r in first.redirects] == [
        (">", "x"),
        ("2>&1", ""),
        ("<<", "E"),
    ]
    assert first.lines == "l\n"
    assert [(r.sign, r.target.value) for r in second.redirects] == [(">>", "y")]
    assert second.lines is None
    assert second.after == "|"


def test_a_word_knows_whether_it_is_quoted_and_whether_it_changes() -> None:
    (simple,) = parse("a 'b' $c \"$d\" \\e '$f'").commands
    assert [(w.is_quoted, w.is_dynamic) for w in simple.words] == [
        (False, False),
        (True, False),
        (False, True),
        (True, True),
        (True, False),
        (True, False),
    ]


@pytest.mark.parametrize("command", ["a >", "a 'b", "$(", "a <<E"])
def test_what_no_shell_would_run_is_broken(command: str) -> None:
    assert parse(command).is_broken


def test_here_documents_within_each_other_end_somewhere() -> None:
    assert parse("cat <<E\n$(" * 300).is_broken


@given(COMMANDS)
def test_any_text_has_commands_or_none(command: str) -> None:
    for simple in parse(command).commands:
        assert simple.words or simple.redirects


def test_a_redirection_knows_whether_it_is_for_writing() -> None:
    (simple,) = parse("a >b 2>>c <>d {e}>f &>g >|h <i <<<j 3<&k").commands
    assert [(r.target.value, r.writes) for r in simple.redirects] == [
        *((target, True) for target in "bcdfgh"),
        *((target, False) for target in "ijk"),
    ]
