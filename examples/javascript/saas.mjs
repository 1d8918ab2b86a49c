/*
 * A business-to-business SaaS in one table: organisations with their members, teams, projects, API
 * keys, monthly usage and invitations.
 *
 * Everything that an organisation owns stands under its own partition key, ORG#<id>; four indexes
 * answer the questions that start elsewhere:
 *
 *     GSI1  USER#<id>       the organisations of a user
 *     GSI2  TEAM#<id>       the projects of a team (sparse: projects without a team are not in it)
 *     GSI3  APIKEY#<hash>   whose API key this is; the key itself is never stored
 *     GSI4  INVITE#<token>  the invitation that a link in a mail belongs to
 *
 * The program creates the table, loads the same data on every run (the same as ../python/saas.py),
 * walks through all access patterns and checks what comes back. Loading twice is harmless.
 */
import { createHash } from "node:crypto";

import {
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";

import {
  Walkthrough,
  connect,
  createTable,
  loadItems,
  readAll,
  readOptions,
} from "./walkthrough.mjs";

const INDEXES = ["GSI1", "GSI2", "GSI3", "GSI4"];
const ORGANISATIONS = [
  { org: "acme", name: "Acme Robotics", plan: "enterprise", members: 40, projects: 36 },
  { org: "globex", name: "Globex Energy", plan: "team", members: 18, projects: 14 },
  { org: "initech", name: "Initech Software", plan: "team", members: 11, projects: 9 },
  { org: "hooli", name: "Hooli Search", plan: "free", members: 3, projects: 2 },
];
const ROLES = ["owner", "admin", "member", "member", "viewer"];
const TEAM_NAMES = ["platform", "growth", "support"];
const METRICS = { api_calls: 100_000, storage_mb: 5_000, seats: 50 };
const MONTHS = ["2026-08", "2026-09", "2026-10"];
const FIRST_NAMES = ["Ada", "Grace", "Edsger", "Barbara", "Donald", "Frances", "Ken", "Radia"];
const LAST_NAMES = [
  "Lovelace",
  "Hopper",
  "Dijkstra",
  "Liskov",
  "Knuth",
  "Allen",
  "Thompson",
  "Perlman",
];
const CREATED_AT = "2026-08-01T09:00:00Z";
const INVITATION_EXPIRES = 1_893_456_000; // 2030-01-01, in seconds since 1970 as TTL wants it

// ---- The data: each function makes the items of one entity ----

function organisation({ org, name, plan }) {
  return {
    PK: `ORG#${org}`,
    SK: `ORG#${org}`,
    orgId: org,
    name,
    slug: `${org}-app`,
    plan,
    status: "active",
    billingEmail: `billing@${org}.example`,
    stripeCustomerId: `cus_${sha256(org).slice(0, 14)}`,
    settings: { timezone: "Europe/Berlin", sso: plan === "enterprise", theme: "light" },
    limits: { ...METRICS },
    createdAt: CREATED_AT,
  };
}

function organisationSlug(org) {
  const slug = `${org}-app`;
  return { PK: `SLUG#${slug}`, SK: `SLUG#${slug}`, slug, orgId: org, createdAt: CREATED_AT };
}

function user(number) {
  const firstName = FIRST_NAMES[number % 8];
  const lastName = LAST_NAMES[Math.floor(number / 8) % 8];
  const userId = userIdOf(number);
  return {
    PK: `USER#${userId}`,
    SK: `USER#${userId}`,
    userId,
    email: `${firstName}.${lastName}@mail.example`.toLowerCase(),
    firstName,
    lastName,
    avatarUrl: `https://cdn.example/avatars/${userId}.png`,
    defaultOrgId: ORGANISATIONS[0].org,
    createdAt: CREATED_AT,
    lastLoginAt: `2026-10-${twoDigits((number % 28) + 1)}T08:30:00Z`,
  };
}

/** The first `count` users are members of an organisation, so user 0 is in all of them. */
function memberships({ org, members }) {
  return range(members).map((number) => ({
    PK: `ORG#${org}`,
    SK: `MEMBER#${userIdOf(number)}`,
    GSI1PK: `USER#${userIdOf(number)}`,
    GSI1SK: `ORG#${org}`,
    orgId: org,
    userId: userIdOf(number),
    role: ROLES[number % 5],
    invitedBy: userIdOf(0),
    invitedAt: CREATED_AT,
    acceptedAt: `2026-08-${twoDigits((number % 28) + 1)}T10:00:00Z`,
  }));
}

function teams({ org, members }) {
  return TEAM_NAMES.map((name, number) => ({
    PK: `ORG#${org}`,
    SK: `TEAM#${org}-${name}`,
    orgId: org,
    teamId: `${org}-${name}`,
    name: name[0].toUpperCase() + name.slice(1),
    description: `The ${name} team of ${org}`,
    memberIds: new Set(
      range(members)
        .filter((member) => member % 3 === number)
        .map(userIdOf),
    ),
    createdAt: CREATED_AT,
  }));
}

/** Every fourth project belongs to no team and is therefore not in GSI2. */
function projects({ org, projects: count }) {
  return range(count).map((number) => {
    const projectId = `${org}-p${String(number).padStart(3, "0")}`;
    const teamId = `${org}-${TEAM_NAMES[number % 4]}`;
    const ofTeam = { teamId, GSI2PK: `TEAM#${teamId}`, GSI2SK: `PROJECT#${projectId}` };
    return {
      PK: `ORG#${org}`,
      SK: `PROJECT#${projectId}`,
      orgId: org,
      projectId,
      name: `Project ${number}`,
      description: `What ${org} does on project ${number}`,
      status: number % 7 === 6 ? "archived" : "active",
      visibility: number % 2 ? "private" : "organisation",
      createdBy: userIdOf(number % 3),
      createdAt: CREATED_AT,
      ...(number % 4 === 3 ? {} : ofTeam),
    };
  });
}

function apiKeys({ org }) {
  return ["production", "staging", "ci"].map((name, number) => {
    const hashedKey = sha256(apiKeyOf(org, number));
    return {
      PK: `ORG#${org}`,
      SK: `APIKEY#${org}-k${number}`,
      GSI3PK: `APIKEY#${hashedKey}`,
      GSI3SK: `APIKEY#${hashedKey}`,
      orgId: org,
      keyId: `${org}-k${number}`,
      hashedKey,
      name,
      projectId: `${org}-p000`,
      permissions: new Set(number ? ["projects:read", "usage:write"] : ["projects:read"]),
      createdBy: userIdOf(0),
      lastUsedAt: "2026-10-28T12:00:00Z",
      expiresAt: "2027-08-01T00:00:00Z",
      createdAt: CREATED_AT,
    };
  });
}

function usageRecords({ org }) {
  return MONTHS.flatMap((yearMonth, month) =>
    Object.entries(METRICS).map(([metric, limit]) => ({
      PK: `ORG#${org}`,
      SK: `USAGE#${yearMonth}#${metric}`,
      orgId: org,
      yearMonth,
      metric,
      value: Math.floor((limit * (month + 1)) / 10),
      limit,
      lastUpdatedAt: `${yearMonth}-28T00:00:00Z`,
    })),
  );
}

function invitations({ org }) {
  return range(2).map((number) => {
    const email = `guest${number}@${org}.example`;
    const token = invitationTokenOf(org, number);
    return {
      PK: `ORG#${org}`,
      SK: `INVITE#${email}`,
      GSI4PK: `INVITE#${token}`,
      GSI4SK: `INVITE#${token}`,
      orgId: org,
      email,
      token,
      role: "member",
      invitedBy: userIdOf(0),
      createdAt: CREATED_AT,
      ttl: INVITATION_EXPIRES,
    };
  });
}

/** What stands under ORG#<org> beside the organisation itself. */
function ownedItems(facts) {
  const kinds = [memberships, teams, projects, apiKeys, usageRecords, invitations];
  return kinds.flatMap((kind) => kind(facts));
}

const userIdOf = (number) => `u${String(number).padStart(3, "0")}`;
const apiKeyOf = (org, number) => `sk_live_${org}_${number}`;
const invitationTokenOf = (org, number) => sha256(`invitation ${number} of ${org}`).slice(0, 32);
const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const twoDigits = (number) => String(number).padStart(2, "0");
const range = (count) => [...Array(count).keys()];
const factsOf = (org) => ORGANISATIONS.find((facts) => facts.org === org);

// ---- Loading ----

function keySchema(partitionKey, sortKey) {
  return [
    { AttributeName: partitionKey, KeyType: "HASH" },
    { AttributeName: sortKey, KeyType: "RANGE" },
  ];
}

function tableDefinition(table) {
  const keys = ["PK", "SK", ...INDEXES.flatMap((index) => [`${index}PK`, `${index}SK`])];
  return {
    TableName: table,
    AttributeDefinitions: keys.map((key) => ({ AttributeName: key, AttributeType: "S" })),
    KeySchema: keySchema("PK", "SK"),
    GlobalSecondaryIndexes: INDEXES.map((index) => ({
      IndexName: index,
      KeySchema: keySchema(`${index}PK`, `${index}SK`),
      Projection: { ProjectionType: "ALL" },
    })),
  };
}

async function load(db, table) {
  for (const facts of ORGANISATIONS) await foundOrganisation(db, table, organisation(facts));
  const users = range(Math.max(...ORGANISATIONS.map(({ members }) => members))).map(user);
  const items = [...users, ...ORGANISATIONS.flatMap(ownedItems)];
  await loadItems(db, table, items);
  const written = items.length + 2 * ORGANISATIONS.length;
  console.log(`Loaded ${written} items of ${ORGANISATIONS.length} organisations`);
}

/** An organisation and its slug appear together, and only if nobody else has the slug. */
async function foundOrganisation(db, table, item) {
  const slug = {
    TableName: table,
    Item: organisationSlug(item.orgId),
    ConditionExpression: "attribute_not_exists(PK) OR orgId = :org",
    ExpressionAttributeValues: { ":org": item.orgId },
  };
  const TransactItems = [{ Put: slug }, { Put: { TableName: table, Item: item } }];
  await db.send(new TransactWriteCommand({ TransactItems }));
}

// ---- Access patterns ----

async function getMembers(walk, db, table) {
  const response = await readAll(db, QueryCommand, {
    TableName: table,
    KeyConditionExpression: "PK = :org AND begins_with(SK, :prefix)",
    ExpressionAttributeValues: { ":org": "ORG#acme", ":prefix": "MEMBER#" },
  });
  walk.pattern(
    "Members of acme",
    response,
    response.Items.map(({ userId, role }) => `${userId} ${role}`),
  );
  walk.expect("members", response.Items, memberships(factsOf("acme")));
}

async function getOrganisation(walk, db, table) {
  const Key = { PK: "ORG#globex", SK: "ORG#globex" };
  const response = await db.send(
    new GetCommand({ TableName: table, Key, ReturnConsumedCapacity: "TOTAL" }),
  );
  const { Item } = response;
  walk.pattern("The organisation globex", response, [
    `${Item?.name}, plan ${Item?.plan}, settings ${JSON.stringify(Item?.settings)}`,
  ]);
  walk.expect("organisation", Item, organisation(factsOf("globex")));
}

async function getEverything(walk, db, table) {
  const facts = factsOf("initech");
  const response = await queryPartition(db, table, { PK: "ORG#initech" });
  const kinds = response.Items.map(({ SK }) => SK.split("#")[0]);
  const lines = [...new Set(kinds)].map(
    (kind) => `${String(kinds.filter((other) => other === kind).length).padStart(3)} ${kind}`,
  );
  walk.pattern("Everything that initech has", response, lines);
  const expected = [organisation(facts), ...ownedItems(facts)];
  walk.expect(
    "items",
    response.Items,
    expected.sort((a, b) => (a.SK < b.SK ? -1 : 1)),
  );
}

async function getOrganisationsOfUser(walk, db, table) {
  const response = await queryPartition(db, table, { GSI1PK: "USER#u010" }, "GSI1");
  walk.pattern(
    "Organisations of user u010",
    response,
    response.Items.map(({ orgId, role }) => `${orgId} as ${role}`),
  );
  const expected = ORGANISATIONS.filter(({ members }) => members > 10).map(({ org }) => org);
  walk.expect(
    "organisations",
    response.Items.map(({ orgId }) => orgId),
    expected.sort(),
  );
}

async function getProjectsOfTeam(walk, db, table) {
  const response = await queryPartition(db, table, { GSI2PK: "TEAM#acme-growth" }, "GSI2");
  walk.pattern(
    "Projects of the team acme-growth",
    response,
    response.Items.map(({ projectId, status }) => `${projectId} ${status}`),
  );
  const expected = projects(factsOf("acme")).filter(({ teamId }) => teamId === "acme-growth");
  walk.expect("projects", response.Items, expected);
}

/** GSI2 holds only what has its keys. */
async function checkSparseIndex(walk, db, table) {
  const response = await readAll(db, ScanCommand, {
    TableName: table,
    IndexName: "GSI2",
    ProjectionExpression: "projectId, teamId",
  });
  const all = ORGANISATIONS.flatMap(projects);
  walk.pattern("The team index is sparse", response, [
    `${response.Count} of ${all.length} projects have a team`,
  ]);
  walk.expect("rows of GSI2", response.Count, all.filter(({ teamId }) => teamId).length);
}

async function authenticateApiKey(walk, db, table) {
  const key = apiKeyOf("initech", 1);
  const response = await queryPartition(db, table, { GSI3PK: `APIKEY#${sha256(key)}` }, "GSI3");
  walk.pattern(
    `Authenticate the API key ${key.slice(0, 12)}...`,
    response,
    response.Items.map(
      ({ orgId, name, permissions }) => `${orgId}: ${name}, may ${[...permissions].join(", ")}`,
    ),
  );
  walk.expect("API key", response.Items, [apiKeys(factsOf("initech"))[1]]);
  const guess = { GSI3PK: `APIKEY#${sha256("sk_live_guess")}` };
  const unknown = await queryPartition(db, table, guess, "GSI3");
  walk.expect("an unknown key", unknown.Items, []);
}

async function acceptInvitation(walk, db, table) {
  const token = invitationTokenOf("hooli", 0);
  const response = await queryPartition(db, table, { GSI4PK: `INVITE#${token}` }, "GSI4");
  walk.pattern(
    `The invitation with token ${token.slice(0, 8)}...`,
    response,
    response.Items.map(({ email, orgId, role }) => `${email} to ${orgId} as ${role}`),
  );
  walk.expect("invitation", response.Items, invitations(factsOf("hooli")).slice(0, 1));
}

/** The counter moves only if the organisation exists: both happen, or neither. */
async function trackUsage(walk, db, table) {
  const Key = { PK: "ORG#acme", SK: "USAGE#2026-10#api_calls" };
  const read = async (key) =>
    (await db.send(new GetCommand({ TableName: table, Key: key, ConsistentRead: true }))).Item;
  const before = (await read(Key)).value;
  const response = await incrementUsage(db, table, "acme", Key, 250);
  const after = (await read(Key)).value;
  walk.pattern("Count 250 api_calls of acme", response, [`${before} -> ${after}`]);
  walk.expect("counter", after, before + 250);

  const orphan = { PK: "ORG#nobody", SK: Key.SK };
  const reasons = await incrementUsage(db, table, "nobody", orphan, 250).then(
    () => "no error",
    (error) => error.CancellationReasons?.map(({ Code }) => Code),
  );
  walk.expect("an unknown organisation", reasons, ["ConditionalCheckFailed", "None"]);
  walk.expect("no counter left behind", await read(orphan), undefined);
}

function incrementUsage(db, table, org, Key, by) {
  const organisationExists = {
    TableName: table,
    Key: { PK: `ORG#${org}`, SK: `ORG#${org}` },
    ConditionExpression: "attribute_exists(PK)",
  };
  const increment = {
    TableName: table,
    Key,
    UpdateExpression: "ADD #value :by SET lastUpdatedAt = :now",
    ExpressionAttributeNames: { "#value": "value" },
    ExpressionAttributeValues: { ":by": by, ":now": "2026-10-29T07:00:00Z" },
  };
  return db.send(
    new TransactWriteCommand({
      TransactItems: [{ ConditionCheck: organisationExists }, { Update: increment }],
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
}

async function checkSlug(walk, db, table) {
  const cases = [
    ["acme-app", ["acme"]],
    ["umbrella-app", []],
  ];
  for (const [slug, expected] of cases) {
    const response = await queryPartition(db, table, { PK: `SLUG#${slug}` });
    const owners = response.Items.map(({ orgId }) => orgId);
    walk.pattern(`Is the slug ${slug} free?`, response, [
      owners.length ? `taken by ${owners[0]}` : "yes",
    ]);
    walk.expect("owners", owners, expected);
  }
}

/** A slug that is taken stays with its owner. */
async function refuseTakenSlug(walk, db, table) {
  const wanted = { ...organisationSlug("acme"), orgId: "rival" };
  const outcome = await db
    .send(
      new PutCommand({
        TableName: table,
        Item: wanted,
        ConditionExpression: "attribute_not_exists(PK)",
      }),
    )
    .then(
      () => "taken twice",
      (error) => error.message,
    );
  walk.pattern(`Take the slug ${wanted.slug} again`, {}, [outcome]);
  walk.expect("outcome", outcome, "The conditional request failed");
}

async function getUser(walk, db, table) {
  const Key = { PK: "USER#u017", SK: "USER#u017" };
  const response = await db.send(
    new GetCommand({ TableName: table, Key, ReturnConsumedCapacity: "TOTAL" }),
  );
  const { Item } = response;
  walk.pattern("The profile of u017", response, [
    `${Item?.firstName} ${Item?.lastName} <${Item?.email}>`,
  ]);
  walk.expect("profile", Item, user(17));
}

/** All items whose partition key, of the table or of an index, is the one given. */
function queryPartition(db, table, key, index) {
  const [[name, value]] = Object.entries(key);
  return readAll(db, QueryCommand, {
    TableName: table,
    IndexName: index,
    KeyConditionExpression: `${name} = :value`,
    ExpressionAttributeValues: { ":value": value },
  });
}

const PATTERNS = [
  getMembers,
  getOrganisation,
  getEverything,
  getOrganisationsOfUser,
  getProjectsOfTeam,
  checkSparseIndex,
  authenticateApiKey,
  acceptInvitation,
  trackUsage,
  checkSlug,
  refuseTakenSlug,
  getUser,
];

const { endpoint, table } = readOptions("app");
const db = connect(endpoint);
await createTable(db, tableDefinition(table));
await load(db, table);
const walk = new Walkthrough();
for (const pattern of PATTERNS) await pattern(walk, db, table);
walk.finish();
