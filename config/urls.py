"""Every address (CONTRACT: HTTP)."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path

from knowledge import views as knowledge
from retrieval import views as retrieval

handler404 = "knowledge.views.not_found"

urlpatterns = [
    path("", retrieval.search, name="home"),
    path("search", retrieval.search, name="search"),
    path("chat", retrieval.chat, name="chat"),
    path("chat/<int:pk>", retrieval.answer, name="answer"),
    path("read/<slug:slug>/<path:path>", retrieval.read, name="read"),
    path("libraries/", knowledge.libraries, name="libraries"),
    path("libraries/<slug:slug>/", knowledge.library, name="library"),
    path("jobs/", knowledge.jobs, name="jobs"),
    path("login", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout", LogoutView.as_view(), name="logout"),
    path("api/", include("retrieval.api_urls")),
    path("admin/", admin.site.urls),
    path("healthz", knowledge.healthz),
    path("readyz", knowledge.readyz),
]
