"""What shows marks to people and platforms."""
