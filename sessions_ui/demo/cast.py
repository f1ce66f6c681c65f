"""Who is in the demo: five apps and forty people, none of them real."""

from __future__ import annotations

APPS = ("support_bot", "travel_planner", "bank_assistant", "code_reviewer", "clinic_intake")

PEOPLE = (
    "ana@example.com", "bjorn@example.no", "chiara@example.it", "dmitri@example.org", "elif@example.com",
    "farid@example.org", "greta@example.de", "hiro@example.jp", "ines@example.pt", "jonas@example.de",
    "kofi@example.gh", "lucia@example.es", "mateo@example.mx", "noor@example.nl", "olga@example.org",
    "pierre@example.fr", "quinn@example.ie", "rosa@example.pe", "samir@example.com", "tove@example.se",
    "umar@example.pk", "vera@example.cz", "wanjiru@example.ke", "xiu@example.cn", "yara@example.br",
    "zoe@example.gr", "customer-10482", "customer-20931", "customer-31177", "customer-48205",
    "team/payments", "team/search", "Åse Bjørnstad", "علي حسن", "田中 さくら", "user 07", "anonymous-5f2c",
    "anonymous-9b1e", "qa+regression@example.com", "🦊 fox",
)  # fmt: skip

CITIES = ("Oslo", "Lisbon", "Kyoto", "Accra", "Lima", "Ghent", "Nairobi", "Tromsø", "Palermo", "Riga")
GOODS = ("tea sampler", "rain jacket", "desk lamp", "hiking boots", "cast-iron pan", "headphones", "board game")
ORDER_STATES = ("paid", "packed", "held", "shipped", "delivered", "returned")
