"""`dev.py package`: from the source to a bundle and an installer. See docs/release.md."""
