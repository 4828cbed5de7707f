#!/usr/bin/env python3
# An example client of Baton for Python 3.9 and later, standard library only. It was written
# from docs/protocol.md, and tells one story over the Unix socket or over HTTP: two agents join
# the room of a directory; the first takes a turn, passes it to the second and has it do
# something, then follows the room's events across a lost connection.
#
#   client.py socket [PATH]             [--workspace DIR]
#   client.py http   [URL [TOKEN_FILE]] [--workspace DIR]
#
# What is left out is found in the data directory of a server that runs here (`baton up`).
"""An example client of Baton, over the Unix socket or over HTTP."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import socket
import sys
import threading
import time
import urllib.parse
import uuid
from abc import ABC, abstractmethod
from collections.abc import Generator
from pathlib import Path
from typing import Any

Object = dict[str, Any]
Events = Generator[Object, None, None]

WAIT_MS = 30_000  # how long one call waits; then the client calls again
ANSWER = 60.0  # seconds until a call without an answer counts as lost
SILENCE = 45.0  # the same for a stream; HTTP shows a sign of life every 15
PATIENCE = 120.0  # how long the story waits for a turn, or for something to do
ATTEMPTS = 6
# The commands used here that take no idempotency key; sending them again does no harm.
NO_KEY = {"room.list", "inbox.list", "action.take", "action.wait"}
# Refusals after which the same request is sent again. All others are the caller's to decide.
REPEAT = {"RATE_LIMITED", "SHUTTING_DOWN", "canceled", "duplicate_listener", "SLOW_CONSUMER",
          "store_busy", "store_unreachable", "store_outcome_unknown"}
LOST = (OSError, http.client.HTTPException)  # the connection broke, or there is none


class Failure(Exception):
    """The story cannot go on; the text says why."""


class Refused(Failure):
    """The server said no: `code` decides what to do, `facts` has the rest."""

    def __init__(self, error: Object, facts: Object) -> None:
        super().__init__(f"{error['code']}: {error['message']} {facts.get('next', '')}")
        self.code: str = error["code"]
        self.facts = facts


class Client(ABC):
    """One agent, used by one thread at a time."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self.room = ""

    @abstractmethod
    def request(self, command: str, args: Object, key: str | None) -> Object:
        """Send one request and return its answer."""

    @abstractmethod
    def find_room(self, path: str) -> str:
        """Return the id of the room of a directory, opening one if there is none."""

    @abstractmethod
    def events(self, after: int) -> Events:
        """Give the room's events behind `after`, on a connection that ends with the generator."""

    @abstractmethod
    def close(self) -> None:
        """Hang up; the next request connects again. The agent stays a member."""

    def call(self, command: str, **args: Any) -> Object:
        """Run a command in the room; when it is repeated, then with the same key."""
        if self.room:
            args["room_id"] = self.room
        key = None if command in NO_KEY else str(uuid.uuid4())
        for attempt in range(ATTEMPTS):
            pause = min(2.0**attempt, 10.0)
            try:
                return self.request(command, args, key)
            except Refused as refusal:
                if refusal.code not in REPEAT:
                    raise
                pause = refusal.facts.get("retry_after_ms", pause * 1000) / 1000
            except LOST as lost:
                if not self.room:
                    raise Failure(f"no server answers: {lost}") from lost
                say(f"{self.agent}: no answer to {command} ({lost}), again in {pause:g} s")
                self.close()
            time.sleep(pause)
        raise Failure(f"{command} was not answered in {ATTEMPTS} attempts")

    def join(self, path: str = "", room: str = "") -> int:
        """Join a room, under another id if this one is taken. Returns its newest event."""
        wanted = self.agent
        for number in range(2, 10):
            try:
                found = room or self.find_room(path)
                newest = self.call("agent.add", room_id=found, id=self.agent)["last_seq"]
                self.room = found
                say(f"joined {found} as {self.agent}")
                return newest
            except Refused as refusal:
                if refusal.code != "id_in_use":
                    raise
                self.agent = f"{wanted}-{number}"
        raise Failure(f"{wanted} and the ids like it are all in use")


class SocketClient(Client):
    """A line of JSON for each request, and one for each answer."""

    def __init__(self, agent: str, path: str) -> None:
        super().__init__(agent)
        self.path = path
        self.line: Line | None = None

    def request(self, command: str, args: Object, key: str | None) -> Object:
        if self.line is None:
            self.line = Line(self.path, ANSWER)
            if self.room:  # a new connection speaks only for agents that it adds
                self.line.ask("agent.add", {"room_id": self.room, "id": self.agent})
        return self.line.ask(command, args, key)

    def find_room(self, path: str) -> str:
        rooms = self.call("room.list", context_path=path)["rooms"]
        if rooms:
            # The deepest is the one that joining would choose.
            return max(rooms, key=lambda room: len(room["canonical_path"] or ""))["room_id"]
        # Joining opens one, but as this process itself, which wants no place in the turn order.
        room = self.call("room.join", context_path=path)["room_id"]
        self.call("room.leave", room_id=room)
        return room

    def events(self, after: int) -> Events:
        line = Line(self.path, SILENCE)
        try:
            line.ask("events.stream", {"room_id": self.room, "after": after})
            while True:
                pushed = line.read()
                if pushed["type"] == "bus.dropped":
                    raise Refused(pushed["error"], pushed["error"].get("detail", {}))
                if pushed["type"] == "bus.closing":
                    raise ConnectionError("the server ends")
                yield pushed["payload"]["envelope"]  # of an events.record
        finally:
            line.close()

    def close(self) -> None:
        if self.line is not None:
            self.line.close()
        self.line = None


