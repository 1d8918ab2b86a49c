"""The server under test, and the ways in which it ends."""

import os
import re
import select
import signal
import subprocess
import time

READY_SECONDS = 60
STOP_SECONDS = 30
CHECK_SECONDS = 120
DISCARD_DONE = 0


class Wrong(Exception):
    """The server did something that it must not do."""


class Programs:
    """The programs of one build."""

    def __init__(self, rowhouse, shim, discard):
        self.rowhouse = rowhouse
        self.shim = shim
        self.discard = discard


class Server:
    """One run of the server on a data folder; with `shim`, one whose power can be cut."""

    def __init__(self, programs, data, log, shim=False):
        self.programs = programs
        self.data = data
        self.shim = shim
        self.process = subprocess.Popen(
            [programs.rowhouse, "serve", "--listen", "127.0.0.1:0", "--data", data],
            stdout=subprocess.PIPE,
            stderr=log,
            env=self._environment(),
        )

    def _environment(self):
        environment = dict(os.environ)
        if self.shim:
            environment["LD_PRELOAD"] = self.programs.shim
            environment["ROWHOUSE_SHIM_DIR"] = self.data
            # AddressSanitizer wants to be loaded first.
            environment["ASAN_OPTIONS"] = "verify_asan_link_order=0"
        return environment

    def wait_until_ready(self):
        """The port that it listens on."""
        deadline = time.monotonic() + READY_SECONDS
        output = b""
        while not (ready := re.search(rb"listening on http://\S+:(\d+) .*\n", output)):
            left = max(deadline - time.monotonic(), 0)
            readable, _, _ = select.select([self.process.stdout], [], [], left)
            chunk = os.read(self.process.stdout.fileno(), 4096) if readable else b""
            if not chunk:
                self.process.kill()
                self.process.wait()
                raise Wrong(f"the server does not listen; it said {output!r}")
            output += chunk
        return int(ready[1])

    def _end(self):
        code = self.process.wait(STOP_SECONDS)
        self.process.stdout.close()
        return code

    def kill(self):
        """kill -9; it must have been alive."""
        code = self.process.poll()
        self.process.kill()
        self._end()
        if code is not None:
            raise Wrong(f"the server ended by itself, with {code}")

    def terminate(self):
        """Asks it to stop; that must succeed."""
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self._end()
        except subprocess.TimeoutExpired as late:
            self.process.kill()
            raise Wrong(f"the server did not stop within {STOP_SECONDS} s of SIGTERM") from late
        if code != 0:
            raise Wrong(f"after SIGTERM the server ended with {code}")

    def cut_power(self, rng):
        """Discards what was not durable; the process is dead. What the tool said."""
        if not os.path.exists(os.path.join(self.data + ".powerloss", "journal")):
            return "before anything was written"
        options = [f"--tail={rng.choice(('drop', 'random'))}", f"--seed={rng.getrandbits(32)}"]
        if rng.random() < 0.5:
            options.append("--strict")
        done = subprocess.run(
            [self.programs.discard, *options, self.data],
            capture_output=True,
            text=True,
            timeout=CHECK_SECONDS,
            check=False,
        )
        if done.returncode != DISCARD_DONE:
            raise Wrong(f"powerloss-discard ended with {done.returncode}: {done.stderr}")
        return done.stdout.strip()


def check(programs, data):
    """Runs `rowhouse check`: its exit code, and all that it said."""
    done = subprocess.run(
        [programs.rowhouse, "check", data],
        capture_output=True,
        text=True,
        timeout=CHECK_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr
