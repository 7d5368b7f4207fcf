"""Files that say nearly the same."""
