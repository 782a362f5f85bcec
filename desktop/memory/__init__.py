"""What is remembered: items in layers, recall, context assembly, notes of what was done, known fixes."""
