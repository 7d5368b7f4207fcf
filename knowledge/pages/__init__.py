"""Pages about what is known and who decides; those of searching and answering are in retrieval.pages."""
