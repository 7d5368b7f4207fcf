"""Named places at which a test may make this process die, stop, fail or wait. Off unless `FAILPOINTS` is set.

    FAILPOINTS="parse.stored=kill@3"     kill -9 this process when it is there for the third time
    FAILPOINTS="*=kill@17"               … at the seventeenth place, whatever its name
    FAILPOINTS="*=trace:/tmp/visited"    append the name of every place to a file
    FAILPOINTS="seal.hashed=hold:/tmp/h" write the file, and wait until somebody removes it

(https://docs.rs/fail describes the idea.) Off, a place costs one call and one comparison.
"""

import os
import re
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

RULE = re.compile(r"(?P<site>[\w.*-]+)=(?P<action>kill|stop|raise|trace|hold)(?::(?P<file>[^,@]+))?(?:@(?P<nth>\d+))?")
HOLD_SECONDS = 60


class InjectedFault(OSError):
    """What the action `raise` raises."""


@dataclass
class Rule:
    site: str
    action: str
    file: str
    nth: int  # 0: every time
    seen: int = field(default=0)

    def applies(self, site: str) -> bool:
        if self.site not in ("*", site):
            return False
        self.seen += 1
        return self.nth in (0, self.seen)


_rules: list[Rule] = []


def failpoint(site: str) -> None:
    """A place between two steps. `site` is `stage.moment`."""
    if _rules:
        for rule in _rules:
            if rule.applies(site):
                ACTIONS[rule.action](site, rule)


def arm(spec: str, allowed: bool) -> None:
    """Set what happens where; "" is nothing. Raises ImproperlyConfigured for what cannot be read, or is not allowed."""
    rules = []
    for part in filter(None, (part.strip() for part in spec.split(","))):
        found = RULE.fullmatch(part)
        if not found:
            raise ImproperlyConfigured(f"FAILPOINTS: “{part}” is not SITE=kill|stop|raise|trace:FILE|hold:FILE[@N]")
        rules.append(Rule(found["site"], found["action"], found["file"] or "", int(found["nth"] or 0)))
    if rules and not allowed:
        raise ImproperlyConfigured("FAILPOINTS is for tests: it needs AI_TEST_MODE or DEBUG")
    _rules[:] = rules


def kill(site: str, rule: Rule) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def stop(site: str, rule: Rule) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def fail(site: str, rule: Rule) -> None:
    raise InjectedFault(f"injected at {site}")


def trace(site: str, rule: Rule) -> None:
    with Path(rule.file).open("a") as file:
        file.write(f"{site}\n")


def hold(site: str, rule: Rule) -> None:
    flag, deadline = Path(rule.file), time.monotonic() + HOLD_SECONDS
    flag.write_text(site)
    while flag.exists() and time.monotonic() < deadline:
        time.sleep(0.02)


ACTIONS: dict[str, Callable[[str, Rule], None]] = {
    "kill": kill,
    "stop": stop,
    "raise": fail,
    "trace": trace,
    "hold": hold,
}
