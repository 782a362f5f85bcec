"""The model at work: one owner thread, priorities, prefix reuse, and a stream for each request."""
