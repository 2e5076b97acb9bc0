"""Following a run to its end, through lost connections. On the virtual clock."""

import asyncio
from pathlib import Path

import httpx
import pytest

from tests.virtual_clock import run
from tests.webui_server import (
    CAPTURES,
    Handler,
    WebuiServer,
    done,
    event,
    fails,
    gives,
    says,
    stream,
    streams,
    token,
)
from voicehermes.adapters.hermes.http import SILENCE_SECONDS, WebuiHttp
from voicehermes.adapters.hermes.webui_api import WebuiApi
from voicehermes.adapters.hermes.webui_stream import follow
from voicehermes.adapters.store import Store
from voicehermes.config import Server
from voicehermes.errors import GoneError, LoginError, RefusedError, UnreachableError
from voicehermes.events import (
    Cancelled,
    Completed,
    Failed,
    Reconnected,
    RunEvent,
    TextDelta,
)

STREAM = "/api/chat/stream"
STATUS = "/api/chat/stream/status"
SESSION = "/api/session"

ACTIVE = gives({"active": True, "stream_id": "run", "replay_available": True})
OVER = gives({"active": False, "stream_id": "run", "replay_available": True})
UNKNOWN = gives({"active": False, "stream_id": "run", "replay_available": False})
GONE = says("stream_unknown_id")
BEAT = ": heartbeat\n\n"
LOST = httpx.ReadError("broken")
LOST_RUN = event(
    "apperror", {"type": "interrupted", "recovery_control": True, "message": "lost"}, seq=99
)


def _session(*messages: tuple[str, str], active: str | None = None) -> Handler:
    said = [{"role": role, "content": content} for role, content in messages]
    session = {"session_id": "s1", "messages": said, "active_stream_id": active}
    return gives({"session": session})


class Followed:
    """What was told of a run, how long it took, and what the iterator raised."""

    def __init__(self, server: WebuiServer, folder: Path) -> None:
        self.server = server
        self.told: list[RunEvent] = []
        self.error: Exception | None = None
        self.seconds = 0.0
        run(self._follow(folder))
        assert server.open_streams == 0

    async def _follow(self, folder: Path) -> None:
        config = Server(url="http://127.0.0.1:8787")
        async with WebuiHttp(config, Store(folder), transport=self.server) as http:
            try:
                async with follow(WebuiApi(http), "run", "s1") as events:
                    async for told in events:
                        self.told.append(told)
            except (UnreachableError, RefusedError, LoginError) as error:
                self.error = error
        self.seconds = asyncio.get_running_loop().time()

    @property
    def text(self) -> str:
        return "".join(told.text for told in self.told if isinstance(told, TextDelta))

    @property
    def cursors(self) -> list[str]:
        """The number after which each attachment asked to go on."""
        return [asked.query["after_seq"] for asked in self.server.asked if asked.path == STREAM]


def _follow(
    folder: Path, stream: Handler | list[Handler], **more: Handler | list[Handler]
) -> Followed:
    routes: dict[str, Handler | list[Handler]] = {
        STREAM: stream,
        STATUS: more.get("status", ACTIVE),
    }
    if "session" in more:
        routes[SESSION] = more["session"]
    return Followed(WebuiServer(routes), folder)


def test_a_run_is_told_from_its_beginning_and_ends_with_done(tmp_path: Path) -> None:
    followed = _follow(
        tmp_path,
        streams(
            token("Sono ", 1),
            2.0,
            token("le tre.", 2),
            done(("user", "?"), ("assistant", "Sono le tre."), seq=3),
        ),
    )
    assert followed.told == [TextDelta("Sono "), TextDelta("le tre."), Completed("Sono le tre.")]
    assert followed.cursors == ["0"]


def test_the_title_that_is_made_after_done_is_not_waited_for(tmp_path: Path) -> None:
    followed = _follow(
        tmp_path, streams(token("Sì.", 1), done(seq=2), 6.0, event("stream_end", {}, 3))
    )
    assert followed.seconds == 0.0


def test_a_lost_stream_is_resumed_after_the_last_event_and_nothing_is_told_twice(
    tmp_path: Path,
) -> None:
    followed = _follow(
        tmp_path,
        [
            streams(token("uno ", 1), token("due ", 2), LOST),
            streams(token("due ", 2), token("tre", 3), done(("assistant", "uno due tre"), seq=4)),
        ],
    )
    assert followed.told == [
        TextDelta("uno "),
        TextDelta("due "),
        Reconnected(1),
        TextDelta("tre"),
        Completed("uno due tre"),
    ]
    assert followed.cursors == ["0", "2"]
    assert 0.25 <= followed.seconds <= 0.5


