"""Commands cut into tokens."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.deciding.commands.shell_tokens import COMMANDS_IN, Cut, Kind, cut

PIECES = st.sampled_from(
    [*"ab \\'\"`$(){}<>|&;#\n\t12-", "$(", "${", "$'", "<<E", "\nE\n", "2>&1", "<(", "((", "<<-'E'"]
)
COMMANDS = st.lists(PIECES, max_size=25).map("".join)


def kinds(command: str) -> list[tuple[str, str]]:
    return [(token.kind.name, token.text) for token in cut(command).tokens]


@given(COMMANDS | st.text(max_size=30))
def test_no_character_is_lost(command: str) -> None:
    assert "".join(token.text for token in cut(command).tokens) == command


@pytest.mark.parametrize("within", ["", '"', '"${', "${", "$(", '"$(', "`", "((", "$'", "<<E\n${"])
def test_any_three_characters_are_read_whatever_they_stand_in(within: str) -> None:
    for three in product("\"'`$(){}<\\\n;#a ", repeat=3):
        command = within + "".join(three)
        assert "".join(token.text for token in cut(command).tokens) == command


def test_a_translated_string_in_a_quoted_expansion_is_one_as_bash_has_it() -> None:
    assert kinds('"${x:-$"a"}"') == [
        ("OPEN", '"'),
        ("OPEN", "${"),
        ("TEXT", "x:-"),
        ("OPEN", '$"'),
        ("TEXT", "a"),
        ("CLOSE", '"'),
        ("CLOSE", "}"),
        ("CLOSE", '"'),
    ]


@given(COMMANDS)
def test_a_command_that_is_whole_closes_what_it_opens(command: str) -> None:
    tokens = cut(command)
    opened = sum(token.kind is Kind.OPEN for token in tokens.tokens)
    closed = sum(token.kind is Kind.CLOSE for token in tokens.tokens)
    assert tokens.is_broken or opened == closed


def test_quotes_and_what_they_hold_are_told_apart() -> None:
    assert kinds("rm 'a b'") == [
        ("TEXT", "rm"),
        ("SPACE", " "),
        ("OPEN", "'"),
        ("TEXT", "a b"),
        ("CLOSE", "'"),
    ]


@pytest.mark.parametrize(
    ("command", "redirect"),
    [("a 2>&1", "2>&1"), ("a 2>b", "2>"), ("a2>b", ">"), ("a &>>b", "&>>"), ("{fd}<b", "{fd}<")],
)
def test_a_redirection_has_its_number_only_where_a_word_could_begin(
    command: str, redirect: str
) -> None:
    assert ("REDIRECT", redirect) in kinds(command)


def test_a_here_document_ends_where_its_word_stands_alone() -> None:
    assert kinds("cat <<-E\n\ta E\n\tE\nls")[-5:] == [
        ("NEWLINE", "\n"),
        ("BODY", "\ta E\n"),
        ("END", "\tE"),
        ("NEWLINE", "\n"),
        ("TEXT", "ls"),
    ]


def test_a_shift_in_arithmetic_begins_no_here_document() -> None:
    assert not cut("echo $((1<<3))\nls").is_broken
    assert cut("echo $((1<<3))\nls").tokens[-1].kind is Kind.TEXT


def test_single_quotes_hide_nothing_in_an_expansion_within_double_ones() -> None:
    """``"${x:-'}"; rm y; "${z:-'}"`` runs rm: a shell takes the quotes for text there."""
    assert ("OPERATOR", ";") in kinds('"${x:-\'}"; rm y; "${z:-\'}"')


def test_a_hash_begins_a_comment_only_at_a_words_start() -> None:
    assert ("COMMENT", "# b") in kinds("a # b")
    assert ("TEXT", "a#b") in kinds("a#b")


@pytest.mark.parametrize(
    "command",
    ["'", '"', "`", "$(", "${", "(", ")", "a \\", "<<E\na", "<<E", "$(a", "`a '`", '"`a"`', "$'"],
)
def test_what_is_never_closed_is_broken(command: str) -> None:
    assert cut(command).is_broken


@pytest.mark.parametrize("command", ["", "a", "a 'b' \"c $(d `e` ${f})\"", "(a; b)", "a\\\nb"])
def test_what_is_closed_is_not(command: str) -> None:
    assert not cut(command).is_broken


def test_each_token_knows_what_it_stands_within() -> None:
    tokens: Cut = cut('a "b $(c)"')
    within = {token.text: token.within for token in tokens.tokens if token.kind is Kind.TEXT}
    assert within == {"a": "", "b ": '"', "c": "$("}
    assert "$(" in COMMANDS_IN
