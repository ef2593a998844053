"""A form that Tollgate's host API verifies."""
import http.client
import json
import logging
import urllib.request

from django import forms
from django.conf import settings

FIELDS = ("pow_token", "pow_nonce", "captcha_token", "captcha")


class GuardedForm(forms.Form):
    """Verified after its own rules: a form that they reject costs no challenge."""

    def __init__(self, request):
        super().__init__(request.POST if request.method == "POST" else None)
        self.request = request
        self.status = 422 if self.is_bound else 200
        self.verdict = {}

    def clean(self):
        if not self.errors:
            self.status, self.verdict = verify(self.request)
            if self.status != 200:
                self.add_error(None, self.verdict["message"])
        return super().clean()


def verify(request):
    """Returns the status, 200, 422 or 503, and the verdict: `message` and `pow_scope` are for the next page."""
    submission = {name: request.POST[name][:2048] for name in FIELDS if name in request.POST}
    question = urllib.request.Request(
        f"{settings.HOST_API_URL}/host/verify",
        json.dumps({"submission": submission, "ip": request.META["REMOTE_ADDR"]}).encode(),
        {
            "Authorization": f"Bearer {settings.HOST_API_KEY}",
            "Content-Type": "application/json",
            "Accept-Language": request.headers.get("Accept-Language", "en"),
        },
    )
    try:
        with urllib.request.urlopen(question, timeout=5) as response:
            verdict = json.load(response)
            if verdict["success"] is True:
                return 200, verdict
            return 422, {"message": verdict["message"], "pow_scope": verdict.get("pow_scope", "")}
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException) as error:
        logging.error("Tollgate: %s", error)
        return 503, {"message": "Please try again shortly."}
