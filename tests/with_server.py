"""Runs a command against a server of its own, on disk, and checks the store afterwards.

    ROWHOUSE_BINARY=build/release/rowhouse tests/with_server.py COMMAND [ARGUMENT...]

The command finds the endpoint in DYNAMODB_ENDPOINT. Fails if the command fails, if the server does
not start or stop cleanly, or if `rowhouse check` finds a fault in what is left.
"""

import os
import re
import subprocess
import sys
import tempfile


def start(binary, data):
    server = subprocess.Popen(
        [binary, "serve", "--listen", "127.0.0.1:0", "--data", data],
        stdout=subprocess.PIPE,
        text=True,
    )
    ready = re.match(r"listening on (http://\S+)", server.stdout.readline())
    if not ready:
        server.kill()
        sys.exit(f"{binary} does not listen; it ended with {server.wait()}")
    return server, ready.group(1)


def run(command, endpoint):
    environment = dict(
        os.environ,
        DYNAMODB_ENDPOINT=endpoint,
        AWS_ACCESS_KEY_ID="example",
        AWS_SECRET_ACCESS_KEY="any",
        AWS_REGION="us-east-1",
    )
    return subprocess.run(command, env=environment, check=False).returncode


def main():
    binary = os.environ["ROWHOUSE_BINARY"]
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        server, endpoint = start(binary, data)
        code = run(sys.argv[1:], endpoint)
        server.terminate()
        if server.wait() != 0:
            sys.exit(f"the server ended with {server.returncode}")
        if subprocess.run([binary, "check", data], check=False).returncode != 0:
            sys.exit("the store has faults")
        sys.exit(code)


main()
