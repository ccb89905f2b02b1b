"""What an instructor uses to write a homework and to prove that it is sound."""
