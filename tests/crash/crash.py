"""Kills the server at random moments under load, takes what was not durable in half of the
rounds, and compares what is left with what was acknowledged. See README.md."""

import argparse
import os
import random
import shutil
import sys
import tempfile
import threading
import time
import traceback

import schema
from audit import Audit
from client import Connection, Gone
from server import Programs, Server, Wrong, check
from writers import Builder, Counter, DocumentWriter, OrderWriter, Transferrer

TENANTS = ("acme", "globex", "initech")
ROUNDS = 100
ROUNDS_OF_A_STORE = 10
LOAD_SECONDS_MIN = 0.02
LOAD_SECONDS_MAX = 1.0
START_SECONDS_MAX = 0.12
START_KILL_CHANCE = 0.25
FIRST_KILL_CHANCE = 0.5
JOIN_SECONDS = 60


def new_writers():
    """Of one tenant."""
    return [
        OrderWriter("ann"),
        OrderWriter("bob"),
        Counter("cid"),
        Counter("dan"),
        Transferrer("eve"),
        Transferrer("fay"),
        Builder("gil"),
        DocumentWriter("hal"),
    ]


class Load:
    """All writers, each on a thread and a connection of its own."""

    def __init__(self, port, writers, rng):
        self.failures = []
        self.threads = []
        for tenant, of_tenant in writers.items():
            for writer in of_tenant:
                writer.random = random.Random(rng.random())
                if rng.random() < writer.chance:
                    arguments = (port, tenant, writer)
                    self.threads.append(threading.Thread(target=self._write, args=arguments))
        for thread in self.threads:
            thread.start()

    def _write(self, port, tenant, writer):
        try:
            with Connection(port, tenant) as connection:
                writer.run(connection)
        except Gone:
            pass
        except Exception:
            self.failures.append(f"tenant {tenant}, {writer.name}: {traceback.format_exc()}")

    def end(self):
        """Waits for the writers, whose connections end with the server."""
        for thread in self.threads:
            thread.join(JOIN_SECONDS)
        if any(thread.is_alive() for thread in self.threads):
            raise Wrong("a connection outlives its server")
        if self.failures:
            raise Wrong("\n".join(self.failures))


class Story:
    """One store, from its creation to a clean stop, with kills in between."""

    def __init__(self, programs, folder, rng, log):
        self.programs = programs
        self.data = os.path.join(folder, "data")
        self.crashed = os.path.join(folder, "crashed")
        self.rng = rng
        self.log = log
        self.writers = {tenant: new_writers() for tenant in TENANTS}
        self.server = None
        self.port = None
        self.load = None
        self.kills = 0
        self.cuts = 0
        self.items = 0

    def requests(self):
        return sum(writer.requests for of_tenant in self.writers.values() for writer in of_tenant)

    def run(self, rounds, tell):
        while self.rng.random() < FIRST_KILL_CHANCE:
            self.kill_at_start()
            self.cut_power()
        self.start()
        self.create_tables()
        for number in range(rounds):
            self.work()
            self.server.kill()
            self.kills += 1
            self.after_death(f"round {number}: killed", tell)
        self.work_until_stopped()
        self.after_death("stopped", tell)
        self.server.terminate()
        self.cut_power()
        self.check()

    def end(self):
        """Leaves no process behind, whatever happened."""
        if self.server is not None and self.server.process.poll() is None:
            self.server.process.kill()
            self.server.process.wait()

    def start(self):
        self.server = Server(self.programs, self.data, self.log, shim=self.rng.random() < 0.5)
        self.port = self.server.wait_until_ready()

    def create_tables(self):
        for tenant in TENANTS:
            with Connection(self.port, tenant) as connection:
                schema.create_all(connection)

    def work(self):
        self.load = Load(self.port, self.writers, self.rng)
        time.sleep(self.rng.uniform(LOAD_SECONDS_MIN, LOAD_SECONDS_MAX))

    def work_until_stopped(self):
        self.work()
        self.server.terminate()

    def after_death(self, said, tell):
        self.load.end()
        said += self.cut_power()
        while self.rng.random() < START_KILL_CHANCE:
            self.kill_at_start()
            said += "; killed at start" + self.cut_power()
        self.keep_crashed()
        self.check()
        self.start()
        self.audit()
        tell(f"{said}; {self.requests()} requests, {self.items} items")

    def cut_power(self):
        """What it did, for the round's line."""
        if not self.server.shim:
            return ""
        self.cuts += 1
        return f", power cut ({self.server.cut_power(self.rng)})"

    def kill_at_start(self):
        """While it makes its store, or recovers from the kill before."""
        self.server = Server(self.programs, self.data, self.log, shim=self.rng.random() < 0.5)
        time.sleep(self.rng.uniform(0, START_SECONDS_MAX))
        self.server.kill()
        self.kills += 1

    def keep_crashed(self):
        """A copy, for whoever has to find out what went wrong."""
        shutil.rmtree(self.crashed, ignore_errors=True)
        shutil.copytree(self.data, self.crashed)

    def check(self):
        code, said = check(self.programs, self.data)
        if code != 0 or " 0 faults" not in said:
            raise Wrong(f"rowhouse check ended with {code}:\n{said}")

    def audit(self):
        self.items = 0
        for tenant, writers in self.writers.items():
            with Connection(self.port, tenant) as connection:
                audit = Audit(connection, tenant, writers, self.rng)
                try:
                    audit.run()
                except Wrong as wrong:
                    raise Wrong(f"tenant {tenant}: {wrong}") from wrong
                self.items += audit.item_count


