from django import forms
from django.core.validators import MinLengthValidator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from tollgate import GuardedForm


class ContactForm(GuardedForm):
    text = forms.CharField(label="Your message", widget=forms.Textarea, validators=[MinLengthValidator(10)])


@never_cache
def contact(request):
    form = ContactForm(request)
    if form.is_valid():
        # Keep form.cleaned_data["text"] here.
        return HttpResponse("Thank you.")
    return render(request, "contact.html", {"form": form}, status=form.status)
