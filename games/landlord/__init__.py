"""The landlord family: one state machine for every variant.

Start with `cards.py`, `combinations.py` and `table.py` (what can be played), then `state.py`
(what is held), `events.py` (how it changes), `actions.py` (what is asked for), `checks.py`,
`decide.py`, `evolve.py` and `views.py`; `game.py` joins them. What makes a variant is in
`ruleset.py` and the variant's own folder.
"""
