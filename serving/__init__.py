"""How any service starts, reports and stops."""
