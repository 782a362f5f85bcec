"""One check that fails, one function, at most three tries in a throw-away copy."""
