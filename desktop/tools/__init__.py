"""What the assistant can do, one file per subject."""
