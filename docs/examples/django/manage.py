"""The project around views.py: in yours, settings.py, urls.py and manage.py."""
import os
import sys
from pathlib import Path

from django.conf import settings
from django.core.management import execute_from_command_line
from django.urls import path

settings.configure(
    ROOT_URLCONF=__name__,
    SECRET_KEY=os.environ["SECRET_KEY"],
    ALLOWED_HOSTS=["localhost", "127.0.0.1"],
    HOST_API_URL=os.environ.get("HOST_API_URL", "http://127.0.0.1:9002"),
    HOST_API_KEY=os.environ["HOST_API_KEY"],
    MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware"],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "DIRS": [Path(__file__).parent / "templates"],
        }
    ],
)


def urlpatterns():
    from views import contact

    return [path("contact", contact)]


urlpatterns = urlpatterns()

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
