"""What is measured, against whom: `python -m bench [--only NAME]`.

A module here that has `NAMES` (the rows it makes) and `measure` (a function or coroutine function without arguments
that returns them) is a measurement; it is found by being here.
"""
