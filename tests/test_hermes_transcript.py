"""What a session's messages say about its last turn."""

from typing import Any

import pytest

from tests.webui_server import ANSWERS
from voicehermes.adapters.hermes import transcript


def _messages(name: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = ANSWERS[name]["body"]["session"]["messages"]
    return messages


def _user(text: str, **more: object) -> dict[str, object]:
    return {"role": "user", "content": text, **more}


def _assistant(text: str, **more: object) -> dict[str, object]:
    return {"role": "assistant", "content": text, **more}


def test_a_reply_is_all_that_the_assistant_wrote_around_its_tools() -> None:
    turn = transcript.last_turn(_messages("session_after_tools_interim"))
    assert transcript.is_complete(turn)
    assert transcript.reply_parts(turn) == [
        "Controllo subito due cose.",
        'Ho finito con lo strumento. Risultato: {"output": "secondo", "exit_code": 3, '
        '"error": null}',
    ]


def test_what_the_server_wrote_for_the_model_is_no_reply() -> None:
    turn = transcript.last_turn(_messages("session_after_empty_reply"))
    assert transcript.reply_parts(turn) == []
    assert transcript.is_complete(turn)


def test_an_error_is_no_reply_and_no_complete_turn() -> None:
    turn = transcript.last_turn(_messages("session_after_error_500"))
    assert transcript.reply_parts(turn) == []
    assert not transcript.is_complete(turn)
    assert transcript.error_of(turn) == "Error: HTTP 500: errore simulato 500 dal modello finto"
    assert not transcript.is_cancelled(turn)


def test_a_cancelled_turn_is_known_as_such() -> None:
    turn = transcript.last_turn(_messages("cancel_midstream_session_after"))
    assert transcript.is_cancelled(turn)
    assert not transcript.is_complete(turn)


def test_a_turn_that_the_server_did_not_live_to_finish_is_not_complete() -> None:
    turn = transcript.last_turn(_messages("server_killed_session"))
    assert not transcript.is_complete(turn)
    assert transcript.error_of(turn) is None


def test_a_turn_that_was_cut_off_at_a_tool_is_not_complete() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
    cut = _assistant("Guardo la cartella.", tool_calls=[call])
    assert not transcript.is_complete([cut])
    assert transcript.is_complete([cut, _assistant("Ho finito.", tool_calls=[])])


def test_prompts_in_the_users_name_are_not_the_users() -> None:
    messages = [_user("Ciao"), _assistant("Eccomi"), _user("[System: go on]"), _assistant("qui")]
    assert transcript.reply_parts(transcript.last_turn(messages)) == ["Eccomi", "qui"]
    assert transcript.earlier_turns(messages) == []


def test_the_workspace_line_is_not_part_of_the_users_words() -> None:
    assert transcript.users_words(_user("[Workspace::v1: /home/user]\nChe ore sono? ")) == (
        "Che ore sono?"
    )


def test_content_in_parts_is_their_text() -> None:
    parts = [{"type": "text", "text": "uno"}, {"type": "image_url"}, "x", {"text": 3}]
    assert transcript.content_of({"content": parts}) == "uno"
    assert transcript.content_of({"content": None}) == ""


ASKED = "Che ore sono?"
ANSWERED = _assistant("Le tre.", timestamp=100.0)


@pytest.mark.parametrize(
    ("messages", "turn"),
    [
        ([_user(ASKED, timestamp=100.0)], []),
        ([_user(f"[Workspace::v1: /x]\n{ASKED}", timestamp=100.0)], []),
        ([_user(ASKED, timestamp=100.0), ANSWERED], [ANSWERED]),
        ([_user(ASKED, timestamp=98.0), ANSWERED], None),
        ([_user(ASKED), ANSWERED], [ANSWERED]),
        ([_user(ASKED), _assistant("Le due.", timestamp=50.0)], None),
        ([_user(ASKED)], []),
        ([_user(ASKED, timestamp=100.0), ANSWERED, _user("Grazie", timestamp=101.0)], [ANSWERED]),
        ([_user(ASKED, timestamp=100.0), _user(ASKED, timestamp=101.0), ANSWERED], [ANSWERED]),
        ([_assistant(ASKED)], None),
        ([], None),
    ],
)
def test_a_message_is_found_with_what_followed_it_when_it_is_new_enough(
    messages: list[dict[str, object]], turn: list[dict[str, object]] | None
) -> None:
    assert transcript.turn_of(messages, f"{ASKED} ", since=99.0) == turn


@pytest.mark.parametrize(
    ("streamed", "parts", "rest"),
    [
        ("", [], ""),
        ("", ["Sono le tre."], "Sono le tre."),
        ("Sono le tre.", ["Sono le tre."], ""),
        ("Sono le", ["Sono le tre."], " tre."),
        ("Sono le ", ["Sono le tre."], "tre."),
        ("Guardo. \n\nSono le tre.", ["Guardo.", "Sono le tre."], ""),
        ("Guardo. ", ["Guardo.", "Sono le tre."], "\n\nSono le tre."),
        ("Guardo. \n\nSono le", ["Guardo.", "Sono le tre."], " tre."),
        ("Che dire... Sono le tre.", ["Sono le tre."], ""),
        ("La chiave è sk-123", ["La chiave è ***"], None),
        ("Sono le tre. E poi", ["Sono le tre."], None),
        ("Sono le tre.", [], ""),
    ],
)
def test_what_was_not_streamed_is_found_whatever_the_white_space(
    streamed: str, parts: list[str], rest: str | None
) -> None:
    assert transcript.unheard(streamed, parts) == rest
