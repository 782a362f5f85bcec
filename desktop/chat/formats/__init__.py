"""How models write calls: one description for each family, and a parser that forgives."""