def test_a_stream_that_only_ends_is_a_lost_connection(tmp_path: Path) -> None:
    followed = _follow(tmp_path, [streams(token("uno", 1)), streams(done(seq=2))])
    assert followed.told == [TextDelta("uno"), Reconnected(1), Completed("uno")]


def test_a_silent_stream_is_dead_after_three_missed_heartbeats(tmp_path: Path) -> None:
    followed = _follow(tmp_path, [streams(token("uno", 1), 3600.0), streams(done(seq=2))])
    assert followed.told[-1] == Completed("uno")
    assert SILENCE_SECONDS < followed.seconds < SILENCE_SECONDS + 1


def test_heartbeats_are_life_however_long_the_model_thinks(tmp_path: Path) -> None:
    beats = [step for _ in range(100) for step in (5.0, BEAT)]
    followed = _follow(tmp_path, streams(event("context_status", {}, 1), *beats, done(seq=2)))
    assert followed.told == [Completed("")]
    assert followed.seconds == 500.0
    assert len(followed.cursors) == 1


def test_a_run_that_ended_behind_its_heartbeats_is_found_by_asking(tmp_path: Path) -> None:
    beats = [step for _ in range(100) for step in (5.0, BEAT)]
    followed = _follow(
        tmp_path,
        [streams(token("uno", 1), *beats), streams(event("cancel", {}, 2))],
        status=OVER,
    )
    assert followed.told[-1] == Cancelled()
    assert followed.seconds < 32


def test_a_cancel_under_the_number_of_the_event_before_it_is_told(tmp_path: Path) -> None:
    text = (CAPTURES / "streams" / "cancelled.sse").read_text("utf-8")
    assert _follow(tmp_path, streams(text)).told[-1] == Cancelled()


def test_a_run_cancelled_a_moment_ago_is_cancelled_although_the_server_calls_it_lost(
    tmp_path: Path,
) -> None:
    replayed = (CAPTURES / "streams" / "cancelled_replayed_at_once.sse").read_text("utf-8")
    later = event("cancel", {"type": "cancelled"}, 8)
    followed = _follow(tmp_path, [streams(replayed), streams(later)], status=OVER)
    assert followed.told[-1] == Cancelled()
    assert followed.text == "parola1 parola"
    assert not any(isinstance(told, Failed) for told in followed.told)


def test_a_run_that_died_with_its_server_fails_once_and_soon(tmp_path: Path) -> None:
    replayed = (CAPTURES / "streams" / "server_killed_replayed.sse").read_text("utf-8")
    followed = _follow(
        tmp_path,
        streams(replayed),
        status=OVER,
        session=says("server_killed_session"),
    )
    assert isinstance(followed.told[-1], Failed)
    assert followed.told[-1].kind == "interrupted"
    assert followed.text == "1 parola2 parola"
    assert followed.seconds < 10


def test_a_run_that_died_with_a_server_that_was_away_for_long_fails_soon_after_its_return(
    tmp_path: Path,
) -> None:
    away = fails(httpx.ConnectError("refused"))
    followed = _follow(
        tmp_path,
        [streams(token("uno", 1), LOST), *[away] * 6, streams(LOST_RUN)],
        status=[*[away] * 6, OVER],
        session=says("server_killed_session"),
    )
    assert isinstance(followed.told[-1], Failed)
    attached = [asked.at for asked in followed.server.asked if asked.path == STREAM]
    assert len(attached) == 1 + 6 + 3
    assert followed.seconds - attached[7] < 4


def test_what_was_not_streamed_is_read_from_the_session(tmp_path: Path) -> None:
    followed = _follow(
        tmp_path,
        [streams(token("Sono ", 1), LOST), GONE],
        status=[OVER, UNKNOWN],
        session=_session(("user", "?"), ("assistant", "Sono le tre.")),
    )
    assert followed.text == "Sono le tre."
    assert followed.told[-1] == Completed("Sono le tre.")


def test_a_run_that_the_server_forgot_is_read_from_the_session(tmp_path: Path) -> None:
    followed = _follow(
        tmp_path, GONE, status=UNKNOWN, session=_session(("user", "?"), ("assistant", "Eccomi."))
    )
    assert followed.told == [TextDelta("Eccomi."), Completed("Eccomi.")]


def test_another_run_in_the_session_is_not_taken_for_ours(tmp_path: Path) -> None:
    followed = _follow(
        tmp_path,
        GONE,
        status=UNKNOWN,
        session=_session(("user", "1"), ("assistant", "uno"), ("user", "2"), active="other"),
    )
    assert followed.told[-1] == Completed("uno")


