/*
 * Runs the suite. DYNAMODB_ENDPOINT names a server that runs already; without it ROWHOUSE_BINARY is
 * started on a free port over memory and stopped at the end. A server that does not come up fails
 * the run.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

const READY_MS = 30_000;

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

/** Resolves once the server says that it listens; rejects if it ends or says nothing. */
async function startServer(binary) {
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(binary, ["serve", "--listen", address, "--in-memory"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${binary} does not listen`)), READY_MS);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${binary} ended with ${code}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (!line.includes("listening on")) return;
      clearTimeout(timer);
      resolve();
    });
  }).catch((error) => {
    child.kill("SIGKILL");
    throw error;
  });
  child.removeAllListeners("exit");
  return { child, endpoint: `http://${address}` };
}

async function runTests(endpoint) {
  const folder = new URL("./", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".test.mjs"));
  const tests = spawn(process.execPath, ["--test", ...files], {
    cwd: folder,
    stdio: "inherit",
    env: { ...process.env, DYNAMODB_ENDPOINT: endpoint, NODE_NO_WARNINGS: "1" },
  });
  const [code] = await once(tests, "exit");
  return code ?? 1;
}

async function stopServer(child) {
  const stopped = once(child, "exit");
  child.kill("SIGTERM");
  await stopped;
}

const { DYNAMODB_ENDPOINT, ROWHOUSE_BINARY } = process.env;
if (DYNAMODB_ENDPOINT) {
  process.exitCode = await runTests(DYNAMODB_ENDPOINT);
} else if (ROWHOUSE_BINARY) {
  const { child, endpoint } = await startServer(ROWHOUSE_BINARY);
  process.exitCode = await runTests(endpoint).finally(() => stopServer(child));
} else {
  console.error("set DYNAMODB_ENDPOINT or ROWHOUSE_BINARY");
  process.exitCode = 2;
}
