"""大众 hands of every kind by chance, and what an independent evaluator says to them."""
