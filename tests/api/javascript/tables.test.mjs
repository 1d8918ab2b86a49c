/* Tables: created, described, listed, changed, deleted. */
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeEndpointsCommand,
  DescribeLimitsCommand,
  DescribeTableCommand,
  UpdateTableCommand,
  paginateListTables,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";

import {
  client,
  createTable,
  db,
  definitions,
  dropTable,
  keySchema,
  refuses,
  uniqueName,
  waitUntilActive,
} from "./support.mjs";

const describe = async (TableName) =>
  (await client.send(new DescribeTableCommand({ TableName }))).Table;

const byGroup = {
  IndexName: "by-g",
  KeySchema: keySchema("g"),
  Projection: { ProjectionType: "ALL" },
};

test("a new table is described", async () => {
  const table = await describe(await createTable({ sk: "N" }));
  assert.equal(table.TableStatus, "ACTIVE");
  assert.deepEqual(table.KeySchema, keySchema("pk", "sk"));
  assert.equal(table.BillingModeSummary.BillingMode, "PAY_PER_REQUEST");
  assert.equal(table.ItemCount, 0);
  assert.ok(table.CreationDateTime instanceof Date);
  assert.match(table.TableArn, /^arn:aws:dynamodb:[a-z0-9-]+:\d{12}:table\//);
});

test("a name is taken once", async () => {
  const TableName = await createTable();
  const again = new CreateTableCommand({
    TableName,
    AttributeDefinitions: definitions({ pk: "S" }),
    KeySchema: keySchema("pk"),
    BillingMode: "PAY_PER_REQUEST",
  });
  await refuses(client.send(again), "ResourceInUseException");
});

test("lists hold every table, page by page", async () => {
  const names = [await createTable(), await createTable(), await createTable()];
  const found = [];
  for await (const page of paginateListTables({ client, pageSize: 2 }, {})) {
    assert.ok(page.TableNames.length <= 2);
    found.push(...page.TableNames);
  }
  for (const name of names) assert.ok(found.includes(name));
  assert.deepEqual(found, [...found].sort());
});

test("a deleted table is gone", async () => {
  const TableName = await createTable();
  const { TableDescription } = await client.send(new DeleteTableCommand({ TableName }));
  assert.equal(TableDescription.TableStatus, "DELETING");
  await waitUntilTableNotExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName });
  await refuses(describe(TableName), "ResourceNotFoundException", `Table: ${TableName} not found`);
});

test("throughput and billing change", async () => {
  const units = { ReadCapacityUnits: 5, WriteCapacityUnits: 5 };
  const TableName = await createTable({
    BillingMode: "PROVISIONED",
    ProvisionedThroughput: units,
  });
  const more = { ReadCapacityUnits: 10, WriteCapacityUnits: 8 };
  await client.send(new UpdateTableCommand({ TableName, ProvisionedThroughput: more }));
  let table = await waitUntilActive(TableName);
  assert.equal(table.ProvisionedThroughput.ReadCapacityUnits, 10);
  await client.send(new UpdateTableCommand({ TableName, BillingMode: "PAY_PER_REQUEST" }));
  table = await waitUntilActive(TableName);
  assert.equal(table.BillingModeSummary.BillingMode, "PAY_PER_REQUEST");
});

test("an index comes with what was there, and goes", async () => {
  const TableName = await createTable();
  for (const pk of ["a", "b", "c"]) {
    const Item = pk === "c" ? { pk } : { pk, g: "x" };
    await db.send(new PutCommand({ TableName, Item }));
  }
  await client.send(
    new UpdateTableCommand({
      TableName,
      AttributeDefinitions: definitions({ pk: "S", g: "S" }),
      GlobalSecondaryIndexUpdates: [{ Create: byGroup }],
    }),
  );
  await waitUntilActive(TableName);
  const query = new QueryCommand({
    TableName,
    IndexName: "by-g",
    KeyConditionExpression: "g = :g",
    ExpressionAttributeValues: { ":g": "x" },
  });
  const { Items } = await db.send(query);
  assert.deepEqual(Items.map(({ pk }) => pk).sort(), ["a", "b"]);

  const drop = [{ Delete: { IndexName: "by-g" } }];
  await client.send(new UpdateTableCommand({ TableName, GlobalSecondaryIndexUpdates: drop }));
  for (let table = await describe(TableName); table.GlobalSecondaryIndexes?.length;) {
    table = await describe(TableName);
  }
  await refuses(db.send(query), "ValidationException", "does not have the specified index: by-g");
});

test("a protected table stays", async () => {
  const TableName = await createTable({ DeletionProtectionEnabled: true });
  await refuses(
    client.send(new DeleteTableCommand({ TableName })),
    "ValidationException",
    "Disable deletion protection first",
  ).finally(() =>
    client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false })),
  );
  await waitUntilActive(TableName);
  await dropTable(TableName);
});

test("an unknown table is not found", async () => {
  const TableName = uniqueName();
  const message = `Requested resource not found: Table: ${TableName} not found`;
  await refuses(describe(TableName), "ResourceNotFoundException", message);
});

test("limits and endpoints are described", async () => {
  const limits = await client.send(new DescribeLimitsCommand({}));
  assert.ok(limits.TableMaxReadCapacityUnits > 0);
  const { Endpoints } = await client.send(new DescribeEndpointsCommand({}));
  assert.ok(Endpoints[0].Address);
});
