"""Balances and settlements: the only service that moves money."""
