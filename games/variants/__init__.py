"""The variants, one folder each; `games.catalog` finds them. None knows another.

A variant may lie elsewhere: any entry of the import path may hold a `games/variants` of its own with more folders.
"""

from pkgutil import extend_path

__path__ = extend_path(__path__, __name__)