def parse_arguments():
    build = os.path.join(os.path.dirname(__file__), "..", "..", "build", "release")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rowhouse", default=os.path.join(build, "rowhouse"))
    parser.add_argument("--shim", default=os.path.join(build, "tests/crash/libpowerloss.so"))
    parser.add_argument("--discard", default=os.path.join(build, "powerloss-discard"))
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="kills under load")
    parser.add_argument("--seed", type=int, help="repeats the choices of a run, not its timing")
    parser.add_argument("--verbose", action="store_true", help="a line for each round")
    return parser.parse_args()


class Run:
    """One store after the other."""

    def __init__(self, programs, seed, tell):
        self.programs = programs
        self.seed = seed
        self.tell = tell
        self.rng = random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="rowhouse-crash-")
        self.log_path = os.path.join(self.folder, "server.log")
        self.began = time.monotonic()
        self.kills = self.cuts = self.requests = 0

    def tell_story(self, rounds):
        """A server that is killed or stopped has nothing to complain of."""
        with open(self.log_path, "wb") as log:
            story = Story(self.programs, self.folder, self.rng, log)
            try:
                story.run(rounds, self.tell)
            finally:
                self.kills += story.kills
                story.end()
        with open(self.log_path, encoding="utf-8") as log:
            said = log.read()
        if said:
            raise Wrong(f"the server said:\n{said}")
        self.cuts += story.cuts
        self.requests += story.requests()
        shutil.rmtree(story.data)

    def run(self, rounds):
        print(f"seed {self.seed}, {rounds} rounds in {self.folder}", flush=True)
        for first in range(0, rounds, ROUNDS_OF_A_STORE):
            self.tell_story(min(ROUNDS_OF_A_STORE, rounds - first))
            seconds = time.monotonic() - self.began
            print(
                f"{self.kills} kills, {self.cuts} power cuts, {self.requests} requests, "
                f"{seconds:.0f} s: nothing lost",
                flush=True,
            )
        shutil.rmtree(self.folder)

    def fail(self):
        traceback.print_exc()
        print(
            f"FAILED after {self.kills} kills, seed {self.seed}. {self.folder} holds the store, "
            "a copy of it as it was after the last kill, and the server's log"
        )
        return 1


def main():
    arguments = parse_arguments()
    paths = (arguments.rowhouse, arguments.shim, arguments.discard)
    programs = Programs(*map(os.path.abspath, paths))
    seed = arguments.seed if arguments.seed is not None else random.randrange(2**32)
    run = Run(programs, seed, print if arguments.verbose else lambda line: None)
    try:
        run.run(arguments.rounds)
    except Exception:
        return run.fail()
    return 0


if __name__ == "__main__":
    sys.exit(main())
