/* What the test files share: clients, tables of their own, refusals. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after } from "node:test";

import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

import { findServer } from "./server.mjs";

const POLL_MS = 20;
const ACTIVE_MS = 60_000;
const GONE = ["ResourceNotFoundException", "ResourceInUseException"];
const ENVELOPE = "1 validation error detected: ";

const server = await findServer();

/** The plain client: attribute values as the wire has them. */
export const client = new DynamoDBClient({
  endpoint: server.endpoint,
  region: "us-east-1",
  maxAttempts: 1,
  credentials: { accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? "acme", secretAccessKey: "any" },
});

/** The document client: JavaScript values. */
export const db = DynamoDBDocumentClient.from(client);

/* The tables of the test file that imports this; they live as long as it does. */
const created = [];
after(async () => {
  await Promise.all(created.map(dropTable));
  client.destroy();
  await server.stop();
});

export const uniqueName = () => `t-${randomUUID()}`;

export function keySchema(partitionKey, sortKey) {
  const schema = [{ AttributeName: partitionKey, KeyType: "HASH" }];
  return sortKey ? [...schema, { AttributeName: sortKey, KeyType: "RANGE" }] : schema;
}

export function definitions(types) {
  return Object.entries(types).map(([AttributeName, AttributeType]) => ({
    AttributeName,
    AttributeType,
  }));
}

/**
 * Creates a table with keys pk and, if `sk` is a type, sk. Returns its name when it is active.
 */
export async function createTable({ pk = "S", sk, attributes = {}, ...more } = {}) {
  const TableName = uniqueName();
  created.push(TableName);
  await client.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions: definitions({ pk, ...(sk && { sk }), ...attributes }),
      KeySchema: keySchema("pk", sk && "sk"),
      BillingMode: "PAY_PER_REQUEST",
      ...more,
    }),
  );
  await waitUntilActive(TableName);
  return TableName;
}

export async function dropTable(TableName) {
  await client.send(new DeleteTableCommand({ TableName })).catch((error) => {
    if (!GONE.includes(error.name)) throw error;
  });
}

/** Waits for a table and its indexes, as every client of the API has to. */
export async function waitUntilActive(TableName) {
  const deadline = Date.now() + ACTIVE_MS;
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const indexes = Table.GlobalSecondaryIndexes ?? [];
    const states = [Table.TableStatus, ...indexes.map(({ IndexStatus }) => IndexStatus)];
    if (states.every((state) => state === "ACTIVE")) return Table;
    assert.ok(Date.now() < deadline, `${TableName} does not become active`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * The call must be refused with this error. `message` is a part of its text, with or without the
 * envelope that AWS has been introducing since June 2026. Returns the error.
 */
export async function refuses(call, name, message = "") {
  const error = await call.then(
    () => assert.fail(`expected ${name}`),
    (refusal) => refusal,
  );
  assert.equal(error.name, name, error.message);
  assert.ok(error.message.replace(ENVELOPE, "").includes(message), error.message);
  return error;
}
