/* Several items at once: batches and transactions. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, test } from "node:test";

import {
  BatchGetCommand,
  BatchWriteCommand,
  GetCommand,
  PutCommand,
  TransactGetCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";

import { createTable, db, refuses, uniqueName } from "./support.mjs";

let TableName;
let other;
before(async () => {
  [TableName, other] = await Promise.all([createTable(), createTable({ sk: "S" })]);
});

const put = (Item) => db.send(new PutCommand({ TableName, Item }));
const get = async (pk) =>
  (await db.send(new GetCommand({ TableName, Key: { pk }, ConsistentRead: true }))).Item;
const transact = (TransactItems, more) =>
  db.send(new TransactWriteCommand({ TransactItems, ...more }));

test("batches write and read over tables", async () => {
  const pk = uniqueName();
  const written = await db.send(
    new BatchWriteCommand({
      RequestItems: {
        [TableName]: [{ PutRequest: { Item: { pk, n: 1 } } }],
        [other]: [{ PutRequest: { Item: { pk, sk: "a" } } }],
      },
    }),
  );
  assert.deepEqual(written.UnprocessedItems, {});
  const read = await db.send(
    new BatchGetCommand({
      RequestItems: {
        [TableName]: { Keys: [{ pk }, { pk: uniqueName() }], ConsistentRead: true },
        [other]: { Keys: [{ pk, sk: "a" }] },
      },
    }),
  );
  assert.deepEqual(read.Responses, { [TableName]: [{ pk, n: 1 }], [other]: [{ pk, sk: "a" }] });
  assert.deepEqual(read.UnprocessedKeys, {});
});

test("batches take a key once", async () => {
  const twice = Array(2).fill({ PutRequest: { Item: { pk: uniqueName() } } });
  await refuses(
    db.send(new BatchWriteCommand({ RequestItems: { [TableName]: twice } })),
    "ValidationException",
    "Provided list of item keys contains duplicates",
  );
});

test("batches end at 25 writes and 100 reads", async () => {
  const keys = [...Array(101).keys()].map((n) => ({ pk: `k${n}` }));
  const writes = keys.slice(0, 26).map((Key) => ({ DeleteRequest: { Key } }));
  await refuses(
    db.send(new BatchWriteCommand({ RequestItems: { [TableName]: writes } })),
    "ValidationException",
  );
  await refuses(
    db.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys: keys } } })),
    "ValidationException",
  );
});

test("a transaction does all of it", async () => {
  const [a, b, c, d] = [0, 1, 2, 3].map(uniqueName);
  for (const pk of [b, c, d]) await put({ pk, n: 1 });
  const exists = { ConditionExpression: "attribute_exists(pk)" };
  const { ConsumedCapacity } = await transact(
    [
      { Put: { TableName, Item: { pk: a } } },
      {
        Update: {
          TableName,
          Key: { pk: b },
          UpdateExpression: "ADD n :v",
          ExpressionAttributeValues: { ":v": 4 },
        },
      },
      { Delete: { TableName, Key: { pk: c } } },
      { ConditionCheck: { TableName, Key: { pk: d }, ...exists } },
    ],
    { ReturnConsumedCapacity: "TOTAL" },
  );
  assert.deepEqual(await Promise.all([a, b, c, d].map(get)), [
    { pk: a },
    { pk: b, n: 5 },
    undefined,
    { pk: d, n: 1 },
  ]);
  assert.equal(ConsumedCapacity[0].WriteCapacityUnits, 8);
});

test("a transaction does nothing of it, and says why", async () => {
  const [a, b] = [uniqueName(), uniqueName()];
  await put({ pk: b, n: 1 });
  const failure = await refuses(
    transact([
      { Put: { TableName, Item: { pk: a } } },
      {
        Put: {
          TableName,
          Item: { pk: b },
          ConditionExpression: "attribute_not_exists(pk)",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        },
      },
    ]),
    "TransactionCanceledException",
    "[None, ConditionalCheckFailed]",
  );
  assert.deepEqual(
    failure.CancellationReasons.map(({ Code }) => Code),
    ["None", "ConditionalCheckFailed"],
  );
  assert.deepEqual(failure.CancellationReasons[1].Item, { pk: { S: b }, n: { N: "1" } });
  assert.equal(await get(a), undefined);
});

test("a token makes a transaction happen once", async () => {
  const pk = uniqueName();
  const count = (by) => ({
    Update: {
      TableName,
      Key: { pk },
      UpdateExpression: "ADD n :v",
      ExpressionAttributeValues: { ":v": by },
    },
  });
  const token = { ClientRequestToken: randomUUID() };
  await transact([count(1)], token);
  await transact([count(1)], token);
  assert.deepEqual(await get(pk), { pk, n: 1 });
  await refuses(transact([count(2)], token), "IdempotentParameterMismatchException");
});

test("a transaction takes an item once", async () => {
  const Key = { pk: uniqueName() };
  await refuses(
    transact([{ Put: { TableName, Item: Key } }, { Delete: { TableName, Key } }]),
    "ValidationException",
    "Transaction request cannot include multiple operations on one item",
  );
});

test("a transaction reads in the order of its members", async () => {
  const [a, b] = [uniqueName(), uniqueName()];
  await put({ pk: a, n: 1 });
  await put({ pk: b, n: 2 });
  const keys = [b, uniqueName(), a];
  const { Responses } = await db.send(
    new TransactGetCommand({
      TransactItems: keys.map((pk) => ({ Get: { TableName, Key: { pk } } })),
    }),
  );
  assert.deepEqual(
    Responses.map(({ Item }) => Item?.n),
    [2, undefined, 1],
  );
});
