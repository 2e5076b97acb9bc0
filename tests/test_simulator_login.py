"""Logins, cookies, profiles and origins of the embedded server."""

from tests.simulator_client import Client, scenario
from voicehermes.simulator.logins import Logins
from voicehermes.simulator.scenario import Pause, Say, Server
from voicehermes.simulator.server import Simulator

PASSWORD = "correct horse"


def log_in(client: Client, password: str = PASSWORD) -> int:
    return client.post("/api/auth/login", json={"password": password}).status_code


def test_the_cookie_has_the_form_that_hermes_webui_gives_it() -> None:
    server = Server(password=PASSWORD)
    with Simulator(scenario(server=server)) as simulator, Client(simulator) as client:
        answer = client.post("/api/auth/login", json={"password": PASSWORD})
        name, _, rest = answer.headers["set-cookie"].partition("=")
        value, *attributes = rest.split("; ")
        assert name == "hermes_session"
        assert [len(part) for part in value.split(".")] == [64, 64]
        assert attributes == ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"]
        assert client.get("/api/sessions").status_code == 200


def test_five_wrong_passwords_lock_the_login_even_for_the_right_one() -> None:
    server = Server(password=PASSWORD)
    with Simulator(scenario(server=server)) as simulator, Client(simulator) as client:
        assert [log_in(client, "no") for _ in range(6)] == [401] * 5 + [429]
        assert log_in(client) == 429


def test_the_lock_opens_when_the_failures_are_a_minute_old() -> None:
    now = 100.0
    logins = Logins(Server(password=PASSWORD), now=lambda: now)
    for _ in range(5):
        assert logins.log_in("no", "here")[0] == 401
        now += 10
    assert logins.log_in(PASSWORD, "here")[0] == 429
    assert logins.log_in(PASSWORD, "elsewhere")[0] == 200
    now += 11
    assert logins.log_in(PASSWORD, "here")[0] == 200


def test_a_success_forgets_the_failures() -> None:
    server = Server(password=PASSWORD)
    with Simulator(scenario(server=server)) as simulator, Client(simulator) as client:
        statuses = [log_in(client, "no") for _ in range(4)] + [log_in(client)]
        statuses += [log_in(client, "no") for _ in range(4)]
        assert statuses == [401] * 4 + [200] + [401] * 4


def test_a_login_ends_after_its_time_however_much_it_is_used() -> None:
    now = 100.0
    logins = Logins(Server(password=PASSWORD, cookie_seconds=60), now=lambda: now)
    _, cookie = logins.log_in(PASSWORD, "here")
    seen = []
    for _ in range(7):
        seen.append(logins.token({"hermes_session": cookie}) is not None)
        now += 10
    assert seen == [True] * 6 + [False]


def test_a_stream_that_is_open_outlives_the_logout() -> None:
    server = Server(password=PASSWORD, title_seconds=0.0)
    played = scenario(Say("uno"), Pause(0.3), Say(" due"), server=server)
    with Simulator(played) as simulator, Client(simulator) as client:
        log_in(client)
        run_id = client.start(client.new_session())
        with client.open_run(run_id) as events:
            assert next(events).name == "context_status"
            assert client.post("/api/auth/logout", json={}).status_code == 200
            assert [event.name for event in events][-1] == "stream_end"
        assert client.get("/api/chat/stream", params={"stream_id": run_id}).status_code == 401


def test_a_browser_without_login_is_sent_to_the_login_page_and_sees_html_with_one() -> None:
    server = Server(password=PASSWORD)
    with Simulator(scenario(server=server)) as simulator, Client(simulator) as client:
        sent_away = client.get("/")
        assert sent_away.status_code == 302
        assert sent_away.headers["location"] == "login?next=/"
        page = client.get("/", follow_redirects=True)
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        log_in(client)
        assert "scripted" in client.get("/").text


def test_a_session_of_another_profile_is_reached_with_the_profile_cookie_only() -> None:
    with Simulator(scenario(Say("x"))) as simulator, Client(simulator) as client:
        session_id = client.new_session(profile="casa")
        body = {"session_id": session_id, "message": "ciao"}
        assert client.post("/api/chat/start", json=body).status_code == 404
        switched = client.post("/api/profile/switch", json={"name": "casa"})
        assert (
            switched.headers["set-cookie"] == "hermes_profile=casa; HttpOnly; Path=/; SameSite=Lax"
        )
        run_id = client.start(session_id)
        assert client.get("/api/profile/active").json()["name"] == "casa"
        listed = client.get("/api/sessions").json()
        assert [session["session_id"] for session in listed["sessions"]] == [session_id]
        client.cookies.clear()
        query = {"stream_id": run_id}
        assert client.get("/api/chat/stream", params=query).status_code == 404
        listed = client.get("/api/sessions").json()
        assert (listed["sessions"], listed["other_profile_count"]) == ([], 1)


def test_with_logins_the_profile_cookie_is_bound_to_the_login() -> None:
    server = Server(password=PASSWORD)
    with Simulator(scenario(server=server)) as simulator, Client(simulator) as client:
        log_in(client)
        client.post("/api/profile/switch", json={"name": "casa"})
        name, _, signature = client.cookies["hermes_profile"].partition(".")
        assert (name, len(signature)) == ("casa", 64)
        assert client.get("/api/profile/active").json()["name"] == "casa"
        log_in(client)
        assert client.get("/api/profile/active").json()["name"] == "default"
        client.cookies.set("hermes_profile", "casa", path="/")
        assert client.get("/api/profile/active").json()["name"] == "default"
