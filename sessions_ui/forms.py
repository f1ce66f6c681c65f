"""Forms of the pages."""

from __future__ import annotations

import zoneinfo
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User

from sessions_ui.appearance import THEMES


class SessionFilterForm(forms.Form):
    """What narrows the sessions list. Names are those of the address; text is taken as it is, white space too."""

    app = forms.CharField(required=False, label="App")
    user = forms.CharField(required=False, label="User")
    id = forms.CharField(required=False, label="Session id begins with")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for field in self.fields.values():
            field.widget.attrs |= {"autocomplete": "off", "spellcheck": "false", "maxlength": "256"}


if TYPE_CHECKING:  # subscripted for the type checker alone
    _UserForm = BaseUserCreationForm[User]
else:
    _UserForm = BaseUserCreationForm


class FirstAdminForm(_UserForm):
    """The first person: a name and a password, twice."""

    token = forms.CharField(required=False, widget=forms.HiddenInput)

    class Meta:
        model = User
        fields: ClassVar[tuple[str, ...]] = ("username",)


def _zones() -> list[tuple[str, str]]:
    names = sorted(zoneinfo.available_timezones() - {"UTC", "localtime"})
    return [(name, name) for name in ["UTC", *names]]


class AppearanceForm(forms.Form):
    """How the pages look in this browser."""

    theme = forms.ChoiceField(choices=list(THEMES.items()), widget=forms.RadioSelect, label="Colours")
    zone = forms.ChoiceField(choices=_zones, label="Times are shown in")
