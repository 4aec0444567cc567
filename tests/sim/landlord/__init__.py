"""Simulated deals of the landlord family: every law and rule at every step, and a count of what came to pass."""
