"""The rules. Nothing in here knows of clocks, chance, files or networks."""

from pkgutil import extend_path

__path__ = extend_path(__path__, __name__)
