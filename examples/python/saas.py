"""A business-to-business SaaS in one table: organisations with their members, teams, projects,
API keys, monthly usage and invitations.

Everything that an organisation owns stands under its own partition key, ORG#<id>; four indexes
answer the questions that start elsewhere:

    GSI1  USER#<id>       the organisations of a user
    GSI2  TEAM#<id>       the projects of a team (sparse: projects without a team are not in it)
    GSI3  APIKEY#<hash>   whose API key this is; the key itself is never stored
    GSI4  INVITE#<token>  the invitation that a link in a mail belongs to

The program creates the table, loads the same data on every run, walks through all access patterns
and checks what comes back. Loading twice is harmless.
"""

import hashlib

from boto3.dynamodb.conditions import Key
from botocore.exceptions import ClientError
from walkthrough import Walkthrough, arguments, connect, create_table, read_all

INDEXES = ["GSI1", "GSI2", "GSI3", "GSI4"]
KEYS = ["PK", "SK"] + [f"{index}{part}" for index in INDEXES for part in ("PK", "SK")]

# id, name, plan, members, projects
ORGANISATIONS = [
    ("acme", "Acme Robotics", "enterprise", 40, 36),
    ("globex", "Globex Energy", "team", 18, 14),
    ("initech", "Initech Software", "team", 11, 9),
    ("hooli", "Hooli Search", "free", 3, 2),
]
ROLES = ["owner", "admin", "member", "member", "viewer"]
TEAM_NAMES = ["platform", "growth", "support"]
METRICS = [("api_calls", 100_000), ("storage_mb", 5_000), ("seats", 50)]
MONTHS = ["2026-08", "2026-09", "2026-10"]
FIRST_NAMES = ["Ada", "Grace", "Edsger", "Barbara", "Donald", "Frances", "Ken", "Radia"]
LAST_NAMES = ["Lovelace", "Hopper", "Dijkstra", "Liskov", "Knuth", "Allen", "Thompson", "Perlman"]
CREATED_AT = "2026-08-01T09:00:00Z"
INVITATION_EXPIRES = 1_893_456_000  # 2030-01-01, in seconds since 1970 as TTL wants it


# ---- The data: each function yields the items of one entity ----


def organisation(org, name, plan):
    return {
        "PK": f"ORG#{org}",
        "SK": f"ORG#{org}",
        "orgId": org,
        "name": name,
        "slug": f"{org}-app",
        "plan": plan,
        "status": "active",
        "billingEmail": f"billing@{org}.example",
        "stripeCustomerId": f"cus_{sha256(org)[:14]}",
        "settings": {"timezone": "Europe/Berlin", "sso": plan == "enterprise", "theme": "light"},
        "limits": {metric: limit for metric, limit in METRICS},
        "createdAt": CREATED_AT,
    }


def organisation_slug(org):
    slug = f"{org}-app"
    return {
        "PK": f"SLUG#{slug}",
        "SK": f"SLUG#{slug}",
        "slug": slug,
        "orgId": org,
        "createdAt": CREATED_AT,
    }


