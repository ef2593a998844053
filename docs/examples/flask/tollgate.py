"""Verifies forms with Tollgate's host API."""
import http.client
import json
import logging
import os
import urllib.request

URL = os.environ.get("HOST_API_URL", "http://127.0.0.1:9002") + "/host/verify"
FIELDS = ("pow_token", "pow_nonce", "captcha_token", "captcha")


def verify(form, ip, language):
    """Returns the status, 200, 422 or 503, and the verdict: `message` and `pow_scope` are for the next page."""
    submission = {name: form[name][:2048] for name in FIELDS if name in form}
    request = urllib.request.Request(
        URL,
        json.dumps({"submission": submission, "ip": ip}).encode(),
        {
            "Authorization": f"Bearer {os.environ['HOST_API_KEY']}",
            "Content-Type": "application/json",
            "Accept-Language": language,
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=5) as response:
            verdict = json.load(response)
            if verdict["success"] is True:
                return 200, verdict
            return 422, {"message": verdict["message"], "pow_scope": verdict.get("pow_scope", "")}
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException) as error:
        logging.error("Tollgate: %s", error)
        return 503, {"message": "Please try again shortly."}
