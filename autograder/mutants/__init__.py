"""A piece of code -> the same with one small change. Comes in: text that is parsed, and never run here."""
