"""What a bystander knows of each variant: its clauses once more, plain and slow, with none of the code under test."""
