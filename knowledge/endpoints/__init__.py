"""Every outbound model call leaves through this package, and only through it."""
