"""The rules of cardroom's games with the cases that show what they say.

The rules themselves are the package `games`; this one holds the cases and runs them: ``python -m cardroom_rules``.
"""
