"""A sentence or two for each section: written by a model where one is configured, else taken from the section."""