def test_a_run_that_died_is_not_taken_for_the_turn_before_it(tmp_path: Path) -> None:
    """A server that was killed may not have written the turn's message into the session."""
    followed = _follow(
        tmp_path,
        streams(LOST_RUN),
        status=OVER,
        session=_session(("user", "1"), ("assistant", "uno"), active="run"),
    )
    assert followed.text == ""
    assert isinstance(followed.told[-1], Failed)


def test_a_failed_and_a_cancelled_run_are_known_from_the_session(tmp_path: Path) -> None:
    failed = _follow(tmp_path, GONE, status=UNKNOWN, session=says("session_after_error_500"))
    assert failed.told == [
        Failed("interrupted", "Error: HTTP 500: errore simulato 500 dal modello finto")
    ]
    cancelled = _follow(
        tmp_path, GONE, status=UNKNOWN, session=says("cancel_midstream_session_after")
    )
    assert cancelled.told == [Cancelled()]


def test_a_stream_that_ends_without_done_is_completed_from_the_session(tmp_path: Path) -> None:
    followed = _follow(
        tmp_path,
        streams(token("uno", 1), event("stream_end", {}, 2)),
        status=OVER,
        session=_session(("user", "?"), ("assistant", "uno due")),
    )
    assert followed.told[-2:] == [TextDelta(" due"), Completed("uno due")]


def test_a_run_that_goes_on_unseen_is_waited_for(tmp_path: Path) -> None:
    followed = _follow(
        tmp_path,
        streams(LOST_RUN),
        status=[*[ACTIVE] * 20, OVER],
        session=_session(("user", "?"), ("assistant", "fatto")),
    )
    assert followed.told[-1] == Completed("fatto")
    assert 30 < followed.seconds < 50


def test_a_proxy_that_lets_no_stream_through_costs_the_live_text_and_not_the_answer(
    tmp_path: Path,
) -> None:
    followed = _follow(
        tmp_path,
        streams(),
        status=[*[ACTIVE] * 9, OVER],
        session=_session(("user", "?"), ("assistant", "fatto")),
    )
    assert followed.text == "fatto"


def test_a_server_that_is_away_for_a_minute_is_waited_for(tmp_path: Path) -> None:
    away = fails(httpx.ConnectError("refused"))
    followed = _follow(
        tmp_path,
        [streams(token("uno ", 1), LOST), *[away] * 7, streams(token("due", 2), done(seq=3))],
        status=[*[away] * 7, ACTIVE],
    )
    assert followed.text == "uno due"
    assert followed.told[1] == Reconnected(8)
    assert 30 < followed.seconds < 80
    assert followed.cursors == ["0"] + ["1"] * 8


def test_a_server_that_stays_away_is_given_up_after_some_minutes(tmp_path: Path) -> None:
    away = fails(httpx.ConnectError("refused"))
    followed = _follow(tmp_path, [streams(token("uno ", 1), LOST), away], status=away)
    assert isinstance(followed.error, UnreachableError)
    assert 80 < followed.seconds < 200


def test_a_login_that_ran_out_in_mid_run_is_told(tmp_path: Path) -> None:
    followed = _follow(tmp_path, [streams(token("a", 1), LOST), says("auth_sessions_no_cookie")])
    assert isinstance(followed.error, LoginError)


def test_a_run_and_a_session_that_are_gone_are_told(tmp_path: Path) -> None:
    followed = _follow(tmp_path, GONE, status=UNKNOWN, session=says("session_get_404"))
    assert isinstance(followed.error, GoneError)


def test_a_run_of_another_profile_is_told(tmp_path: Path) -> None:
    followed = _follow(tmp_path, GONE, status=UNKNOWN, session=says("profile_mismatch_session_get"))
    assert isinstance(followed.error, RefusedError)
    assert '"casa"' in str(followed.error)


@pytest.mark.parametrize("cut", range(40))
def test_wherever_a_stream_is_cut_the_listener_hears_the_same(tmp_path: Path, cut: int) -> None:
    text = (CAPTURES / "streams" / "two_tools.sse").read_text("utf-8")
    blocks = text.split("\n\n")[:-1]
    run_id = blocks[0].partition("id: ")[2].partition(":")[0]
    blocks = [block.replace(run_id, "run") + "\n\n" for block in blocks]
    whole = _follow(tmp_path, streams(text.replace(run_id, "run")))
    broken = _follow(
        tmp_path,
        [
            streams(*blocks[:cut], blocks[cut][: len(blocks[cut]) // 2], LOST),
            lambda asked: _after(blocks, int(asked.query["after_seq"])),
        ],
    )
    assert broken.text == whole.text
    assert [told for told in broken.told if not isinstance(told, Reconnected)] == whole.told


def _after(blocks: list[str], seq: int) -> httpx.Response:
    return stream(*blocks[seq:])
