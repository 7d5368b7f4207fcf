"""What holds for every request: its body, its compression, and what is said while Postgres is away."""
