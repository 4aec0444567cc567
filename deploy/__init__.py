"""Where and how cardroom is run."""
