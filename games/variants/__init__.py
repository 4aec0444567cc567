"""The variants, one folder each; `games.catalog` finds them. None knows another."""
