"""Starts a table pod: `python -m services.table.main`."""

import sys

from serving.early import end_when_told

if __name__ == "__main__":
    end_when_told()  # before what takes long to import

from services.table.component import build
from services.table.settings import TableSettings
from serving.main import serve

if __name__ == "__main__":
    sys.exit(serve("table", TableSettings, build))
