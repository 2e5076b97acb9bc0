"""What is known of a command before it is allowed."""

import pytest

from voicehermes.deciding.judging import hides_something, is_risky, is_summarised, offered
from voicehermes.deciding.rules import DecisionRules
from voicehermes.events import Approval, ApprovalChoice

LONG = "cp " + " ".join(f"documento{number}.txt" for number in range(20)) + " copie"
BLOB = "echo cm0gLXJmIC9ob21lL3VzZXIvcHJvZ2V0dGkgJiYgZWNobyBmYXR0bw== | base64 -d"


def approval(command: str, *, allow_permanent: bool = True) -> Approval:
    return Approval("a1", command, "delete", allow_permanent=allow_permanent)


@pytest.mark.parametrize(
    ("command", "is_short", "is_followed"),
    [("ls src", True, True), (LONG, False, True), (BLOB, False, False)],
)
def test_a_long_command_is_summarised_and_a_blob_is_never_heard_in_full(
    command: str, is_short: bool, is_followed: bool
) -> None:
    assert is_summarised(approval(command), DecisionRules()) is not is_short
    assert hides_something(approval(command), DecisionRules()) is not is_followed


def test_a_command_is_risky_by_what_it_does_and_where_the_agent_may_write() -> None:
    rules = DecisionRules(workspace="/srv/sito")
    assert is_risky(approval("rm -rf build"), rules)
    assert not is_risky(approval("cp a /srv/sito/b"), rules)
    assert is_risky(approval("cp a /srv/sito/b"), DecisionRules())


@pytest.mark.parametrize(
    ("voice_grants", "allow_permanent", "grants"),
    [
        (("session", "once"), True, ["once", "session"]),
        (("always", "once"), True, ["once", "always"]),
        (("always", "once"), False, ["once"]),
        ((), True, []),
    ],
)
def test_offered_is_what_is_configured_and_what_the_server_allows(
    voice_grants: tuple[ApprovalChoice, ...], allow_permanent: bool, grants: list[str]
) -> None:
    rules = DecisionRules(voice_grants=voice_grants)
    assert offered(approval("ls", allow_permanent=allow_permanent), rules) == grants
