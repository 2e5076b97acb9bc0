"""What makes a command risky."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.commands import rows
from tests.growth import is_linear
from tests.test_reading import HOSTILE
from tests.test_shell_tokens import COMMANDS
from voicehermes.deciding.commands.risks import LONG, PARSED, risks_of, rules

RISKY = [(names.split(","), command) for names, command in rows("risks.tsv") if names]
HARMLESS = [command for names, command in rows("risks.tsv") if not names]
SPECIAL = {"hidden", "long", "newlines", "outside-workspace", "unreadable"}
"""Those that no rule of the file says, or none alone."""


@pytest.mark.parametrize(("names", "command"), RISKY)
def test_a_risky_command_is_told_so_and_why(names: list[str], command: str) -> None:
    assert set(names) <= set(risks_of(command))


@pytest.mark.parametrize("command", HARMLESS)
def test_a_plainly_harmless_command_is_not_risky(command: str) -> None:
    assert risks_of(command) == ()


def test_every_name_has_cases() -> None:
    tried = {name for names, _ in RISKY for name in names}
    assert {rule.name for rule in rules()} | SPECIAL - {"long"} <= tried


@pytest.mark.parametrize(
    "wrapped",
    [
        "sudo {}",
        "sudo -u bob {}",
        "env A=1 {}",
        "nohup {} &",
        "timeout 5 {}",
        "nice -n 5 {}",
        "xargs {}",
        "time {}",
        "command {}",
        "bash -c '{}'",
        "sh -lc 'cd x && {}'",
        "bash <<E\n{}\nE",
        "bash <<< '{}'",
        "eval '{}'",
        "echo $({})",
        "echo `{}`",
        'echo "$({})"',
        "cat <({})",
        "({})",
        "{{ {}; }}",
        "if a; then {}; fi",
        "while a; do {}; done",
        "a && {}",
        "a || {}",
        "a; {}",
        "a & {}",
        "a\n{}",
        "a | {}",
        "! {}",
        "A=1 {}",
        ">x {}",
        "find . -exec {} \\;",
        "cat <<E\n$({})\nE",
        "ssh h '{}'",
        "su -c '{}'",
        "watch '{}'",
        "trap '{}' EXIT",
        "f() {{ {}; }}",
        "case a in b) {};; esac",
        "/usr/bin/env {}",
        "busybox {}",
        "docker run x {}",
        "bash -c \"sh -c '{}'\"",
        "a $(b $(c $({})))",
        "coproc {}",
        "exec {}",
        "function f {{ {}; }}",
        "for x in $({}); do a; done",
        "a=$({})",
        "[[ $({}) ]]",
    ],
)
def test_nothing_wraps_a_risky_command_so_that_it_is_not(wrapped: str) -> None:
    assert risks_of(wrapped.format("rm -rf x")) != ()
    assert risks_of(wrapped.format("chmod 777 x")) != ()


@pytest.mark.parametrize(
    "command",
    [
        "r\\m -rf x",
        "r'm' -rf x",
        '"r"m -rf x',
        "rm -r''f x",
        "rm '-rf' x",
        'rm "-r" x',
        "rm -\\rf x",
        "/bin/rm -rf x",
        "./rm -rf x",
        "RM -RF x",
        "rm\t-rf\tx",
        "rm  -rf x",
        "rm x -rf",
        "rm -vrf x",
        "rm --recurs x",
        "rm --forc x",
        "r\\\nm -rf x",
        "rm -r\\\nf x",
        "  rm -rf x",
        "rm -rf x # ciao",
    ],
)
def test_however_it_is_spelled_a_deletion_is_one(command: str) -> None:
    assert "delete" in risks_of(command)


@pytest.mark.parametrize(
    ("command", "workspace", "is_outside"),
    [
        ("cp a /home/ugo/lavoro/b", "/home/ugo/lavoro", False),
        ("cp a /home/ugo/lavoro/b", "/home/ugo/lavoro/", False),
        ("cp a /home/ugo/lavoro/b", "", True),
        ("cp a /home/ugo/lavoro2/b", "/home/ugo/lavoro", True),
        ("cp a /home/ugo/lavoro/../b", "/home/ugo/lavoro", True),
        ("cp a /tmp/b", "/home/ugo/lavoro", False),
        ("cp a /tmp/b", "", False),
        ("cp a /tmp/../b", "", True),
        ("cp /etc/a b", "", False),
        ("mv /etc/a b", "", True),
        ("echo a > b", "/x", False),
        ("echo a > $PWD/b", "/x", False),
        ("echo a > ~/lavoro/b", "/home/ugo/lavoro", True),
        ("cd /home/ugo/lavoro && touch a", "/home/ugo/lavoro", False),
        ("cd /home/ugo/lavoro && touch a", "", True),
        ("cd src && touch a", "/x", False),
        ("cd - && touch a", "/x", True),
        ("cd /etc && ls", "/x", False),
        ("rm a", "/x", False),
        ("rm /x/a", "/x", False),
        ("rm /y/a", "/x", True),
        ("ls 2>/dev/null >/dev/stderr", "/x", False),
        ("echo a > /dev/nvme0", "/x", True),
        ("curl -so/opt/a https://a.it", "/x", True),
        ("bash -c 'echo a > /etc/b'", "/x", True),
        ("echo a > b 3>/etc/c", "/x", True),
        ("tar -C /opt -xf a", "/x", True),
        ("sed -n p /etc/a", "/x", False),
        ("sed -ni p /etc/a", "/x", True),
        ("cp -r a b", "/", False),
    ],
)
def test_writing_is_held_against_the_workspace(
    command: str, workspace: str, is_outside: bool
) -> None:
    assert ("outside-workspace" in risks_of(command, workspace)) == is_outside


def test_the_names_are_sorted_and_each_once() -> None:
    found = risks_of("sudo rm -rf /opt/x && sudo rm -rf /opt/y")
    assert found == ("delete", "outside-workspace", "privilege")


def test_a_very_long_command_is_risky() -> None:
    assert risks_of("echo " + "ciao " * (LONG // 5)) == ("long",)
    assert risks_of("echo " + "ciao " * (LONG // 5 - 2)) == ()
    assert risks_of("echo " + "ciao " * PARSED) == ("long", "unreadable")


def test_colours_of_a_terminal_are_no_hidden_codes() -> None:
    assert risks_of("echo -e '\\033[31mciao\\033[0m'") == ()
    assert "encoded" in risks_of("echo -e '\\033[31m\\0162m'")


@given(COMMANDS | st.text(max_size=60))
def test_any_text_is_judged(command: str) -> None:
    assert isinstance(risks_of(command), tuple)


@given(COMMANDS)
def test_a_risky_command_stays_risky_whatever_stands_before_it(command: str) -> None:
    goes_on = command.endswith("\\")  # "a <\\": it is the file rm that is read
    assert goes_on or risks_of(f"{command}\nrm -rf x") != ()
    is_comment = "#" in command
    assert is_comment or risks_of(f"{command}; sudo rm -rf x") != ()


@pytest.mark.parametrize(
    "piece", [*HOSTILE, "sudo ", "rm -rf x && ", "git push ", "> ", "<(", "{a,b}"]
)
def test_hostile_commands_are_judged_quickly(piece: str) -> None:
    assert risks_of((piece * PARSED)[:PARSED]) != ()
    assert is_linear(risks_of, piece, PARSED)
