"""Postgres and files: locks, one state of the database, bytes that are whole or not there, secrets."""
