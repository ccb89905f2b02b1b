"""A submission's cells -> its answers, called and edited in the sandbox: what questions are made of."""