def user(number):
    first = FIRST_NAMES[number % 8]
    last = LAST_NAMES[number // 8 % 8]
    user_id = user_id_of(number)
    return {
        "PK": f"USER#{user_id}",
        "SK": f"USER#{user_id}",
        "userId": user_id,
        "email": f"{first}.{last}@mail.example".lower(),
        "firstName": first,
        "lastName": last,
        "avatarUrl": f"https://cdn.example/avatars/{user_id}.png",
        "defaultOrgId": ORGANISATIONS[0][0],
        "createdAt": CREATED_AT,
        "lastLoginAt": f"2026-10-{number % 28 + 1:02d}T08:30:00Z",
    }


def memberships(org, count):
    """The first `count` users are members of an organisation, so user 0 is in all of them."""
    for number in range(count):
        user_id = user_id_of(number)
        yield {
            "PK": f"ORG#{org}",
            "SK": f"MEMBER#{user_id}",
            "GSI1PK": f"USER#{user_id}",
            "GSI1SK": f"ORG#{org}",
            "orgId": org,
            "userId": user_id,
            "role": ROLES[number % 5],
            "invitedBy": user_id_of(0),
            "invitedAt": CREATED_AT,
            "acceptedAt": f"2026-08-{number % 28 + 1:02d}T10:00:00Z",
        }


def teams(org, members):
    for number, name in enumerate(TEAM_NAMES):
        yield {
            "PK": f"ORG#{org}",
            "SK": f"TEAM#{org}-{name}",
            "orgId": org,
            "teamId": f"{org}-{name}",
            "name": name.capitalize(),
            "description": f"The {name} team of {org}",
            "memberIds": {user_id_of(m) for m in range(members) if m % 3 == number},
            "createdAt": CREATED_AT,
        }


def projects(org, count):
    """Every fourth project belongs to no team and is therefore not in GSI2."""
    for number in range(count):
        project_id = f"{org}-p{number:03d}"
        item = {
            "PK": f"ORG#{org}",
            "SK": f"PROJECT#{project_id}",
            "orgId": org,
            "projectId": project_id,
            "name": f"Project {number}",
            "description": f"What {org} does on project {number}",
            "status": "archived" if number % 7 == 6 else "active",
            "visibility": "private" if number % 2 else "organisation",
            "createdBy": user_id_of(number % 3),
            "createdAt": CREATED_AT,
        }
        if number % 4 != 3:
            item["teamId"] = f"{org}-{TEAM_NAMES[number % 4]}"
            item["GSI2PK"] = f"TEAM#{item['teamId']}"
            item["GSI2SK"] = f"PROJECT#{project_id}"
        yield item


def api_keys(org):
    for number in range(3):
        hashed = sha256(api_key_of(org, number))
        yield {
            "PK": f"ORG#{org}",
            "SK": f"APIKEY#{org}-k{number}",
            "GSI3PK": f"APIKEY#{hashed}",
            "GSI3SK": f"APIKEY#{hashed}",
            "orgId": org,
            "keyId": f"{org}-k{number}",
            "hashedKey": hashed,
            "name": ["production", "staging", "ci"][number],
            "projectId": f"{org}-p000",
            "permissions": {"projects:read", "usage:write"} if number else {"projects:read"},
            "createdBy": user_id_of(0),
            "lastUsedAt": "2026-10-28T12:00:00Z",
            "expiresAt": "2027-08-01T00:00:00Z",
            "createdAt": CREATED_AT,
        }


def usage_records(org):
    for month_number, month in enumerate(MONTHS):
        for metric, limit in METRICS:
            yield {
                "PK": f"ORG#{org}",
                "SK": f"USAGE#{month}#{metric}",
                "orgId": org,
                "yearMonth": month,
                "metric": metric,
                "value": limit * (month_number + 1) // 10,
                "limit": limit,
                "lastUpdatedAt": f"{month}-28T00:00:00Z",
            }


def invitations(org):
    for number in range(2):
        email = f"guest{number}@{org}.example"
        token = invitation_token_of(org, number)
        yield {
            "PK": f"ORG#{org}",
            "SK": f"INVITE#{email}",
            "GSI4PK": f"INVITE#{token}",
            "GSI4SK": f"INVITE#{token}",
            "orgId": org,
            "email": email,
            "token": token,
            "role": "member",
            "invitedBy": user_id_of(0),
            "createdAt": CREATED_AT,
            "ttl": INVITATION_EXPIRES,
        }


def owned_items(org, members, project_count):
    """What stands under ORG#<org> beside the organisation itself."""
    yield from memberships(org, members)
    yield from teams(org, members)
    yield from projects(org, project_count)
    yield from api_keys(org)
    yield from usage_records(org)
    yield from invitations(org)


def user_id_of(number):
    return f"u{number:03d}"


def api_key_of(org, number):
    return f"sk_live_{org}_{number}"


def invitation_token_of(org, number):
    return sha256(f"invitation {number} of {org}")[:32]


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


# ---- Loading ----


def create(dynamodb, table_name):
    return create_table(
        dynamodb,
        TableName=table_name,
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in KEYS],
        KeySchema=key_schema("PK", "SK"),
        GlobalSecondaryIndexes=[
            {
                "IndexName": index,
                "KeySchema": key_schema(f"{index}PK", f"{index}SK"),
                "Projection": {"ProjectionType": "ALL"},
            }
            for index in INDEXES
        ],
    )


def key_schema(partition_key, sort_key):
    return [
        {"AttributeName": partition_key, "KeyType": "HASH"},
        {"AttributeName": sort_key, "KeyType": "RANGE"},
    ]


def load(table):
    """Writes all items; returns how many."""
    client = table.meta.client
    for org, name, plan, _, _ in ORGANISATIONS:
        found_organisation(client, table.name, organisation(org, name, plan))
    items = [user(number) for number in range(max(org[3] for org in ORGANISATIONS))]
    for org, _, _, members, project_count in ORGANISATIONS:
        items += owned_items(org, members, project_count)
    with table.batch_writer() as batch:
        for item in items:
            batch.put_item(Item=item)
    written = len(items) + 2 * len(ORGANISATIONS)
    print(f"Loaded {written} items of {len(ORGANISATIONS)} organisations")
    return written


