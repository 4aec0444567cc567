"""The rules as a service: questions about hands and deals, without a table."""
