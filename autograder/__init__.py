"""The attention homework kit: write a homework as one folder, grade it fairly."""

__version__ = "1.0.0"
