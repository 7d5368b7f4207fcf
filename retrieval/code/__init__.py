"""What code defines, who calls it, and what it calls, in the snapshots that a reader may see; and its `chunks`."""