def found_organisation(client, table_name, item):
    """An organisation and its slug appear together, and only if nobody else has the slug."""
    client.transact_write_items(
        TransactItems=[
            {
                "Put": {
                    "TableName": table_name,
                    "Item": organisation_slug(item["orgId"]),
                    "ConditionExpression": "attribute_not_exists(PK) OR orgId = :org",
                    "ExpressionAttributeValues": {":org": item["orgId"]},
                }
            },
            {"Put": {"TableName": table_name, "Item": item}},
        ]
    )


# ---- Access patterns ----


def get_members(walk, table, org="acme", expected=40):
    response = read_all(
        table.query,
        KeyConditionExpression=Key("PK").eq(f"ORG#{org}") & Key("SK").begins_with("MEMBER#"),
    )
    walk.pattern(
        f"Members of {org}",
        response,
        (f"{item['userId']} {item['role']}" for item in response["Items"]),
    )
    walk.expect("members", response["Items"], list(memberships(org, expected)))


def get_organisation(walk, table, org="globex"):
    response = table.get_item(
        Key={"PK": f"ORG#{org}", "SK": f"ORG#{org}"}, ReturnConsumedCapacity="TOTAL"
    )
    item = response.get("Item", {})
    walk.pattern(
        f"The organisation {org}",
        response,
        [f"{item.get('name')}, plan {item.get('plan')}, settings {item.get('settings')}"],
    )
    walk.expect("organisation", item, organisation(org, "Globex Energy", "team"))


def get_everything(walk, table):
    org, name, plan, members, project_count = ORGANISATIONS[2]
    response = read_all(table.query, KeyConditionExpression=Key("PK").eq(f"ORG#{org}"))
    expected = [organisation(org, name, plan), *owned_items(org, members, project_count)]
    kinds = [item["SK"].split("#")[0] for item in response["Items"]]
    walk.pattern(
        f"Everything that {org} has",
        response,
        (f"{kinds.count(kind):3d} {kind}" for kind in sorted(set(kinds))),
    )
    walk.expect("items", response["Items"], sorted(expected, key=lambda item: item["SK"]))


def get_organisations_of_user(walk, table, number=10):
    user_id = user_id_of(number)
    response = read_all(
        table.query, IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq(f"USER#{user_id}")
    )
    walk.pattern(
        f"Organisations of user {user_id}",
        response,
        (f"{item['orgId']} as {item['role']}" for item in response["Items"]),
    )
    expected = sorted(org for org, _, _, members, _ in ORGANISATIONS if number < members)
    walk.expect("organisations", [item["orgId"] for item in response["Items"]], expected)


def get_projects_of_team(walk, table, org="acme", team="growth", count=36):
    response = read_all(
        table.query, IndexName="GSI2", KeyConditionExpression=Key("GSI2PK").eq(f"TEAM#{org}-{team}")
    )
    walk.pattern(
        f"Projects of the team {org}-{team}",
        response,
        (f"{item['projectId']} {item['status']}" for item in response["Items"]),
    )
    expected = [item for item in projects(org, count) if item.get("teamId") == f"{org}-{team}"]
    walk.expect("projects", response["Items"], expected)


def check_sparse_index(walk, table):
    """GSI2 holds only what has its keys."""
    response = read_all(table.scan, IndexName="GSI2", ProjectionExpression="projectId, teamId")
    with_team = sum("teamId" in item for org in ORGANISATIONS for item in projects(org[0], org[4]))
    total = sum(org[4] for org in ORGANISATIONS)
    walk.pattern(
        "The team index is sparse",
        response,
        [f"{response['Count']} of {total} projects have a team"],
    )
    walk.expect("rows of GSI2", response["Count"], with_team)


def authenticate_api_key(walk, table, org="initech", number=1):
    key = api_key_of(org, number)
    response = read_all(
        table.query,
        IndexName="GSI3",
        KeyConditionExpression=Key("GSI3PK").eq(f"APIKEY#{sha256(key)}"),
    )
    walk.pattern(
        f"Authenticate the API key {key[:12]}...",
        response,
        (
            f"{item['orgId']}: {item['name']}, may {', '.join(sorted(item['permissions']))}"
            for item in response["Items"]
        ),
    )
    walk.expect("API key", response["Items"], list(api_keys(org))[number : number + 1])
    unknown = read_all(
        table.query,
        IndexName="GSI3",
        KeyConditionExpression=Key("GSI3PK").eq(f"APIKEY#{sha256('sk_live_guess')}"),
    )
    walk.expect("an unknown key", unknown["Items"], [])


