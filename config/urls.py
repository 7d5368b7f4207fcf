"""Every address."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path, re_path
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from ingestion.pages import uploads
from ingestion.pages.add_library import add_library
from ingestion.rest.files import LibraryFiles
from knowledge.accounts import sign_on
from knowledge.accounts.log_ins import throttled
from knowledge.pages import (
    accounts,
    audit,
    document,
    health,
    jobs,
    libraries,
    members,
    review,
    saved_views,
    settings,
    tokens,
)
from knowledge.rest import governance as governance_api
from knowledge.rest import jobs as jobs_api
from knowledge.rest import libraries as libraries_api
from retrieval.pages import chat, golden, playground, quality, read, search
from retrieval.rest import api, openai
from retrieval.rest.mcp import mcp
from retrieval.rest.retrieve import retrieve

handler400 = "knowledge.pages.common.refused"
handler404 = "knowledge.pages.common.not_found"

urlpatterns = [
    path("", search.search, name="home"),
    path("search", search.search, name="search"),
    path("playground", playground.playground, name="playground"),
    path("chat", chat.chat, name="chat"),
    path("chat/<int:pk>", chat.answer, name="answer"),
    path("chat/<int:pk>/events", chat.events, name="answer-events"),
    path("chat/<int:pk>/stop", chat.stop, name="stop"),
    path("chat/<int:pk>/again", chat.again, name="again"),
    path("chat/<int:pk>/feedback", chat.feedback, name="feedback"),
    path("chat/<int:pk>/replay", chat.replayed, name="replay"),
    path("conversations/<int:pk>/share", chat.share, name="share"),
    path("conversations/<int:pk>/remove", chat.remove, name="remove"),
    path("read/<slug:slug>/<path:path>", read.read, name="read"),
    path("pages/<slug:slug>/<int:page>/<path:path>", read.page_image, name="page-image"),
    path("original/<slug:slug>/<path:path>", read.original, name="original"),
    path("libraries/", libraries.libraries, name="libraries"),
    path("libraries/add", add_library, name="add-library"),
    path("libraries/<slug:slug>/", libraries.library, name="library"),
    path("libraries/<slug:slug>/files", uploads.uploads, name="uploads"),
    path("libraries/<slug:slug>/files/upload", uploads.upload, name="upload"),
    path("libraries/<slug:slug>/files/remove", uploads.remove_uploads, name="remove-uploads"),
    path("libraries/<slug:slug>/build", jobs.build, name="build"),
    path("libraries/<slug:slug>/snapshots/<int:number>", libraries.snapshot, name="snapshot"),
    path("libraries/<slug:slug>/quality", quality.quality, name="quality"),
    path("libraries/<slug:slug>/golden", golden.keep_golden, name="keep-golden"),
    path("libraries/<slug:slug>/golden/switch", golden.switch_golden, name="switch-golden"),
    path("libraries/<slug:slug>/golden/measure", golden.measure_golden, name="measure-golden"),
    path("jobs/", jobs.jobs, name="jobs"),
    path("jobs/<int:pk>/", jobs.job, name="job"),
    path("libraries/<slug:slug>/review/", review.review_page, name="review"),
    path("libraries/<slug:slug>/review/<int:number>/<path:path>", review.review_file, name="review-file"),
    path("libraries/<slug:slug>/document/<path:path>", document.document_page, name="document"),
    path("libraries/<slug:slug>/withdrawn", document.withdrawn, name="withdrawn"),
    path("libraries/<slug:slug>/members", members.members, name="members"),
    path("libraries/<slug:slug>/settings", settings.settings_page, name="settings"),
    path("invitation/<str:token>", accounts.invitation, name="invitation"),
    path("audit/", audit.audit_page, name="audit"),
    path("due/", audit.due_page, name="due"),
    path("tokens", tokens.tokens, name="tokens"),
    path("password", accounts.password, name="password"),
    path("dashboard/", audit.dashboard, name="dashboard"),
    path("dashboard/health", health.health, name="health"),
    path(
        "login",
        throttled(LoginView.as_view(redirect_authenticated_user=True, extra_context={"sign_on": sign_on.provider})),
        name="login",
    ),
    path("sign-on/begin", sign_on.Begin.as_view(), name="oidc_authentication_init"),
    path("sign-on/back", sign_on.Back.as_view(), name="oidc_authentication_callback"),
    path("logout", LogoutView.as_view(), name="logout"),
    path("api/schema/", SpectacularJSONAPIView.as_view(), name="schema"),
    path("api/docs/", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="api-docs"),
    re_path(r"^api/v1/libraries/?$", libraries_api.LibraryList.as_view()),
    re_path(r"^api/v1/libraries/(?P<slug>[-\w]+)/?$", libraries_api.LibraryDetail.as_view()),
    re_path(r"^api/v1/libraries/(?P<slug>[-\w]+)/snapshots/?$", libraries_api.SnapshotList.as_view()),
    re_path(r"^api/v1/libraries/(?P<slug>[-\w]+)/documents/?$", libraries_api.DocumentList.as_view()),
    re_path(r"^api/v1/jobs/?$", jobs_api.JobList.as_view()),
    re_path(r"^api/v1/jobs/(?P<pk>[0-9]{1,18})/?$", jobs_api.JobDetail.as_view()),
    re_path(r"^api/v1/jobs/(?P<pk>[0-9]{1,18})/events/?$", jobs_api.JobLog.as_view()),
    re_path(r"^api/v1/jobs/(?P<pk>[0-9]{1,18})/(?P<verb>\w+)/?$", jobs_api.steer),
    re_path(r"^api/v1/libraries/(?P<slug>[-\w]+)/files/?$", LibraryFiles.as_view()),
    re_path(r"^api/v1/libraries/(?P<slug>[-\w]+)/build/?$", jobs_api.BuildView.as_view()),
    re_path(r"^api/v1/libraries/(?P<slug>[-\w]+)/review/?$", governance_api.ReviewView.as_view()),
    re_path(r"^api/v1/libraries/(?P<slug>[-\w]+)/activate/?$", governance_api.ActivateView.as_view()),
    re_path(r"^api/v1/libraries/(?P<slug>[-\w]+)/rollback/?$", governance_api.RollbackView.as_view()),
    re_path(r"^api/v1/libraries/(?P<slug>[-\w]+)/withdraw/?$", governance_api.WithdrawView.as_view()),
    re_path(r"^api/v1/libraries/(?P<slug>[-\w]+)/audit/?$", governance_api.AuditList.as_view()),
    re_path(r"^api/v1/search/?$", api.search),
    re_path(r"^api/v1/symbols/?$", api.symbols),
    re_path(r"^api/v1/ask/?$", api.ask),
    re_path(r"^api/v1/answers/(?P<pk>\d{1,18})/replay/?$", api.replayed),
    re_path(r"^v1/models/?$", openai.models),
    path("v1/models/<path:name>", openai.model),
    re_path(r"^v1/chat/completions/?$", openai.completions),
    re_path(r"^mcp/?$", mcp),
    re_path(r"^retrieve/?$", retrieve),
    path("saved-view", saved_views.saved_view, name="saved-view"),
    path("admin/login/", throttled(admin.site.login)),  # this and the next: before the admin's own
    path("admin/password_change/", accounts.password),
    path("admin/", admin.site.urls),
    re_path(r"^healthz/?$", health.healthz),
    re_path(r"^readyz/?$", health.readyz, name="readyz"),
    re_path(r"^metrics/?$", health.metrics),
]
