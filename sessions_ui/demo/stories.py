"""Stories: how a session of each app goes. Each takes an empty script and fills it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessions_ui.demo.cast import CITIES, GOODS, ORDER_STATES
from sessions_ui.demo.pictures import label_picture

if TYPE_CHECKING:
    from collections.abc import Callable

    from sessions_ui.demo.script import Script


def support(script: Script) -> None:
    """An order goes wrong and is put right, or not."""
    rng = script.rng
    order, goods = f"A-{rng.randint(100, 999)}", rng.choice(GOODS)
    script.state = {"channel": rng.choice(("web", "phone", "app")), "user:language": rng.choice(("en", "nb", "pt"))}
    script.display_name = f"Order {order}"
    script.labels = {"queue": rng.choice(("orders", "returns"))}
    script.user(f"Where is my {goods}? The order is {order}.")
    if rng.random() < 0.3:
        script.fail("planner", "404", f"lookup_order: no order {order} in region eu-2")
    state = rng.choice(ORDER_STATES)
    script.tool(
        "planner",
        "lookup_order",
        {"order": order, "with_items": True},
        {"order": order, "status": state, "items": [{"name": goods, "qty": 1}]},
        {"order": {"id": order, "item": goods}, "order_status": state, "temp:lookup_ms": rng.randint(20, 300)},
    )
    script.say("planner", f"Your {goods} is {state}.", {"user:last_order": order})
    if state == "held":
        script.transfer("planner", "returns_desk", "the parcel is held at the depot")
        script.user("Can you read this label?")
        picture = {"mimeType": "image/png", "data": label_picture(rng), "displayName": "label.png"}
        script.parts("user", [{"text": "Here it is."}, {"inlineData": picture}])
        script.tool(
            "returns_desk",
            "release_parcel",
            {"order": order, "auth_token": f"tok-{rng.getrandbits(40):x}"},
            {"released": True},
            {"order_status": "shipped", "held_reason": None},
        )
        script.say("returns_desk", "Released. It leaves tonight.", {"app:last_released_order": order})
    for _ in range(rng.randint(0, 6)):
        script.user(rng.choice(("And the invoice?", "Could it come earlier?", "Thanks!", "Still nothing here.")))
        script.say("planner", rng.choice(("On its way by mail.", "Tomorrow between 8 and 12.", "You are welcome.")))


def travel(script: Script) -> None:
    """A trip takes shape."""
    rng = script.rng
    city = rng.choice(CITIES)
    script.state = {"origin": rng.choice(CITIES), "interests": "", "user:home_currency": rng.choice(("EUR", "NOK"))}
    script.state["__session_metadata__"] = {"displayName": f"Trip to {city}"}
    script.user(f"Plan four days in {city} in {rng.choice(('March', 'June', 'October'))}.")
    script.say("concierge", "What do you enjoy most?", {"destination": city, "stage": "asking"})
    script.user("Food, museums, and a day outside.")
    script.tool(
        "concierge",
        "search_flights",
        {"to": city, "max_price": 400},
        {"offers": [{"id": f"F{rng.randint(10, 99)}", "price": rng.randint(90, 390)} for _ in range(3)]},
        {"interests": "food, museums, nature", "stage": "comparing"},
    )
    if rng.random() < 0.25:
        script.fail("concierge", "RESOURCE_EXHAUSTED", "search_hotels: quota exceeded, try again in 30 s")
        script.wait(30)
    itinerary = [{"day": day, "plan": rng.choice(("market walk", "museum", "boat trip"))} for day in range(1, 5)]
    script.tool(
        "hotel_finder",
        "search_hotels",
        {"city": city, "nights": 4},
        {"hotels": [{"name": f"Hotel {city} {rng.randint(1, 9)}", "rate": rng.randint(70, 190)} for _ in range(4)]},
        {"itinerary": itinerary, "stage": "proposing", "budget": round(rng.uniform(400, 1800), 2)},
    )
    script.say("concierge", f"Four days in {city}, ready to look at.", {"user:last_trip": city})
    if rng.random() < 0.5:
        script.user("Book the second hotel.")
        script.say("concierge", "Booked.", {"stage": "booked", "confirmation_code": f"{rng.getrandbits(24):06X}"})


def bank(script: Script) -> None:
    """Money moves only after a person confirms."""
    rng = script.rng
    amount = rng.choice((50, 120.5, 500, 2400))
    script.state = {"account": f"ACC{rng.randint(100, 999)}", "user:tier": rng.choice(("basic", "plus"))}
    script.labels = {"desk": "payments"}
    script.user(f"Transfer {amount} to Charlie.")
    call = script.think("teller", "This needs a confirmation.", "transfer_funds", {"to": "Charlie", "amount": amount})
    script.event(
        "teller",
        None,
        actions={"requestedToolConfirmations": {call: {"hint": f"Send {amount} to Charlie?", "confirmed": False}}},
        longRunningToolIds=[call],
    )
    script.user("Yes, go ahead.")
    done = rng.random() < 0.8
    response = {"status": "sent" if done else "refused", "limit": 5000}
    part = {"functionResponse": {"id": call, "name": "transfer_funds", "response": response}}
    script.parts("teller", [part], actions={"stateDelta": {"last_transfer": {"amount": amount, "done": done}}})
    if not done:
        script.fail("teller", "PERMISSION_DENIED", "transfer_funds: the daily limit is reached")
    script.say(
        "teller", "Done." if done else "The limit is reached; try tomorrow.", {"app:last_transfer_amount": amount}
    )


def review(script: Script) -> None:
    """Code is run, and the numbers are read."""
    rng = script.rng
    script.state = {"repository": f"svc-{rng.choice(('cart', 'search', 'mail'))}", "pull_request": rng.randint(1, 900)}
    script.user("Is the new sort stable, and how fast is it?")
    code = "import timeit\nprint(timeit.timeit('sorted(data)', 'data=list(range(1000))', number=100))"
    script.parts("reviewer", [{"executableCode": {"language": "PYTHON", "code": code}}])
    failed = rng.random() < 0.3
    outcome = {"outcome": "OUTCOME_FAILED" if failed else "OUTCOME_OK"}
    outcome["output"] = "MemoryError" if failed else f"{rng.uniform(0.001, 0.02):.6f}\n"
    script.parts("reviewer", [{"codeExecutionResult": outcome}], actions={"artifactDelta": {"bench.txt": 0}})
    script.say(
        "reviewer",
        "It is stable; see bench.txt." if not failed else "It ran out of memory at the largest size.",
        {"verdict": "approve" if not failed else "needs work", "checks": {"stable": True, "fast": not failed}},
    )
    for file in rng.sample(("sort.py", "cache.py", "api.py", "models.py"), rng.randint(1, 4)):
        script.user(f"And {file}?")
        script.tool(
            "reviewer", "read_file", {"path": file}, {"lines": rng.randint(40, 400)}, {f"reviewed:{file}": True}
        )
        script.say("reviewer", f"{file} reads well.", {"app:last_reviewed_file": file})


def clinic(script: Script) -> None:
    """An intake with a form that fills itself."""
    rng = script.rng
    script.state = {"form": {}, "app:opening_hours": "08-16", "user:consent": True}
    script.user("I have a headache since Monday.")
    script.say("intake", "How strong, from 1 to 10?", {"form": {"complaint": "headache"}, "step": 1})
    pain = rng.randint(2, 9)
    script.user(str(pain))
    script.say(
        "intake", "Any medicine?", {"form": {"complaint": "headache", "pain": pain}, "step": 2, "temp:draft": "asked"}
    )
    script.user("Only paracetamol.")
    script.parts(
        "intake",
        [{"text": "I have noted that."}],
        actions={"stateDelta": {"step": 3, "urgent": pain > 7, "note": None}, "endOfAgent": True},
        output={"triage": "today" if pain > 7 else "this week"},
        nodeInfo={"path": "intake@1/triage@1"},
    )
    if pain > 7:
        script.transfer("intake", "nurse", "pain above 7")
        script.say("nurse", "Please come in today.", {"appointment": "today 14:30", "user:last_complaint": "headache"})


STORIES: dict[str, Callable[[Script], None]] = {
    "support_bot": support,
    "travel_planner": travel,
    "bank_assistant": bank,
    "code_reviewer": review,
    "clinic_intake": clinic,
}
