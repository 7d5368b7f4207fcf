"""Django's Postgres backend, with a server that is there when a connection is made.

Every command works without a start step, and a server that was killed is started again for the next connection.
"""

import threading
from collections.abc import Iterable
from typing import Any

import psycopg
from django.db.backends.postgresql import base, client
from django.db.utils import OperationalError
from psycopg_pool import PoolTimeout

from config.local import postgres


class DatabaseClient(client.DatabaseClient):
    def runshell(self, parameters: Iterable[str]) -> None:
        self.executable_name = str(postgres.binaries() / "psql")
        self.connection.ensure_connection()  # the server runs, the database exists, the settings know where
        super().runshell(parameters)

    @classmethod
    def settings_to_cmd_args_env(
        cls, settings_dict: dict[str, Any], parameters: Iterable[str]
    ) -> tuple[list[str], dict[str, str] | None]:
        arguments, environment = super().settings_to_cmd_args_env(settings_dict, parameters)
        directly = {f"PG{name.upper().replace('_', '')}": value for name, value in postgres.DIRECTLY.items()}
        return arguments, (environment or {}) | directly


class DatabaseWrapper(base.DatabaseWrapper):
    client_class = DatabaseClient
    moving = threading.Lock()
    _connection_pools: dict[str, Any]  # Django's: ConnectionPool by alias

    def get_connection_params(self) -> dict[str, Any]:
        try:
            server = postgres.ensure()
        except postgres.PostgresError as error:
            raise OperationalError(str(error)) from error
        address = {"HOST": server.host, "PORT": str(server.port), "USER": server.user, "PASSWORD": server.password}
        self.settings_dict.update(address)
        self.leave_pool_unless_at(str(server.port))
        return super().get_connection_params() | postgres.DIRECTLY

    def leave_pool_unless_at(self, port: str) -> None:
        """The pool of this process's threads would look for a server that has moved at its first address."""
        with self.moving:
            pool = self._connection_pools.get(self.alias)
            if not pool or pool.kwargs["port"] == port:
                return
            del self._connection_pools[self.alias]
        pool.close()

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        try:
            return super().get_new_connection(conn_params)
        except PoolTimeout:  # every connection is in use: it says nothing of the database
            raise
        except psycopg.OperationalError:
            # Test databases are the test runner's business, which makes them through the `postgres` database.
            if conn_params["dbname"] != postgres.DATABASE:
                raise
            create_database(conn_params)
            return super().get_new_connection(conn_params)


def create_database(conn_params: dict[str, Any]) -> None:
    """Create the database unless it exists, or another process is just making it."""
    address = {name: conn_params[name] for name in ("host", "port", "user", "password")}
    with psycopg.connect(dbname="postgres", autocommit=True, **address | postgres.DIRECTLY) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [0x6D756E69])
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [postgres.DATABASE]).fetchone():
            connection.execute(f'CREATE DATABASE "{postgres.DATABASE}"')
