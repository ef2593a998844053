#!/usr/bin/env python3
"""A host in Python: a sign-in of its own, guarded through the host API. It needs the standard library alone.

    HOST_API_KEY=... DEMO_EMAIL=... DEMO_PASSWORD=... python3 host.py [PORT]

HOST_API_URL is the admin port of the challenge service, http://127.0.0.1:9002 unless set. POST /sign-in takes the JSON
fields email and password, and those of the challenges. Behind a proxy, take the address of the client from what that
proxy says, and from nothing else.
"""

import hashlib
import hmac
import json
import os
import sys
import time
import unicodedata
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def required(name):
    """A variable that must be set."""
    return os.environ.get(name) or sys.exit(f"{name} must be set")


HOST_API_URL = os.environ.get("HOST_API_URL", "http://127.0.0.1:9002")
HOST_API_KEY = required("HOST_API_KEY")
CHALLENGE_FIELDS = ("pow_token", "pow_nonce", "captcha_token", "captcha")
LONGEST_BODY_BYTES = 16 * 1024
LONGEST_KEY = 512


class Unavailable(Exception):
    """The host API gave no answer that counts."""


class Refused(Exception):
    """The host API did not accept a request of ours."""


class HostApi:
    """The host API, in the language of one client."""

    def __init__(self, language):
        self.language = language

    def attempt(self, fields, key, ip):
        """The verdict over a submission; if it passes, the attempt counts as a failure before the password is looked at.
        Sent again after a lost answer, its challenges are judged as before and it counts once."""
        body = {"submission": fields, "key": key, "ip": ip, "count": True, "idempotency_key": str(uuid.uuid4())}
        for wait_seconds in (0.1, 0.5, 1):
            try:
                return self._call("POST", "/host/verify", body)
            except Unavailable:
                time.sleep(wait_seconds)
        return self._call("POST", "/host/verify", body)

    def withdraw(self, key, counted):
        """Takes back one counted attempt."""
        self._call("DELETE", "/host/failures", {"key": key, "try": counted["try"]})

    def clear(self, key, ip):
        """Forgets the failures of an account after a success."""
        self._call("DELETE", "/host/failures", {"key": key, "ip": ip})

    def _call(self, method, path, body):
        request = urllib.request.Request(
            HOST_API_URL + path,
            method=method,
            data=json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {HOST_API_KEY}",
                "Content-Type": "application/json",
                "Accept-Language": self.language,
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                text = answer.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            if error.code < 500:
                raise Refused(f"the host API answered {error.code} to {method} {path}") from None
            raise Unavailable from None
        except OSError:
            raise Unavailable from None


def sign_in(api, form, ip):
    """Answers one sign-in: a status and a body."""
    email, password = form.get("email"), form.get("password")
    key = account_key(email) if isinstance(email, str) else ""
    if not is_text(password) or not is_text(key) or not 1 <= len(key) <= LONGEST_KEY:
        return 422, {"message": "Please give an e-mail and a password.", "code": "validation_failed"}
    # Of the form only texts go on: anything else is no challenge field.
    fields = {name: form[name] for name in CHALLENGE_FIELDS if is_text(form.get(name))}
    verdict = api.attempt(fields, key, ip)
    if not verdict.pop("success"):
        return 422, verdict
    try:
        known = is_right(key, password)
    except Exception:
        api.withdraw(key, verdict)
        raise
    if not known:
        message = "The e-mail or the password is wrong."
        return 422, {"message": message, "code": "login_failed", **next_attempt(verdict)}
    api.clear(key, ip)
    return 200, {"email": key}


def account_key(email):
    """One spelling for each account: every other one would have guesses of its own."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", email).lower()).strip()


def is_text(value):
    """Whether it is a text that can be sent on; JSON may hold halves of characters, which cannot."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def next_attempt(verdict):
    """What a failed answer says about the next attempt."""
    return {name: value for name, value in verdict.items() if name not in ("failures", "try")}


def hash_password(password):
    return hashlib.scrypt(password.encode(), salt=b"only an example", n=2**14, r=8, p=1)


ACCOUNTS = {account_key(required("DEMO_EMAIL")): hash_password(required("DEMO_PASSWORD"))}
NOBODY = hash_password(str(uuid.uuid4()))


def is_right(key, password):
    """An account that does not exist takes as long as one that does."""
    return hmac.compare_digest(hash_password(password), ACCOUNTS.get(key, NOBODY))


class Handler(BaseHTTPRequestHandler):
    """POST /sign-in and nothing else."""

    def do_POST(self):
        if self.path != "/sign-in":
            return self.answer(404, {"message": "Not found.", "code": "not_found"})
        try:
            length = int(self.headers.get("Content-Length", "0"))
            if not 0 <= length <= LONGEST_BODY_BYTES:
                return self.answer(413, {"message": "Too large.", "code": "body_too_large"})
            form = json.loads(self.rfile.read(length))
            if not isinstance(form, dict):
                raise ValueError
        # A body of many thousand brackets is too deep for the parser.
        except (ValueError, RecursionError):
            return self.answer(400, {"message": "No JSON object.", "code": "malformed_json"})
        try:
            api = HostApi(self.headers.get("Accept-Language", "en"))
            status, body = sign_in(api, form, self.client_address[0])
        except Unavailable:
            status, body = 503, {"message": "Please try again shortly.", "code": "unavailable"}
        except Exception as error:
            # What another error says may quote the password.
            print(error if isinstance(error, Refused) else type(error).__name__, file=sys.stderr)
            status, body = 500, {"message": "Something went wrong.", "code": "internal_error"}
        self.answer(status, body)

    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Nothing of a sign-in is logged."""


class Server(ThreadingHTTPServer):
    """With room for a burst: of the connections beyond it, each waits seconds for another try."""

    request_queue_size = 128


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
    server = Server(("127.0.0.1", port), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}/sign-in", flush=True)
    server.serve_forever()
