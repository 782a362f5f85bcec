"""Memory that several people share: layers beyond this computer, each over a store that somebody runs."""
