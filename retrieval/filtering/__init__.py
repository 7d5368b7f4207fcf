"""What a query leaves out: the libraries, files and kinds it does not name, and what does not say its phrases."""
