#!/usr/bin/env bash
# The wheel is whole: installed alone, outside the checkout, it runs the demo with no display, no
# sound card and no sound server. PYTHON is the interpreter to build and to install with.
set -euo pipefail

checkout=$(cd "$(dirname "$0")/../.." && pwd)
python=$(command -v "${PYTHON:-python3}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$python" -m venv venv
venv/bin/python -m pip -q wheel --no-deps --wheel-dir wheels "$checkout"
wheels=(wheels/voicehermes-*.whl)
venv/bin/python -m pip -q install "${wheels[0]}[demo]"

mkdir home elsewhere
cd elsewhere
# No display, no runtime folder, and a sound server that is not there (nor started on demand).
alone() { env -i HOME="$folder/home" PATH=/usr/bin:/bin LANG=C.UTF-8 PULSE_SERVER="unix:$folder/none" "$@"; }
voicehermes() { alone "$folder/venv/bin/voicehermes" "$@"; }
fail() { echo "wheel_demo: $1" >&2; exit 1; }
says() { grep -qE -- "$2" "$1" || fail "$1 has no line like: $2 $(cat "$1")"; }

alone "$folder/venv/bin/python" -c 'import voicehermes; print(voicehermes.__file__)' > place.txt
says place.txt "^$folder/venv/"

voicehermes --help > help.txt
says help.txt "voicehermes demo"

printf '## Domani\nAlle **10:30** vedi la Sig.ra Rossi. Poi basta.\n' | voicehermes speakable > speakable.txt
diff speakable.txt - <<'TEXT' || fail "speakable says something else"
{"text": "Domani"}
{"text": "Alle 10:30 vedi la Sig.ra Rossi."}
{"text": "Poi basta."}
TEXT

# All words and rules are in the wheel.
for language in it en; do
  echo "no" | voicehermes interpret approval --language "$language" > meaning.txt
  says meaning.txt '"meaning": "deny"'
  echo "2" | voicehermes interpret clarify --choices "a|b" --language "$language" > meaning.txt
  says meaning.txt '"choice": "b"'
  echo "rm -rf /tmp/x" | voicehermes verbalize --language "$language" > command.txt
  says command.txt "^rm, .*tmp"
done

voicehermes demo > demo.txt 2> errors.txt || fail "the demo ended with $?: $(cat demo.txt errors.txt)"
says demo.txt "^Tu: .*che tempo farà"
says demo.txt "^Hermes: .*recita un copione\.$"
says demo.txt "turn_end +outcome=answered"
says demo.txt "demo\.wav"
! grep -q Traceback errors.txt || fail "$(cat errors.txt)"

alone "$folder/venv/bin/python" - <<'PYTHON' || fail "demo.wav holds too little speech"
import sys
from pathlib import Path

from voicehermes.adapters.sound.detectors import open_detector
from voicehermes.adapters.sound.files import read_pcm
from voicehermes.audio import FRAME_BYTES, FRAME_SECONDS

pcm = read_pcm(Path("demo.wav"))
detector = open_detector("auto")
frames = (pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm) - FRAME_BYTES + 1, FRAME_BYTES))
speech_seconds = FRAME_SECONDS * sum(map(detector.is_speech, frames))
print(f"demo.wav: {speech_seconds:.1f} s of speech")
sys.exit(speech_seconds < 6)  # three sentences of some four seconds each
PYTHON
echo "the demo runs from the wheel alone"
