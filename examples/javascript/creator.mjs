/*
 * A video tool for creators. Every page asks for one creator's things of one kind, so one table
 * without any index serves all of it:
 *
 *     CREATOR#<id>   METADATA                  the creator
 *                    ANALYTICS#DAILY#<date>    a day's figures
 *                    ASSET#<video>             an uploaded video
 *                    ASSET#<video>#CHAPTERS    its chapters
 *                    CLIP#<clip>               a clip cut from it: there can be 50,000
 *                    LIVE_CHAT_SPIKE#<time>    a moment when the chat went wild
 *                    PLATFORM_TOKEN#<name>     an OAuth token
 *                    STREAM#<stream>           a live stream
 *     MAGIC#<token>  VERIFY                    a link in a mail; the TTL attribute ends it
 *
 * The program creates the table, loads the same data on every run (the same as
 * ../python/creator.py), shows the pages of a creator and checks what comes back. Loading twice is
 * harmless.
 */
import { createHash } from "node:crypto";

import { GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";

import {
  Walkthrough,
  connect,
  consumed,
  createTable,
  loadItems,
  readAll,
  readOptions,
} from "./walkthrough.mjs";

const CREATORS = [
  { userId: "u1", name: "Mira Films" },
  { userId: "u2", name: "Oskar Plays" },
];
const PAGE_SIZE = 1000;
const FIRST_DAY = Date.UTC(2026, 6, 1);
const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = 90;
const ASSETS = 40;
const STREAMS = 25;
const SPIKES = 60;
const PLATFORMS = ["instagram", "tiktok", "twitch", "youtube"];
const LINK_VALID_SECONDS = 15 * 60;

// ---- The data: each function makes the items of one entity ----

function creator({ userId, name }) {
  return {
    PK: `CREATOR#${userId}`,
    SK: "METADATA",
    userId,
    name,
    email: `${userId}@creators.example`,
    plan: "pro",
  };
}

function assets({ userId }) {
  return range(ASSETS).map((number) => ({
    PK: `CREATOR#${userId}`,
    SK: `ASSET#v${digits(number, 4)}`,
    title: `Episode ${number}`,
    durationSeconds: 600 + 7 * number,
    tags: new Set(["episode", number < 20 ? "season-1" : "season-2"]),
  }));
}

/** Every second video has chapters. */
function chapters({ userId }) {
  return range(ASSETS)
    .filter((number) => number % 2 === 0)
    .map((number) => ({
      PK: `CREATOR#${userId}`,
      SK: `ASSET#v${digits(number, 4)}#CHAPTERS`,
      chapters: [
        { at: 0, title: "Intro" },
        { at: 90, title: `Part ${number}` },
      ],
    }));
}

function clip({ userId }, number) {
  return {
    PK: `CREATOR#${userId}`,
    SK: `CLIP#${digits(number, 6)}`,
    videoId: `v${digits(number % ASSETS, 4)}`,
    title: `Clip ${number}: the moment everybody talked about`,
    startSeconds: (number * 13) % 600,
    viralityScore: viralityScore(number),
    hashtags: ["funny", "live", `week${number % 52}`],
  };
}

/** 0 to 99, spread evenly, in no order. */
const viralityScore = (number) => (number * 37) % 100;

function streams({ userId }) {
  return range(STREAMS).map((number) => ({
    PK: `CREATOR#${userId}`,
    SK: `STREAM#s${digits(number, 3)}`,
    platform: PLATFORMS[number % 4],
    viewersPeak: 1000 + ((number * 211) % 5000),
  }));
}

function chatSpikes({ userId }) {
  return range(SPIKES).map((number) => ({
    PK: `CREATOR#${userId}`,
    SK: `LIVE_CHAT_SPIKE#${1_790_000_000 + 977 * number}`,
    messagesPerSecond: 20 + (number % 17),
  }));
}

function dailyAnalytics({ userId }) {
  return range(DAYS).map((number) => ({
    PK: `CREATOR#${userId}`,
    SK: `ANALYTICS#DAILY#${new Date(FIRST_DAY + number * DAY_MS).toISOString().slice(0, 10)}`,
    views: 1000 + 31 * number,
    followersGained: number % 12,
  }));
}

/** The token itself would be sealed by the application; a digest stands for it here. */
function platformTokens({ userId }) {
  return PLATFORMS.map((platform) => ({
    PK: `CREATOR#${userId}`,
    SK: `PLATFORM_TOKEN#${platform}`,
    sealedToken: new Uint8Array(createHash("sha256").update(`${userId} ${platform}`).digest()),
    scopes: new Set(["publish", "read"]),
  }));
}

function magicLink(userId, token, expires) {
  return { PK: `MAGIC#${token}`, SK: "VERIFY", userId, ttl: expires };
}

function ownedItems(facts, clipCount) {
  const kinds = [assets, chapters, streams, chatSpikes, dailyAnalytics, platformTokens];
  const clips = range(clipCount).map((number) => clip(facts, number));
  return [creator(facts), ...kinds.flatMap((kind) => kind(facts)), ...clips];
}

const digits = (number, width) => String(number).padStart(width, "0");
const range = (count) => [...Array(count).keys()];

// ---- Loading ----

function tableDefinition(table) {
  return {
    TableName: table,
    AttributeDefinitions: [
      { AttributeName: "PK", AttributeType: "S" },
      { AttributeName: "SK", AttributeType: "S" },
    ],
    KeySchema: [
      { AttributeName: "PK", KeyType: "HASH" },
      { AttributeName: "SK", KeyType: "RANGE" },
    ],
  };
}

async function load(db, table, clipCount) {
  const [large, ...others] = CREATORS;
  const items = [
    ...others.flatMap((facts) => ownedItems(facts, 200)),
    ...ownedItems(large, clipCount),
  ];
  const started = performance.now();
  await loadItems(db, table, items);
  const seconds = (performance.now() - started) / 1000;
  const rate = Math.round(items.length / seconds);
  console.log(`Loaded ${items.length} items in ${seconds.toFixed(1)} s (${rate} per second)`);
}

// ---- Access patterns ----

/** The request of a page: one creator's things of one kind. */
function things(table, userId, prefix) {
  return {
    TableName: table,
    KeyConditionExpression: "PK = :creator AND begins_with(SK, :prefix)",
    ExpressionAttributeValues: { ":creator": `CREATOR#${userId}`, ":prefix": prefix },
  };
}

/** All clips, a thousand per request. The last key of a page is where the next one starts. */
async function showClips(walk, db, table, clipCount) {
  const request = {
    ...things(table, "u1", "CLIP#"),
    Limit: PAGE_SIZE,
    ReturnConsumedCapacity: "TOTAL",
  };
  const keys = [];
  const pages = [];
  const capacity = [];
  let scores = 0;
  let page;
  do {
    page = await db.send(
      new QueryCommand({ ...request, ExclusiveStartKey: page?.LastEvaluatedKey }),
    );
    keys.push(...page.Items.map(({ SK }) => SK));
    scores += page.Items.reduce((sum, item) => sum + item.viralityScore, 0);
    capacity.push(page.ConsumedCapacity);
    pages.push(`${page.Count} clips up to ${keys.at(-1) ?? "-"} (${consumed(page)})`);
  } while (page.LastEvaluatedKey);
  const whole = { ConsumedCapacity: capacity };
  walk.pattern(`All ${keys.length} clips of u1 in pages of ${PAGE_SIZE}`, whole, pages);
  walk.expect("clips", keys.length, clipCount);
  const inOrder = keys.every((key, number) => key === `CLIP#${digits(number, 6)}`);
  walk.expect("order", inOrder, true);
  const expected = range(clipCount).reduce((sum, number) => sum + viralityScore(number), 0);
  walk.expect("scores", scores, expected);
}

async function showNewestClips(walk, db, table, clipCount) {
  const response = await db.send(
    new QueryCommand({
      ...things(table, "u1", "CLIP#"),
      ScanIndexForward: false,
      Limit: 5,
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  walk.pattern(
    "The five newest clips of u1",
    response,
    response.Items.map(({ SK, title }) => `${SK} ${title}`),
  );
  const newest = range(Math.min(5, clipCount)).map((age) => clip(CREATORS[0], clipCount - 1 - age));
  walk.expect("clips", response.Items, newest);
}

/** A filter saves traffic, not capacity: ScannedCount is what was read. */
async function showViralClips(walk, db, table, clipCount) {
  const request = things(table, "u1", "CLIP#");
  const response = await readAll(db, QueryCommand, {
    ...request,
    FilterExpression: "viralityScore > :above",
    ExpressionAttributeValues: { ...request.ExpressionAttributeValues, ":above": 95 },
    ProjectionExpression: "SK, viralityScore",
  });
  walk.pattern("Clips of u1 with a virality score above 95", response, [
    `${response.Count} of ${response.ScannedCount} clips, read in ${response.Pages} pages`,
  ]);
  const expected = range(clipCount).filter((number) => viralityScore(number) > 95);
  walk.expect("scanned", response.ScannedCount, clipCount);
  walk.expect(
    "clips",
    response.Items.map(({ SK }) => SK),
    expected.map((number) => `CLIP#${digits(number, 6)}`),
  );
}

/** Videos and their chapters come back together: the chapters' keys begin with the video's. */
async function showAssets(walk, db, table) {
  const response = await readAll(db, QueryCommand, things(table, "u1", "ASSET#"));
  walk.pattern(
    "Dashboard: assets of u1",
    response,
    response.Items.map(({ SK, title = "" }) => `${SK} ${title}`),
  );
  const expected = [...assets(CREATORS[0]), ...chapters(CREATORS[0])];
  walk.expect(
    "assets",
    response.Items,
    expected.sort((a, b) => (a.SK < b.SK ? -1 : 1)),
  );
}

async function showAnalytics(walk, db, table) {
  const [from, to] = ["ANALYTICS#DAILY#2026-08-01", "ANALYTICS#DAILY#2026-08-31"];
  const response = await readAll(db, QueryCommand, {
    TableName: table,
    KeyConditionExpression: "PK = :creator AND SK BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":creator": "CREATOR#u1", ":from": from, ":to": to },
  });
  const views = response.Items.reduce((sum, day) => sum + day.views, 0);
  walk.pattern("Dashboard: analytics of u1 in August 2026", response, [
    `${response.Count} days, ${views} views`,
  ]);
  const expected = dailyAnalytics(CREATORS[0]).filter(({ SK }) => from <= SK && SK <= to);
  walk.expect("days", response.Items, expected);
}

async function showStreams(walk, db, table) {
  const response = await readAll(db, QueryCommand, things(table, "u1", "STREAM#"));
  walk.pattern(
    "Streams of u1",
    response,
    response.Items.map(({ SK, platform }) => `${SK} on ${platform}`),
  );
  walk.expect("streams", response.Items, streams(CREATORS[0]));
}

async function showCreator(walk, db, table) {
  const Key = { PK: "CREATOR#u2", SK: "METADATA" };
  const response = await db.send(
    new GetCommand({ TableName: table, Key, ReturnConsumedCapacity: "TOTAL" }),
  );
  const { Item } = response;
  walk.pattern("The creator u2", response, [`${Item?.name} <${Item?.email}>`]);
  walk.expect("creator", Item, creator(CREATORS[1]));
}

/** Binary values and sets come back as they were written. */
async function showPlatformTokens(walk, db, table) {
  const response = await readAll(db, QueryCommand, things(table, "u2", "PLATFORM_TOKEN#"));
  walk.pattern(
    "Connected platforms of u2",
    response,
    response.Items.map(({ SK, sealedToken }) => `${SK}: ${sealedToken.length} bytes`),
  );
  walk.expect("tokens", response.Items, platformTokens(CREATORS[1]));
}

async function showChatSpikes(walk, db, table) {
  const response = await readAll(db, QueryCommand, things(table, "u2", "LIVE_CHAT_SPIKE#"));
  walk.pattern(
    "Live chat spikes of u2",
    response,
    response.Items.map(({ SK, messagesPerSecond }) => `${SK}: ${messagesPerSecond}/s`),
  );
  walk.expect("spikes", response.Items, chatSpikes(CREATORS[1]));
}

/**
 * A link counts only while its time has not come: items are deleted some time after their TTL
 * attribute, not at that second, so whoever reads one compares the clock.
 */
async function verifyMagicLinks(walk, db, table) {
  const now = Math.floor(Date.now() / 1000);
  const links = [
    magicLink("u1", "fresh-7f3a", now + LINK_VALID_SECONDS),
    magicLink("u1", "stale-19c2", now - 1),
  ];
  for (const Item of links) await db.send(new PutCommand({ TableName: table, Item }));
  const cases = { "fresh-7f3a": "u1", "stale-19c2": undefined, "forged-0000": undefined };
  for (const [token, expected] of Object.entries(cases)) {
    const response = await db.send(
      new GetCommand({
        TableName: table,
        Key: { PK: `MAGIC#${token}`, SK: "VERIFY" },
        ConsistentRead: true,
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    const link = response.Item;
    const userId = link?.ttl > now ? link.userId : undefined;
    const answer = userId ? `signs in ${userId}` : "refused";
    walk.pattern(`Verify the magic link ${token}`, response, [answer]);
    walk.expect("user", userId, expected);
  }
}

const options = readOptions("creators", { clips: { type: "string", default: "50000" } });
const clipCount = Number(options.clips);
const { table } = options;
const db = connect(options.endpoint);
await createTable(db, tableDefinition(table));
await load(db, table, clipCount);

const walk = new Walkthrough();
await showClips(walk, db, table, clipCount);
await showNewestClips(walk, db, table, clipCount);
await showViralClips(walk, db, table, clipCount);
await showAssets(walk, db, table);
await showAnalytics(walk, db, table);
await showStreams(walk, db, table);
await showCreator(walk, db, table);
await showPlatformTokens(walk, db, table);
await showChatSpikes(walk, db, table);
await verifyMagicLinks(walk, db, table);
walk.finish();
