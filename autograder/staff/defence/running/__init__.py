"""A submission's cells -> its answers, called and edited in the sandbox, for questions."""
