"""What the assistant can do: one file for each subject, and one executor that all calls go through."""
