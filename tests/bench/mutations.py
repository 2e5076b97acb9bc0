"""Whether the tests watch the safety rules: each is switched off in turn, and a test must fail.

``python -m tests.bench.mutations [NAME ...]`` works on a copy of the tree, takes some minutes, and
exits with 1 when a rule could be switched off and no test said so.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Mutation:
    """A safety rule, how it is switched off, and the tests that must notice."""

    rule: str
    file: str
    line: str
    """Stands exactly once in the file."""
    without: str
    tests: str


DIALOGUE = "tests/test_asking.py tests/test_asking_safety.py"
WORDS = "tests/test_approving.py"

MUTATIONS = (
    Mutation(
        "refusal beats consent",
        "voicehermes/deciding/approving.py",
        "if any(_refuses(part, words, asks=asks) for part in said):",
        "if any(_refuses(part, words, asks=asks) for part in said) and False:",
        WORDS,
    ),
    Mutation(
        "a question is no consent",
        "voicehermes/deciding/approving.py",
        "if asks or not is_plain(transcript) or is_cut_off(transcript):",
        "if not is_plain(transcript) or is_cut_off(transcript):",
        WORDS,
    ),
    Mutation(
        "a grant is made of known words alone",
        "voicehermes/deciding/matching.py",
        "behind: list[tuple[str, ...] | None] = [()]",
        "said = tuple(w for w in said if any((w,) == p for k in kinds.values() for p in k))\n"
        "    behind: list[tuple[str, ...] | None] = [()]",
        WORDS,
    ),
    Mutation(
        "an assenting idiom with a negative is unclear",
        "voicehermes/deciding/approving.py",
        "if contains(tokens(transcript), words.idioms | words.echoes):",
        "if contains(tokens(transcript), words.echoes):",
        WORDS,
    ),
    Mutation(
        "what is left hanging allows nothing",
        "voicehermes/deciding/approving.py",
        "if ends_in(tokens(transcript), words.hanging) or _takes_note(tokens(transcript), words):",
        "if _takes_note(tokens(transcript), words):",
        WORDS,
    ),
    Mutation(
        "what only takes note allows nothing",
        "voicehermes/deciding/approving.py",
        "if ends_in(tokens(transcript), words.hanging) or _takes_note(tokens(transcript), words):",
        "if ends_in(tokens(transcript), words.hanging):",
        WORDS,
    ),
    Mutation(
        "what may be left of a refusal with a limit allows nothing",
        "voicehermes/deciding/approving.py",
        ' or set(kinds) == {"limits"}',
        "",
        WORDS,
    ),
    Mutation(
        "only the confirming word confirms",
        "voicehermes/dialogue/answering.py",
        "if is_confirmation(text, words):",
        'if of_approval(text, words) in ("once", "session", "always"):',
        DIALOGUE,
    ),
    Mutation(
        "the command was heard to its end",
        "voicehermes/dialogue/asking.py",
        "may_grant = question.is_confirmation_heard if is_second else question.is_heard",
        "may_grant = question.is_confirmation_heard if is_second else True",
        DIALOGUE,
    ),
    Mutation(
        "the second prompt was heard to its end",
        "voicehermes/dialogue/asking.py",
        "may_grant = question.is_confirmation_heard if is_second else question.is_heard",
        "may_grant = question.is_heard",
        DIALOGUE,
    ),
    Mutation(
        "the key over a prompt may bring our own voice",
        "voicehermes/dialogue/listening.py",
        'if answer and (phase == "reading" or recording < 0):',
        "if answer and recording < 0:",
        DIALOGUE,
    ),
    Mutation(
        "a yes begun too early stays one",
        "voicehermes/dialogue/listening.py",
        "case Transcribing(over_sound=over_sound, answering=answer):",
        "case Transcribing(over_sound=over_sound, answering=Answering(id=id_)):\n"
        "            answer = Answering(id_, True)\n"
        "        case Transcribing(over_sound=over_sound, answering=answer):",
        DIALOGUE,
    ),
    Mutation(
        "a summary is not the command",
        "voicehermes/dialogue/answering.py",
        'if grant == "always" or not question.is_heard_in_full:',
        'if grant == "always":',
        DIALOGUE,
    ),
    Mutation(
        "always needs the second word",
        "voicehermes/dialogue/answering.py",
        'if grant == "always" or not question.is_heard_in_full:',
        "if not question.is_heard_in_full:",
        DIALOGUE,
    ),
    Mutation(
        "a risky command needs the second word",
        "voicehermes/dialogue/answering.py",
        "return is_risky(approval, rules)",
        "return False",
        DIALOGUE,
    ),
    Mutation(
        "a voice grants what is configured",
        "voicehermes/dialogue/answering.py",
        "if grant not in offered(approval, rules):",
        "if False:",
        DIALOGUE,
    ),
    Mutation(
        "an answer is sent once",
        "voicehermes/dialogue/asking.py",
        "q.decision.id == id_ and not q.is_sent), None)",
        "q.decision.id == id_), None)",
        DIALOGUE,
    ),
    Mutation(
        "an answer is for the decision that was read",
        "voicehermes/dialogue/answering.py",
        "question = question_of(dialogue, answering.id)",
        "question = dialogue.questions[0] if dialogue.questions else None",
        DIALOGUE,
    ),
    Mutation(
        "a question that nobody heard is not answered by voice",
        "voicehermes/dialogue/decisions.py",
        'told = Say("decision-unheard", str(error))\n'
        "            return shelve(dialogue, question, told)",
        "return _listen(dialogue, _heard(question, state.prompt, rules.decisions))",
        DIALOGUE,
    ),
    Mutation(
        "it is made sure that it is still wanted before it is read again",
        "voicehermes/dialogue/decisions.py",
        'isinstance(state, Asking) and state.phase == "checking" and state.id == id_:',
        "isinstance(state, Asking) and state.id == id_:",
        DIALOGUE + " tests/test_dialogue.py",
    ),
    Mutation(
        "what the run tells is not believed",
        "voicehermes/dialogue/running.py",
        "return Change(dialogue, (LookForDecisions(),))  # it may be a replayed one",
        "from voicehermes.dialogue.state import Question\n"
        "            q = Question(event.decision)\n"
        "            return Change(replace(dialogue, questions=(*dialogue.questions, q)))",
        DIALOGUE,
    ),
    Mutation(
        "the decision's id goes with the answer",
        "voicehermes/adapters/hermes/webui_api.py",
        '"approval_id": approval_id, "choice": choice}',
        '"choice": choice}',
        "tests/test_webui_api.py tests/test_hermes_decisions.py tests/test_decisions_over_http.py",
    ),
    Mutation(
        "stale_cleared is no success",
        "voicehermes/adapters/hermes/webui_api.py",
        'if answer.get("ok") is not True or answer.get("stale_cleared"):',
        'if answer.get("ok") is not True:',
        "tests/test_webui_api.py tests/test_hermes_decisions.py tests/test_decisions_over_http.py",
    ),
    Mutation(
        "ok: false is no success",
        "voicehermes/adapters/hermes/webui_api.py",
        'if answer.get("ok") is not True or answer.get("stale_cleared"):',
        'if answer.get("stale_cleared"):',
        "tests/test_webui_api.py tests/test_hermes_decisions.py tests/test_decisions_over_http.py",
    ),
    Mutation(
        "a lost answer is sent again only while its decision is pending",
        "voicehermes/watching.py",
        "if lost is not None and not await self._is_pending(view, decision.id):",
        "if False:",
        "tests/test_watching.py tests/test_session_decisions.py",
    ),
    Mutation(
        "the microphone hears nothing of our own sound",
        "voicehermes/hearing/capture.py",
        "not_before=not_before,",
        "not_before=-math.inf,",
        "tests/test_capture_ending.py tests/test_capture_haste.py",
    ),
    Mutation(
        "what was said before is no answer",
        "voicehermes/hearing/capture.py",
        "earliest = max(earliest, self._used_until)",
        "pass",
        "tests/test_capture_attention.py",
    ),
    Mutation(
        "our own sound begins no conversation",
        "voicehermes/hearing/attending.py",
        "if begins_before(self._own_sound.over_at(), self._past.newest_ended_at):",
        "if False:",
        "tests/test_capture_own_sound.py",
    ),
    Mutation(
        "an answer's pre-roll ends where our own sound does",
        "voicehermes/hearing/own_sound.py",
        "if not self._is_half_duplex and ends_by is not EndsBy.LONG_SILENCE:",
        "if not self._is_half_duplex:",
        "tests/test_own_sound.py tests/test_capture_ending.py",
    ),
    Mutation(
        "an answer without a key ends only after a long silence",
        "voicehermes/dialogue/listening.py",
        "if answer and answer.may_grant and ends_by is EndsBy.SILENCE:",
        "if False:",
        "tests/test_attending.py",
    ),
    Mutation(
        "a yes that nobody was asked for is none",
        "voicehermes/dialogue/listening.py",
        'if answer and (phase == "reading" or recording < 0):',
        'if answer and phase == "reading":',
        "tests/test_attending.py",
    ),
    Mutation(
        "our own words over a question answer nothing",
        "voicehermes/dialogue/listening.py",
        "if event.is_own and fragment.began_by_itself and not (answer and answer.may_grant):",
        "if event.is_own and fragment.began_by_itself and not answer:",
        "tests/test_attending.py",
    ),
    Mutation(
        "an answer that was cut off grants nothing",
        "voicehermes/dialogue/listening.py",
        "if event.utterance.end in _CUT:",
        "if False:",
        DIALOGUE,
    ),
    Mutation(
        "an answer of which a piece gave no words grants nothing",
        "voicehermes/dialogue/listening.py",
        "cut = _with_a_cut_answer(dialogue)",
        "cut = dialogue",
        DIALOGUE,
    ),
    Mutation(
        "an answer is not kept to be sent later",
        "voicehermes/dialogue/listening.py",
        "is_kept = answer is None",
        "is_kept = True",
        DIALOGUE,
    ),
)


def main(names: list[str]) -> int:
    """Try each mutation; the exit code."""
    chosen = [m for m in MUTATIONS if not names or any(name in m.rule for name in names)]
    unseen = [m.rule for m in chosen if not _is_noticed(m)]
    print(f"{len(chosen) - len(unseen)} of {len(chosen)} were noticed")
    return 1 if unseen else 0


def _is_noticed(mutation: Mutation) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for part in ("voicehermes", "tests", "assets"):
            shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md", "config.example.toml"):
            shutil.copy(ROOT / name, copy / name)
        file = copy / mutation.file
        text = file.read_text("utf-8")
        if text.count(mutation.line) != 1:
            raise SystemExit(f"{mutation.rule}: the line stands {text.count(mutation.line)} times")
        file.write_text(text.replace(mutation.line, mutation.without), "utf-8")
        tests = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", *mutation.tests.split()],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    is_noticed = tests.returncode == 1
    by = next((line for line in tests.stdout.splitlines() if line.startswith("FAILED")), "")
    print("noticed" if is_noticed else "NOT SEEN", f"- {mutation.rule}", by[:110], flush=True)
    if tests.returncode > 1:
        print(tests.stdout[-2000:], tests.stderr[-2000:])
    return is_noticed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
