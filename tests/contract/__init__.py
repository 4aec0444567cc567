"""What every variant of the catalogue has to keep."""
