from django.apps import AppConfig
from django.conf import settings

from knowledge import failpoints


class KnowledgeConfig(AppConfig):
    name = "knowledge"
    verbose_name = "Knowledge"

    def ready(self) -> None:
        failpoints.arm(settings.FAILPOINTS, allowed=settings.AI_TEST_MODE or settings.DEBUG)
