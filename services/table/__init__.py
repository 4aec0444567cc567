"""Tables: one writer a table, every move stored before it is shown."""
