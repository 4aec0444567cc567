"""The landlord family under contract: its table against brute force, its rules by number, its texts and its wire."""
