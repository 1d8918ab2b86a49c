/*
 * What the example programs share: reaching the server, printing and checking.
 *
 * A program is a walk through its access patterns. Each pattern prints what came back and what it
 * consumed; each expectation that does not hold is printed and makes the program exit with 1.
 */
import { isDeepStrictEqual, parseArgs } from "node:util";

import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** The command line that all programs understand, and the options that one adds. */
export function readOptions(table, more = {}) {
  const endpoint = process.env.DYNAMODB_ENDPOINT ?? "http://127.0.0.1:8000";
  const options = {
    endpoint: { type: "string", default: endpoint },
    table: { type: "string", default: table },
    ...more,
  };
  return parseArgs({ options }).values;
}

/**
 * A document client: plain JavaScript values in and out. Credentials come from the environment; a
 * server in development mode takes the access key id as the tenant's name, so a name is made up if
 * there is none.
 */
export function connect(endpoint) {
  const made = { accessKeyId: "examples", secretAccessKey: "examples" };
  const client = new DynamoDBClient({
    endpoint,
    region: process.env.AWS_REGION ?? "us-east-1",
    credentials: process.env.AWS_ACCESS_KEY_ID ? undefined : made,
    maxAttempts: 8,
  });
  return DynamoDBDocumentClient.from(client);
}

/** Creates the table unless it exists, and waits until it can be used. */
export async function createTable(db, definition) {
  const { TableName } = definition;
  let outcome = "created";
  try {
    await db.send(new CreateTableCommand({ BillingMode: "PAY_PER_REQUEST", ...definition }));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    outcome = "found";
  }
  await waitUntilTableExists({ client: db, maxWaitTime: 60, minDelay: 1 }, { TableName });
  console.log(`Table ${TableName}: ${outcome}`);
}

/**
 * Writes items in batches of 25, a few at a time. What the server had no capacity for comes back as
 * UnprocessedItems and is sent again.
 */
export async function loadItems(db, table, items, connections = 4) {
  const batches = [];
  for (let start = 0; start < items.length; start += 25) {
    batches.push(items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } })));
  }
  const load = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      const { UnprocessedItems } = await db.send(
        new BatchWriteCommand({ RequestItems: { [table]: batch } }),
      );
      const rest = UnprocessedItems?.[table];
      if (rest?.length) batches.push(rest);
    }
  };
  await Promise.all(Array.from({ length: connections }, load));
}

/** Prints patterns and counts the expectations that fail. */
export class Walkthrough {
  #patterns = 0;
  #failures = 0;

  /** Prints one access pattern: its name, what it consumed, what came back. */
  pattern(name, response, lines) {
    this.#patterns += 1;
    console.log(`\n${this.#patterns}. ${name}  [${consumed(response)}]`);
    lines.slice(0, 8).forEach((line) => console.log(`   ${line}`));
    if (lines.length > 8) console.log(`   ... and ${lines.length - 8} more`);
  }

  expect(what, actual, expected) {
    if (isDeepStrictEqual(actual, expected)) return;
    this.#failures += 1;
    console.log(`   MISMATCH ${what}:`);
    console.log("     expected", expected);
    console.log("     received", actual);
  }

  /** Sets the exit code: 0 if everything was as expected. */
  finish() {
    if (this.#failures) {
      console.log(`\nFAILED: ${this.#failures} expectation(s) did not hold`);
      process.exitCode = 1;
      return;
    }
    console.log(`\nAll ${this.#patterns} steps returned what they should.`);
  }
}

/** ConsumedCapacity in words. Transactions and batches report one entry per table. */
export function consumed({ ConsumedCapacity }) {
  if (!ConsumedCapacity) return "capacity not reported";
  const units = [ConsumedCapacity].flat().reduce((sum, entry) => sum + entry.CapacityUnits, 0);
  return `${units} capacity units`;
}

/** All pages of a Query or Scan as one response: items, counts and capacity added up. */
export async function readAll(db, Command, request) {
  const total = { Items: [], Count: 0, ScannedCount: 0, Pages: 0, ConsumedCapacity: [] };
  let ExclusiveStartKey;
  do {
    const page = await db.send(
      new Command({ ...request, ExclusiveStartKey, ReturnConsumedCapacity: "TOTAL" }),
    );
    total.Items.push(...page.Items);
    total.Count += page.Count;
    total.ScannedCount += page.ScannedCount;
    total.Pages += 1;
    total.ConsumedCapacity.push(page.ConsumedCapacity);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return total;
}
