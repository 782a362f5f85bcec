"""Extensions: other people's code, in a process of its own that can only ask."""
