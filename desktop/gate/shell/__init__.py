"""Reading a command line: what would it do? `classify` is the one door."""
