"""What dev.py does before anything is installed: standard library only, on Linux, macOS and Windows."""
