"""The bounds of what the assistant touches: paths that stay inside a folder, child processes that end."""
