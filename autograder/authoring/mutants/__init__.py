"""Small changes to a solution, and what becomes of each: a check that notices none cannot fail."""
