"""Starts the matchmaker: `python -m services.matchmaker.main`."""

import sys

from services.matchmaker.component import build
from services.matchmaker.settings import MatchmakerSettings
from serving.main import serve

if __name__ == "__main__":
    sys.exit(serve("matchmaker", MatchmakerSettings, build))
