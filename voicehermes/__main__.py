"""``python -m voicehermes`` and the script ``voicehermes``."""

import sys

from voicehermes.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
