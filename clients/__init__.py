"""Programs that use cardroom from outside: the SDK, the command line, players by the thousand."""
