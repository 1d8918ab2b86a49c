/* Reading many: Query, Scan, indexes, pages. */
import assert from "node:assert/strict";
import { before, test } from "node:test";

import {
  BatchWriteCommand,
  QueryCommand,
  ScanCommand,
  paginateQuery,
  paginateScan,
} from "@aws-sdk/lib-dynamodb";

import { createTable, db, keySchema, refuses } from "./support.mjs";

const COUNT = 20;
const projectAll = { ProjectionType: "ALL" };

/* 20 items of one partition; `group` and `rank` are the keys of an index that every fourth is
 * not in. */
const ITEMS = [...Array(COUNT).keys()].map((n) => ({
  pk: "p",
  sk: n,
  parity: n % 2 ? "odd" : "even",
  ...(n % 4 === 3 ? {} : { group: "g", rank: COUNT - n }),
}));

let TableName;
before(async () => {
  TableName = await createTable({
    sk: "N",
    attributes: { group: "S", rank: "N" },
    GlobalSecondaryIndexes: [
      { IndexName: "by-rank", KeySchema: keySchema("group", "rank"), Projection: projectAll },
      {
        IndexName: "keys-only",
        KeySchema: keySchema("group", "rank"),
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ],
    LocalSecondaryIndexes: [
      { IndexName: "local", KeySchema: keySchema("pk", "rank"), Projection: projectAll },
    ],
  });
  await putAll(TableName, ITEMS);
});

async function putAll(table, items) {
  const requests = items.map((Item) => ({ PutRequest: { Item } }));
  await db.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
}

const query = (condition, values, more) =>
  db.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: condition,
      ExpressionAttributeValues: values,
      ...more,
    }),
  );
const sortKeys = ({ Items }) => Items.map(({ sk }) => sk);

test("a partition comes in order, both ways", async () => {
  const up = await query("pk = :p", { ":p": "p" });
  assert.deepEqual(up.Items, ITEMS);
  const down = await query("pk = :p", { ":p": "p" }, { ScanIndexForward: false });
  assert.deepEqual(down.Items, [...ITEMS].reverse());
});

test("sort keys select a range", async () => {
  const range = await query("pk = :p AND sk BETWEEN :a AND :b", { ":p": "p", ":a": 3, ":b": 5 });
  assert.deepEqual(sortKeys(range), [3, 4, 5]);
  const mirrored = await query("pk = :p AND :a <= sk", { ":p": "p", ":a": 18 });
  assert.deepEqual(sortKeys(mirrored), [18, 19]);
});

test("filters count what they leave out", async () => {
  const answer = await query(
    "pk = :p",
    { ":p": "p", ":odd": "odd" },
    { FilterExpression: "parity = :odd", Select: "COUNT" },
  );
  assert.deepEqual([answer.Count, answer.ScannedCount], [10, 20]);
  assert.equal(answer.Items, undefined);
});

test("pages join to the whole", async () => {
  const request = {
    TableName,
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": "p" },
  };
  const items = [];
  for await (const page of paginateQuery({ client: db, pageSize: 3 }, request)) {
    assert.ok(page.Items.length <= 3);
    items.push(...page.Items);
  }
  assert.deepEqual(items, ITEMS);
});

test("a scan finds everything, in segments too", async () => {
  const whole = [];
  for await (const page of paginateScan({ client: db, pageSize: 7 }, { TableName })) {
    whole.push(...page.Items);
  }
  assert.deepEqual(whole, ITEMS);
  const segments = await Promise.all(
    [0, 1, 2].map((Segment) => db.send(new ScanCommand({ TableName, Segment, TotalSegments: 3 }))),
  );
  assert.deepEqual(segments.flatMap(sortKeys), sortKeys({ Items: ITEMS }));
});

test("a sparse index holds what has its keys, in its order", async () => {
  const answer = await query(
    "#g = :g",
    { ":g": "g" },
    {
      IndexName: "by-rank",
      ExpressionAttributeNames: { "#g": "group" },
    },
  );
  const expected = ITEMS.filter(({ rank }) => rank !== undefined).reverse();
  assert.deepEqual(answer.Items, expected);
});

test("projections of an index", async () => {
  const answer = await query(
    "#g = :g",
    { ":g": "g" },
    {
      IndexName: "keys-only",
      ExpressionAttributeNames: { "#g": "group" },
      Limit: 1,
    },
  );
  assert.deepEqual(answer.Items, [{ pk: "p", sk: 18, group: "g", rank: 2 }]);
  assert.deepEqual(answer.LastEvaluatedKey, answer.Items[0]);
});

test("a local index orders its partition anew", async () => {
  const answer = await query(
    "pk = :p AND #r < :r",
    { ":p": "p", ":r": 5 },
    {
      IndexName: "local",
      ExpressionAttributeNames: { "#r": "rank" },
      ConsistentRead: true,
    },
  );
  assert.deepEqual(sortKeys(answer), [18, 17, 16]);
});

test("an index of several key attributes", async () => {
  const names = { h1: "HASH", h2: "HASH", r1: "RANGE", r2: "RANGE" };
  const KeySchema = Object.entries(names).map(([AttributeName, KeyType]) => ({
    AttributeName,
    KeyType,
  }));
  const table = await createTable({
    attributes: { h1: "S", h2: "N", r1: "S", r2: "N" },
    GlobalSecondaryIndexes: [{ IndexName: "several", KeySchema, Projection: projectAll }],
  });
  const items = ITEMS.map(({ sk }) => ({ pk: `p${sk}`, h1: "h", h2: sk % 2, r1: "r", r2: sk }));
  await putAll(table, items.reverse());
  const answer = await query(
    "h1 = :h1 AND h2 = :h2 AND r1 = :r1 AND r2 > :r2",
    { ":h1": "h", ":h2": 1, ":r1": "r", ":r2": 14 },
    { TableName: table, IndexName: "several" },
  );
  assert.deepEqual(
    answer.Items.map(({ pk }) => pk),
    ["p15", "p17", "p19"],
  );
});

test("faults of queries are told", async () => {
  await refuses(
    query("sk = :s", { ":s": 1 }),
    "ValidationException",
    "Query condition missed key schema element: pk",
  );
  await refuses(
    query("pk = :p", { ":p": "p" }, { IndexName: "by-rank", ConsistentRead: true }),
    "ValidationException",
    "Consistent reads are not supported on global secondary indexes",
  );
  await refuses(
    query("pk = :p", { ":p": "p" }, { ExclusiveStartKey: { pk: "q", sk: 1 } }),
    "ValidationException",
    "The provided starting key is outside query boundaries",
  );
});
