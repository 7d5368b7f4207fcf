"""The pages on which libraries are added, and files brought and taken away."""
