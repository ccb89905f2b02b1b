"""What runs near student code: it yields facts, never marks."""
