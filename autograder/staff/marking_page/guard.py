"""Access control, closed by default: the browsers that may use the page, and their requests."""

import hmac
import secrets
import urllib.parse
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

TOKEN_FILE = ".marking_token"
DAYS = 30
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types page"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
FORMS = ("application/json", "application/octet-stream")
"""Acceptable content types: a form on a different site can send neither."""


def token(folder: Path) -> str:
    """Return the secret of a folder's page, which only staff can read.

    It stays the same, so that open pages keep working.
    """
    path = folder / TOKEN_FILE
    if not path.is_file() or not path.stat().st_size:  # as after a disk was full
        path.touch(mode=0o600, exist_ok=True)
        path.write_text(secrets.token_urlsafe(32), encoding="ascii")
    return path.read_text(encoding="ascii").strip()


class Guard:
    """A guard that admits requests with the token from the page's own address; others get 403.

    A link with `?token=` gives a session: two cookies that no script can read. A page sends the
    name that it shows in `X-Marker`, and is refused if the session now belongs to somebody else.

    Args:
        hosts: Acceptable values of the header `Host`, with the port if there is one.
        secure: Whether browsers use TLS, and so send cookies only over TLS.
        marker: The name of a marker whose link has no name.
        name: The cookies' name: pages on different ports of one machine share cookies.
    """

    def __init__(
        self,
        application: ASGIApp,
        token: str,
        hosts: Collection[str],
        *,
        secure: bool,
        marker: str,
        name: str,
    ) -> None:
        self._application, self._token, self._hosts = application, token, frozenset(hosts)
        self._secure, self._marker, self._name = secure, marker, f"autograder_{name}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._answer(Request(scope))(scope, receive, with_headers)

    def _answer(self, request: Request) -> ASGIApp:
        """Return a refusal, a session, or the application for a request that has one."""
        if refusal := self._refusal(request):
            return refusal
        query = request.query_params
        if request.method == "GET" and _same(query.get("token", ""), self._token):
            return self._session(request.scope["path"], query.get("marker", ""))
        session = self._known(request.cookies)
        if session is None:
            return PlainTextResponse(
                "Open the link that `autograder` printed: it has the key to this page.", 403
            )
        sent = request.headers.get("x-marker")
        shown = session["marker"] if sent is None else urllib.parse.unquote(sent)
        if shown != session["marker"]:
            return PlainTextResponse(
                f"This page belongs to {shown}, but somebody has since opened the link of "
                f"{session['marker']} in this browser. Reload to continue as "
                f"{session['marker']}, or use a second browser.",
                403,
            )
        request.scope["state"] = {**request.scope.get("state", {}), **session}
        return self._application

    def _refusal(self, request: Request) -> Response | None:
        """Return the response to a request that does not come from this page, or None."""
        host = request.headers.get("host", "").lower()
        if host not in self._hosts:
            return PlainTextResponse("This address is not the page's own.", 403)
        if request.method in ("GET", "HEAD"):
            return None
        origin = request.headers.get("origin", "")
        scheme = "https" if self._secure else "http"
        if request.method != "POST" or origin != f"{scheme}://{host}":
            return PlainTextResponse("This request comes from another page.", 403)
        if request.headers.get("content-type", "").split(";")[0] not in FORMS:
            return PlainTextResponse("A request has the form application/json.", 415)
        return None

    def _session(self, path: str, marker: str) -> Response:
        response = RedirectResponse(path, 303)
        words = "".join(c for c in marker or self._marker if c.isprintable())[:60].strip()
        holder = f"{secrets.token_urlsafe(12)}.{urllib.parse.quote(words, safe='')}"
        for name, value in ((self._name, self._token), (f"{self._name}_holder", holder)):
            response.set_cookie(
                name,
                value,
                max_age=DAYS * 24 * 3600,
                httponly=True,
                samesite="lax",
                secure=self._secure,
            )
        return response

    def _known(self, cookies: Mapping[str, str]) -> dict[str, str] | None:
        """Return the marker whose session a request belongs to, or None."""
        if not _same(cookies.get(self._name, ""), self._token):
            return None
        holder, _, marker = cookies.get(f"{self._name}_holder", "").partition(".")
        marker = urllib.parse.unquote(marker)[:60]
        return {"holder": holder or "page", "marker": marker or self._marker}


def _same(given: str, token: str) -> bool:
    return bool(given) and hmac.compare_digest(given.encode(), token.encode())
