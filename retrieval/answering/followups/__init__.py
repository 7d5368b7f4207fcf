"""What a question asks that goes on from what was said before."""
