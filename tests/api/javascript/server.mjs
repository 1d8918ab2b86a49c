/*
 * Where the suite finds its server. DYNAMODB_ENDPOINT names one that runs already; without it each
 * test file starts ROWHOUSE_BINARY on a free port over memory and stops it at its end. A server
 * that does not come up fails the file.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
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
  const server = spawn(binary, ["serve", "--listen", "127.0.0.1:0", "--in-memory"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const endpoint = await ready(server).catch((error) => {
    server.kill("SIGKILL");
    throw error;
  });
  return { endpoint, stop: () => stopServer(server) };
}

/** Resolves with the endpoint once the server says where it listens; rejects if it says nothing. */
function ready(server) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the server does not listen")), READY_MS);
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    createInterface({ input: server.stdout }).on("line", (line) => {
      const found = line.match(/^listening on (\S+)/);
      if (!found) return;
      clearTimeout(timer);
      resolve(found[1]);
    });
  });
}

async function stopServer(server) {
  const stopped = once(server, "exit");
  server.kill("SIGTERM");
  await stopped;
}
