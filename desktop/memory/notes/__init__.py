"""Notes that write themselves: what tools did, captured without delay and distilled without a model."""
