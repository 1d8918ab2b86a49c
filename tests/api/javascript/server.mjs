/*
 * Where the suite finds its server. DYNAMODB_ENDPOINT names one that runs already; without it each
 * test file starts ROWHOUSE_BINARY on a free port over memory and stops it at its end. A server
 * that does not come up fails the file.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

const READY_MS = 30_000;

/** Returns the endpoint and a function that stops what was started. */
export async function findServer() {
  const { DYNAMODB_ENDPOINT, ROWHOUSE_BINARY } = process.env;
  if (DYNAMODB_ENDPOINT) return { endpoint: DYNAMODB_ENDPOINT, stop: async () => {} };
  if (ROWHOUSE_BINARY) return startServer(ROWHOUSE_BINARY);
  throw new Error("set DYNAMODB_ENDPOINT or ROWHOUSE_BINARY");
}

async function startServer(binary) {
  const address = `127.0.0.1:${await freePort()}`;
  const server = spawn(binary, ["serve", "--listen", address, "--in-memory"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await ready(server).catch((error) => {
    server.kill("SIGKILL");
    throw error;
  });
  return { endpoint: `http://${address}`, stop: () => stopServer(server) };
}

/** Resolves once the server says that it listens; rejects if it ends or says nothing. */
function ready(server) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the server does not listen")), READY_MS);
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    createInterface({ input: server.stdout }).on("line", (line) => {
      if (!line.includes("listening on")) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

async function stopServer(server) {
  const stopped = once(server, "exit");
  server.kill("SIGTERM");
  await stopped;
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}
