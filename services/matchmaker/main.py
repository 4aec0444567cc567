"""Starts the matchmaker: `python -m services.matchmaker.main`."""

import sys

from serving.early import end_when_told

if __name__ == "__main__":
    end_when_told()  # before what takes long to import

from services.matchmaker.component import build
from services.matchmaker.settings import MatchmakerSettings
from serving.main import serve

if __name__ == "__main__":
    sys.exit(serve("matchmaker", MatchmakerSettings, build))
