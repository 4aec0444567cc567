"""Policies: a seat's view in, one of its options out. No clock, no chance, no other seat's tiles."""
