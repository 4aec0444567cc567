"""Packages for other teams: the pure rules with their cases, and the client."""
