"""The database backend of the embedded default: Django's own for Postgres, over `config.local.postgres`."""
