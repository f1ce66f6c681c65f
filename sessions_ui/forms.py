"""Forms of the pages."""

from __future__ import annotations

from typing import ClassVar

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User


class SessionFilterForm(forms.Form):
    """What narrows the sessions list. Names are those of the address; text is taken as it is, white space too."""

    app = forms.CharField(required=False, strip=False, label="App")
    user = forms.CharField(required=False, strip=False, label="User")
    id = forms.CharField(required=False, strip=True, label="Session id begins with")


class FirstAdminForm(BaseUserCreationForm[User]):
    """The first person: a name and a password, twice."""

    class Meta:
        model = User
        fields: ClassVar[tuple[str, ...]] = ("username",)


class AppearanceForm(forms.Form):
    """How the pages look to this person."""

    CHOICES: ClassVar[list[tuple[str, str]]] = [("system", "As the device"), ("light", "Light"), ("dark", "Dark")]
    theme = forms.ChoiceField(choices=CHOICES, widget=forms.RadioSelect, label="Colours")
