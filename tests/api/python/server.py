"""A server of our own for the time of the run."""

import select
import socket
import subprocess
import tempfile
import threading
import time

READY_SECONDS = 30
STOP_SECONDS = 10


class Server:
    def __init__(self, binary):
        self.binary = binary
        self.process = None
        self.endpoint = None
        self.log = tempfile.TemporaryFile()

    def start(self):
        """Starts the server; returns once it says that it listens."""
        address = f"127.0.0.1:{free_port()}"
        self.process = subprocess.Popen(
            [self.binary, "serve", "--listen", address, "--in-memory"],
            stdout=subprocess.PIPE,
            stderr=self.log,
        )
        self._wait_until_ready()
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        self.endpoint = f"http://{address}"

    def died(self):
        """What is known of its death, or None while it lives."""
        code = self.process.poll()
        return None if code is None else f"the server ended with {code}; it said:\n{self._said()}"

    def stop(self):
        """Asks it to stop; an end that is not a clean one is an error of the run."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise RuntimeError("the server did not stop when it was asked to") from None
        if self.process.returncode != 0:
            raise RuntimeError(self.died())

    def _wait_until_ready(self):
        deadline = time.monotonic() + READY_SECONDS
        output = b""
        while b"listening on" not in output:
            left = deadline - time.monotonic()
            readable, _, _ = select.select([self.process.stdout], [], [], max(left, 0))
            chunk = self.process.stdout.read1() if readable else b""
            if not chunk:
                self._fail(output)
            output += chunk

    def _fail(self, output):
        self.process.kill()
        self.process.wait()
        said = output.decode(errors="replace") + self._said()
        self.process = None
        raise RuntimeError(f"{self.binary} does not listen; it said:\n{said}")

    def _said(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
