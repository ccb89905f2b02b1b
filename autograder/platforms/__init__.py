"""WING. Platforms that submissions come from and marks go back to; the core imports nothing here."""