def accept_invitation(walk, table, org="hooli"):
    token = invitation_token_of(org, 0)
    response = read_all(
        table.query, IndexName="GSI4", KeyConditionExpression=Key("GSI4PK").eq(f"INVITE#{token}")
    )
    walk.pattern(
        f"The invitation with token {token[:8]}...",
        response,
        (f"{item['email']} to {item['orgId']} as {item['role']}" for item in response["Items"]),
    )
    walk.expect("invitation", response["Items"], list(invitations(org))[:1])


def track_usage(walk, table, org="acme", month="2026-10", metric="api_calls", by=250):
    """The counter moves only if the organisation exists: both happen, or neither."""
    key = {"PK": f"ORG#{org}", "SK": f"USAGE#{month}#{metric}"}
    before = table.get_item(Key=key, ConsistentRead=True)["Item"]["value"]
    response = increment_usage(table, org, key, by)
    after = table.get_item(Key=key, ConsistentRead=True)["Item"]["value"]
    walk.pattern(f"Count {by} {metric} of {org}", response, [f"{before} -> {after}"])
    walk.expect("counter", after, before + by)

    orphan = {"PK": "ORG#nobody", "SK": key["SK"]}
    try:
        increment_usage(table, "nobody", orphan, by)
        reasons = "no error"
    except ClientError as error:
        reasons = [reason["Code"] for reason in error.response.get("CancellationReasons", [])]
    walk.expect("an unknown organisation", reasons, ["ConditionalCheckFailed", "None"])
    walk.expect("no counter left behind", table.get_item(Key=orphan).get("Item"), None)


def increment_usage(table, org, key, by):
    return table.meta.client.transact_write_items(
        TransactItems=[
            {
                "ConditionCheck": {
                    "TableName": table.name,
                    "Key": {"PK": f"ORG#{org}", "SK": f"ORG#{org}"},
                    "ConditionExpression": "attribute_exists(PK)",
                }
            },
            {
                "Update": {
                    "TableName": table.name,
                    "Key": key,
                    "UpdateExpression": "ADD #value :by SET lastUpdatedAt = :now",
                    "ExpressionAttributeNames": {"#value": "value"},
                    "ExpressionAttributeValues": {":by": by, ":now": "2026-10-29T07:00:00Z"},
                }
            },
        ],
        ReturnConsumedCapacity="TOTAL",
    )


def check_slug(walk, table):
    for slug, expected in (("acme-app", ["acme"]), ("umbrella-app", [])):
        response = read_all(table.query, KeyConditionExpression=Key("PK").eq(f"SLUG#{slug}"))
        owners = [item["orgId"] for item in response["Items"]]
        answer = f"taken by {owners[0]}" if owners else "yes"
        walk.pattern(f"Is the slug {slug} free?", response, [answer])
        walk.expect("owners", owners, expected)


def refuse_taken_slug(walk, table):
    """A slug that is taken stays with its owner."""
    wanted = organisation_slug("acme")
    try:
        table.put_item(
            Item={**wanted, "orgId": "rival"},
            ConditionExpression="attribute_not_exists(PK)",
        )
        outcome = "taken twice"
    except table.meta.client.exceptions.ConditionalCheckFailedException as error:
        outcome = error.response["Error"]["Message"]
    walk.pattern(f"Take the slug {wanted['slug']} again", {}, [outcome])
    walk.expect("outcome", outcome, "The conditional request failed")


def get_user(walk, table, number=17):
    user_id = user_id_of(number)
    response = table.get_item(
        Key={"PK": f"USER#{user_id}", "SK": f"USER#{user_id}"}, ReturnConsumedCapacity="TOTAL"
    )
    item = response.get("Item", {})
    walk.pattern(
        f"The profile of {user_id}",
        response,
        [f"{item.get('firstName')} {item.get('lastName')} <{item.get('email')}>"],
    )
    walk.expect("profile", item, user(number))


PATTERNS = [
    get_members,
    get_organisation,
    get_everything,
    get_organisations_of_user,
    get_projects_of_team,
    check_sparse_index,
    authenticate_api_key,
    accept_invitation,
    track_usage,
    check_slug,
    refuse_taken_slug,
    get_user,
]


def main():
    parser = arguments("The SaaS model: nine entities, ten access patterns.", table="app")
    parser.add_argument("--load-only", action="store_true", help="create and load, nothing else")
    options = parser.parse_args()
    table = create(connect(options.endpoint), options.table)
    load(table)
    if options.load_only:
        return
    walk = Walkthrough()
    for pattern in PATTERNS:
        pattern(walk, table)
    walk.finish()


if __name__ == "__main__":
    main()