class Line:
    """A connection to the socket."""

    def __init__(self, path: str, timeout: float) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.lines = self.socket.makefile("rb")
        self.asked = 0
        try:
            self.socket.settimeout(timeout)
            self.socket.connect(path)
        except OSError:
            self.close()
            raise

    def ask(self, command: str, payload: Object, key: str | None = None) -> Object:
        """Send an envelope, and return the payload of the answer, which has its id as `corr`."""
        self.asked += 1
        envelope: Object = {"v": 1, "type": command, "id": str(self.asked), "payload": payload}
        if key is not None:
            envelope["idempotency_key"] = key
        self.socket.sendall(json.dumps(envelope).encode() + b"\n")
        while True:
            answer = self.read()
            if answer.get("status") == "error":
                raise Refused(answer["error"], answer["error"].get("detail", {}))
            if answer.get("corr") == envelope["id"]:
                return answer["payload"]

    def read(self) -> Object:
        """Return the next envelope."""
        line = self.lines.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError("the connection ended")
        return json.loads(line)

    def close(self) -> None:
        self.lines.close()
        self.socket.close()


class HttpClient(Client):
    """`POST /v1/call/{command}` for each request; the stream is server-sent events."""

    def __init__(self, agent: str, url: str, token: str) -> None:
        super().__init__(agent)
        self.url = urllib.parse.urlsplit(url)
        self.token = token
        self.connection = self.connect(ANSWER)

    def connect(self, timeout: float) -> http.client.HTTPConnection:
        secure = self.url.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        return kind(self.url.hostname or "", self.url.port, timeout=timeout)

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Baton-Agent": self.agent}

    def request(self, command: str, args: Object, key: str | None) -> Object:
        headers = {**self.headers(), "Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        self.connection.request("POST", f"/v1/call/{command}", json.dumps(args), headers)
        answer = json.loads(self.connection.getresponse().read())
        if not answer["ok"]:
            raise Refused(answer["error"], answer["error"])
        return answer["data"]

    def find_room(self, path: str) -> str:
        return self.call("room.join", context_path=path)["room_id"]

    def events(self, after: int) -> Events:
        connection = self.connect(SILENCE)
        try:
            connection.request("GET", f"/v1/sessions/{self.room}/events", headers={
                **self.headers(), "Accept": "text/event-stream", "Last-Event-ID": str(after)})
            response = connection.getresponse()
            if response.status != 200:
                error = json.loads(response.read())["error"]
                raise Refused(error, error)
            for line in response:
                if not line.startswith(b"data:"):
                    continue  # `id:` and `event:` are in the data too; `:` is a sign of life
                event = json.loads(line[len(b"data:"):])
                if event.get("ok") is False:  # bus.dropped
                    raise Refused(event["error"], event["error"])
                if event["type"] == "bus.closing":
                    break
                yield event
            raise ConnectionError("the stream ended")
        finally:
            connection.close()

    def close(self) -> None:
        self.connection.close()


def say(line: str) -> None:
    """Print a line in one piece, whichever thread says it."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def follow(client: Client, after: int, last: int) -> list[int]:
    """Read the events behind `after` up to `last`, then hang up, whatever else has come."""
    seen: list[int] = []
    cursor, losses = after, 0
    while cursor < last:
        stream = client.events(cursor)
        try:
            for event in stream:
                if event["seq"] != cursor + 1:
                    raise Failure(f"event {event['seq']} came behind event {cursor}")
                cursor = event["seq"]
                seen.append(cursor)
                if cursor == last:
                    break
        except (Refused, *LOST) as end:
            losses += 1
            if losses == ATTEMPTS or (isinstance(end, Refused) and end.code not in REPEAT):
                raise
            time.sleep(1)
        finally:
            stream.close()  # hangs up
    return seen


def wait_for_turn(client: Client) -> Object:
    """Wait until the stick is this agent's; the answer has `turn_id` and `lease_id`."""
    cursor: Object = {}
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        answer = client.call("stick.wait", max_wait_ms=WAIT_MS, **cursor)
        status = answer["status"]
        if status == "closed":
            raise Failure("the room was closed")
        if status == "takeover_available":  # this agent decides not to wait for who is gone
            answer = client.call("stick.takeover", expected_turn_id=answer["turn_id"],
                                 reason=f"Nobody moves on: {answer['reason']}.")
        if status != "not_yet":
            say(f"{client.agent}: turn {answer['turn_id']}")
            return answer
        cursor = {"cursor": answer["cursor"]}
        if answer.get("new_message"):
            client.call("inbox.list")
    raise Failure(f"{client.agent} had no turn in {PATIENCE:g} s")


def lease(turn: Object) -> Object:
    """What an owner shows with all that it does."""
    return {"expected_turn_id": turn["turn_id"], "lease_id": turn["lease_id"]}


def help_out(client: Client, problems: list[Exception]) -> None:
    """The second agent: it takes a turn, then does one thing that it is asked."""
    try:
        turn = wait_for_turn(client)
        handoff = turn.get("handoff") or {}
        say(f"{client.agent}: told: {handoff.get('status')} {handoff.get('next_action')}")
        client.call("stick.release", **lease(turn), handoff={
            "status": "The tests are written.", "next_action": "Have them run."})
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            # With 0 it also gets again what an answer told that was lost.
            taken = client.call("action.take", resume_after=0, max_wait_ms=WAIT_MS)
            for asked in taken["deliveries"]:
                if "action_id" in asked:  # a message without one wants no result
                    say(f"{client.agent}: asked by {asked['src']}: {asked['text']}")
                    client.call("action.result", action_id=asked["action_id"],
                                status="completed", detail="12 passed")
                    return
        raise Failure(f"{client.agent} was asked nothing in {PATIENCE:g} s")
    except Exception as problem:
        problems.append(problem)


def play(first: Client, second: Client, workspace: str) -> None:
    """Play the story: a turn, an action, and a stream that is cut off."""
    start = first.join(path=workspace)
    second.join(room=first.room)

    turn = wait_for_turn(first)
    problems: list[Exception] = []
    helper = threading.Thread(target=help_out, args=(second, problems), daemon=True)
    helper.start()
    beat = first.call("stick.heartbeat", **lease(turn))
    say(f"{first.agent}: heartbeat; the next is due in {beat['heartbeat_interval_ms']} ms")
    first.call("stick.pass", **lease(turn), to_agent_id=second.agent, handoff={
        "status": "The parser is done.", "next_action": "Write its tests."})
    say(f"{first.agent}: passed turn {turn['turn_id']} to {second.agent}")
    try:
        first.call("stick.heartbeat", **lease(turn))
        raise Failure("a turn that was passed on could still be held")
    except Refused as refusal:
        if refusal.code not in ("turn_mismatch", "stale_lease"):
            raise

    run = uuid.uuid4().hex[:8]  # the id of an action is used once in a room
    group_id, action_id = f"g1-{run}", f"a1-{run}"
    first.call("action.submit", group_id=group_id, actions=[{
        "type": "message", "dst": second.agent, "action_id": action_id, "action_index": 0,
        "kind": "user", "text": "Run the tests."}])
    group: Object = {"ended": False}
    while not group["ended"]:
        if problems:
            raise problems[0]
        group = first.call("action.wait", group_id=group_id, max_wait_ms=WAIT_MS)
    for action in group["actions"]:
        say(f"action {action['action_id']} {action['status']}: {action.get('detail')}")
        if action["status"] != "completed":
            raise Failure("the action did not end as it should")
    helper.join(PATIENCE)

    newest = first.call("room.note", text="Before the cut.")["event_seq"]
    middle = (start + newest) // 2
    seen = follow(first, start, middle)
    say(f"followed from {start}: {' '.join(map(str, seen))}")
    newest = first.call("room.note", text="While nobody followed.")["event_seq"]
    resumed = follow(first, middle, newest)
    say(f"resumed behind {middle}: {' '.join(map(str, resumed))}")
    if seen + resumed != list(range(start + 1, newest + 1)):
        raise Failure("events are missing, or came twice")
    for client in (second, first):
        client.call("room.leave")
    say(f"left {first.room}; events {start + 1} to {newest} came once each, in order")


def data_directory() -> Path:
    """Find the data directory."""
    env = os.environ
    if os.path.isdir(env.get("BATON_STORE", "")):
        return Path(env["BATON_STORE"])
    for name in ("BATON_DATA_DIR", "TALKING_STICK_DATA_DIR"):
        if env.get(name):
            return Path(env[name]).expanduser()
    return Path(env.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "baton"


def server() -> Object:
    """Read where the server of this machine is."""
    try:
        return json.loads((data_directory() / "up.json").read_text())
    except FileNotFoundError as error:
        raise Failure(f"there is no {error.filename}: start a server with `baton up`") from error


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("surface", choices=["socket", "http"])
    parser.add_argument("where", nargs="?", help="path of the socket, or URL of the server")
    parser.add_argument("token_file", nargs="?", help="for http; default: operator.token")
    parser.add_argument("--workspace", default=".", help="directory whose room to join")
    options = parser.parse_args()
    try:
        agents = ("worker-a", "worker-b")
        if options.surface == "socket":
            path = options.where or server()["socket"]
            clients: list[Client] = [SocketClient(agent, path) for agent in agents]
        else:
            url = options.where or server()["url"]
            token = Path(options.token_file or data_directory() / "operator.token").read_text()
            clients = [HttpClient(agent, url, token.strip()) for agent in agents]
        play(clients[0], clients[1], os.path.realpath(options.workspace))
    except (Failure, ValueError, *LOST) as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
