"""Starts a table pod: `python -m services.table.main`."""

import sys

from services.table.component import build
from services.table.settings import TableSettings
from serving.main import serve

if __name__ == "__main__":
    sys.exit(serve("table", TableSettings, build))
