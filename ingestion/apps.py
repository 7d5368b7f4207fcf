import importlib

from django.apps import AppConfig


class IngestionConfig(AppConfig):
    name = "ingestion"

    def ready(self) -> None:
        importlib.import_module("ingestion.recognition")  # its system check
        importlib.import_module("ingestion.worker_lock").listen()
