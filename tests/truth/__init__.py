"""Right answers, in every form that students and tools give them: they must keep their marks."""
