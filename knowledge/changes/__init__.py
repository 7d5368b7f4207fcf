"""What changed between two versions, and how readers see it. Pure: no Django, no database, no network."""
