"""Whether a homework is sound: the contract, rule by rule."""
