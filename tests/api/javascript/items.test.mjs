/* Single items: put, get, update, delete. */
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  GetCommand,
  NumberValue,
  PutCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";

import { client, createTable, db, refuses, uniqueName } from "./support.mjs";

let TableName;
before(async () => {
  TableName = await createTable();
});

const put = (Item, more) => db.send(new PutCommand({ TableName, Item, ...more }));
const get = async (pk, more) =>
  (await db.send(new GetCommand({ TableName, Key: { pk }, ConsistentRead: true, ...more }))).Item;
const update = (pk, UpdateExpression, values, more) =>
  db.send(
    new UpdateCommand({
      TableName,
      Key: { pk },
      UpdateExpression,
      ExpressionAttributeValues: values,
      ...more,
    }),
  );

test("every type comes back", async () => {
  const item = {
    pk: uniqueName(),
    text: "héllo \u{1f3e0} \u0000",
    empty: "",
    number: -3.25,
    bytes: new Uint8Array([0, 255, 128]),
    yes: true,
    nothing: null,
    list: ["a", 1, [], {}],
    map: { inner: { deep: [true, null] } },
    texts: new Set(["a", "b"]),
    numbers: new Set([1, 2]),
  };
  await put(item);
  assert.deepEqual(await get(item.pk), item);
});

test("numbers keep 38 digits", async () => {
  const pk = uniqueName();
  const digits = "12345678901234567890123456789012345678";
  await put({ pk, n: NumberValue.from(digits) });
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: pk } } }));
  assert.deepEqual(Item.n, { N: digits });
  const more = new PutItemCommand({ TableName, Item: { pk: { S: pk }, n: { N: `${digits}9` } } });
  await refuses(client.send(more), "ValidationException", "more than 38 significant digits");
});

test("an absent item is no item", async () => {
  assert.equal(await get(uniqueName()), undefined);
});

test("projections pick paths", async () => {
  const pk = uniqueName();
  await put({ pk, m: { a: 1, b: 2 }, l: ["x", "y", "z"], name: "reserved" });
  const Item = await get(pk, {
    ProjectionExpression: "m.a, l[2], l[0], #n",
    ExpressionAttributeNames: { "#n": "name" },
  });
  assert.deepEqual(Item, { m: { a: 1 }, l: ["x", "z"], name: "reserved" });
});

test("old values are returned if asked for", async () => {
  const pk = uniqueName();
  await put({ pk, n: 1 });
  const { Attributes } = await put({ pk, n: 2 }, { ReturnValues: "ALL_OLD" });
  assert.deepEqual(Attributes, { pk, n: 1 });
  const removal = { TableName, Key: { pk }, ReturnValues: "ALL_OLD" };
  assert.deepEqual((await db.send(new DeleteCommand(removal))).Attributes, { pk, n: 2 });
  assert.equal(await get(pk), undefined);
});

test("conditions guard writes and show the item", async () => {
  const pk = uniqueName();
  const once = {
    ConditionExpression: "attribute_not_exists(pk)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
  await put({ pk, n: 1 }, once);
  const failure = await refuses(
    put({ pk, n: 2 }, once),
    "ConditionalCheckFailedException",
    "The conditional request failed",
  );
  assert.deepEqual(failure.Item, { pk: { S: pk }, n: { N: "1" } });
  assert.deepEqual(await get(pk), { pk, n: 1 });
});

test("updates set, remove, add and delete", async () => {
  const pk = uniqueName();
  await put({ pk, a: "old", gone: 1, n: 5, s: new Set(["x", "y"]), l: [1] });
  await update(pk, "SET b = a, a = :new, l = list_append(l, :l) REMOVE gone ADD n :n DELETE s :s", {
    ":new": "new",
    ":l": [2],
    ":n": 3,
    ":s": new Set(["x"]),
  });
  assert.deepEqual(await get(pk), {
    pk,
    a: "new",
    b: "old",
    n: 8,
    s: new Set(["y"]),
    l: [1, 2],
  });
});

test("updates return what was asked for", async () => {
  const pk = uniqueName();
  await put({ pk, m: { a: 1, b: 2 }, c: 3 });
  const returned = async (ReturnValues, value) =>
    (await update(pk, "SET m.a = :v", { ":v": value }, { ReturnValues })).Attributes;
  assert.deepEqual(await returned("UPDATED_NEW", 10), { m: { a: 10 } });
  assert.deepEqual(await returned("UPDATED_OLD", 20), { m: { a: 10 } });
  assert.deepEqual(await returned("ALL_OLD", 30), { pk, m: { a: 20, b: 2 }, c: 3 });
  assert.deepEqual(await returned("ALL_NEW", 40), { pk, m: { a: 40, b: 2 }, c: 3 });
});

test("an update that fails leaves no item behind", async () => {
  const pk = uniqueName();
  const existing = { ConditionExpression: "attribute_exists(pk)" };
  await refuses(update(pk, "SET a = :v", { ":v": 1 }, existing), "ConditionalCheckFailedException");
  assert.equal(await get(pk), undefined);
});

test("keys must be the table's", async () => {
  await refuses(put({ n: 1 }), "ValidationException", "Missing the key pk in the item");
  await refuses(put({ pk: 1 }), "ValidationException", "Type mismatch for key pk");
  const Key = { other: "a" };
  await refuses(
    db.send(new GetCommand({ TableName, Key })),
    "ValidationException",
    "The provided key element does not match the schema",
  );
});

test("items end at 400 KB", async () => {
  const pk = uniqueName();
  await put({ pk, d: "x".repeat(400 * 1024 - 100) });
  await refuses(
    put({ pk, d: "x".repeat(400 * 1024) }),
    "ValidationException",
    "Item size has exceeded the maximum allowed size",
  );
});

test("capacity is reported", async () => {
  const pk = uniqueName();
  const capacity = { ReturnConsumedCapacity: "TOTAL" };
  const { ConsumedCapacity } = await put({ pk, d: "x".repeat(1500) }, capacity);
  assert.deepEqual(ConsumedCapacity, { TableName, CapacityUnits: 2 });
  const read = await db.send(new GetCommand({ TableName, Key: { pk }, ...capacity }));
  assert.equal(read.ConsumedCapacity.CapacityUnits, 0.5);
});
