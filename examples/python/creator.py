"""A video tool for creators. Every page asks for one creator's things of one kind, so one table
without any index serves all of it:

    CREATOR#<id>   METADATA                  the creator
                   ANALYTICS#DAILY#<date>    a day's figures
                   ASSET#<video>             an uploaded video
                   ASSET#<video>#CHAPTERS    its chapters
                   CLIP#<clip>               a clip cut from it: there can be 50,000
                   LIVE_CHAT_SPIKE#<time>    a moment when the chat went wild
                   PLATFORM_TOKEN#<name>     an OAuth token
                   STREAM#<stream>           a live stream
    MAGIC#<token>  VERIFY                    a link in a mail; the TTL attribute ends it

The program creates the table, loads the same data on every run, shows the pages of a creator and
checks what comes back. Loading twice is harmless.
"""

import hashlib
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

from boto3.dynamodb.conditions import Attr, Key
from walkthrough import Walkthrough, arguments, connect, consumed, create_table, read_all

CREATORS = [("u1", "Mira Films"), ("u2", "Oskar Plays")]
LOADERS = 4
PAGE_SIZE = 1000
FIRST_DAY = date(2026, 7, 1)
DAYS = 90
ASSETS = 40
STREAMS = 25
SPIKES = 60
PLATFORMS = ["instagram", "tiktok", "twitch", "youtube"]
LINK_VALID_SECONDS = 15 * 60


# ---- The data: each function yields the items of one entity ----


def creator(user_id, name):
    return {
        "PK": f"CREATOR#{user_id}",
        "SK": "METADATA",
        "userId": user_id,
        "name": name,
        "email": f"{user_id}@creators.example",
        "plan": "pro",
    }


def assets(user_id):
    for number in range(ASSETS):
        yield {
            "PK": f"CREATOR#{user_id}",
            "SK": f"ASSET#v{number:04d}",
            "title": f"Episode {number}",
            "durationSeconds": 600 + 7 * number,
            "tags": {"episode", "season-1" if number < 20 else "season-2"},
        }


def chapters(user_id):
    """Every second video has chapters."""
    for number in range(0, ASSETS, 2):
        yield {
            "PK": f"CREATOR#{user_id}",
            "SK": f"ASSET#v{number:04d}#CHAPTERS",
            "chapters": [{"at": 0, "title": "Intro"}, {"at": 90, "title": f"Part {number}"}],
        }


def clip(user_id, number):
    return {
        "PK": f"CREATOR#{user_id}",
        "SK": f"CLIP#{number:06d}",
        "videoId": f"v{number % ASSETS:04d}",
        "title": f"Clip {number}: the moment everybody talked about",
        "startSeconds": number * 13 % 600,
        "viralityScore": virality_score(number),
        "hashtags": ["funny", "live", f"week{number % 52}"],
    }


def virality_score(number):
    """0 to 99, spread evenly, in no order."""
    return number * 37 % 100


def streams(user_id):
    for number in range(STREAMS):
        yield {
            "PK": f"CREATOR#{user_id}",
            "SK": f"STREAM#s{number:03d}",
            "platform": PLATFORMS[number % 4],
            "viewersPeak": 1000 + number * 211 % 5000,
        }


def chat_spikes(user_id):
    for number in range(SPIKES):
        yield {
            "PK": f"CREATOR#{user_id}",
            "SK": f"LIVE_CHAT_SPIKE#{1_790_000_000 + 977 * number}",
            "messagesPerSecond": 20 + number % 17,
        }


def daily_analytics(user_id):
    for number in range(DAYS):
        day = FIRST_DAY + timedelta(days=number)
        yield {
            "PK": f"CREATOR#{user_id}",
            "SK": f"ANALYTICS#DAILY#{day}",
            "views": 1000 + 31 * number,
            "followersGained": number % 12,
        }


def platform_tokens(user_id):
    """The token itself would be sealed by the application; a digest stands for it here."""
    for platform in PLATFORMS:
        yield {
            "PK": f"CREATOR#{user_id}",
            "SK": f"PLATFORM_TOKEN#{platform}",
            "sealedToken": hashlib.sha256(f"{user_id} {platform}".encode()).digest(),
            "scopes": {"read", "publish"},
        }


def magic_link(user_id, token, expires):
    return {"PK": f"MAGIC#{token}", "SK": "VERIFY", "userId": user_id, "ttl": expires}


def owned_items(user_id, name, clip_count):
    yield creator(user_id, name)
    yield from assets(user_id)
    yield from chapters(user_id)
    yield from streams(user_id)
    yield from chat_spikes(user_id)
    yield from daily_analytics(user_id)
    yield from platform_tokens(user_id)
    for number in range(clip_count):
        yield clip(user_id, number)


# ---- Loading ----


def create(dynamodb, table_name):
    return create_table(
        dynamodb,
        TableName=table_name,
        AttributeDefinitions=[
            {"AttributeName": "PK", "AttributeType": "S"},
            {"AttributeName": "SK", "AttributeType": "S"},
        ],
        KeySchema=[
            {"AttributeName": "PK", "KeyType": "HASH"},
            {"AttributeName": "SK", "KeyType": "RANGE"},
        ],
    )


def load(options, clip_count):
    """Writes all items over a few connections. Each thread has its own: boto3's resources are
    not made to be shared."""
    items = [item for user_id, name in CREATORS[1:] for item in owned_items(user_id, name, 200)]
    items += owned_items(*CREATORS[0], clip_count)
    started = time.monotonic()
    with ThreadPoolExecutor(LOADERS) as pool:
        shares = [items[share::LOADERS] for share in range(LOADERS)]
        list(pool.map(lambda share: load_share(options, share), shares))
    seconds = time.monotonic() - started
    print(f"Loaded {len(items)} items in {seconds:.1f} s ({len(items) / seconds:,.0f} per second)")


def load_share(options, items):
    table = connect(options.endpoint).Table(options.table)
    with table.batch_writer() as batch:
        for item in items:
            batch.put_item(Item=item)


# ---- Access patterns ----


def things(user_id, prefix):
    """The key condition of a page: one creator's things of one kind."""
    return Key("PK").eq(f"CREATOR#{user_id}") & Key("SK").begins_with(prefix)


def show_clips(walk, table, clip_count):
    """All clips, a thousand per request. The last key of a page is where the next one starts."""
    request = {
        "KeyConditionExpression": things("u1", "CLIP#"),
        "Limit": PAGE_SIZE,
        "ReturnConsumedCapacity": "TOTAL",
    }
    keys, scores, pages, capacity = [], 0, [], []
    while True:
        page = table.query(**request)
        keys += [item["SK"] for item in page["Items"]]
        scores += sum(item["viralityScore"] for item in page["Items"])
        capacity.append(page["ConsumedCapacity"])
        pages.append(f"{page['Count']} clips up to {keys[-1] if keys else '-'} ({consumed(page)})")
        if "LastEvaluatedKey" not in page:
            break
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
    whole = {"ConsumedCapacity": capacity}
    walk.pattern(f"All {len(keys)} clips of u1 in pages of {PAGE_SIZE}", whole, pages)
    walk.expect("clips", len(keys), clip_count)
    walk.expect("order", keys == [f"CLIP#{number:06d}" for number in range(clip_count)], True)
    walk.expect("scores", scores, sum(virality_score(number) for number in range(clip_count)))


def show_newest_clips(walk, table, clip_count):
    response = table.query(
        KeyConditionExpression=things("u1", "CLIP#"),
        ScanIndexForward=False,
        Limit=5,
        ReturnConsumedCapacity="TOTAL",
    )
    walk.pattern(
        "The five newest clips of u1",
        response,
        (f"{item['SK']} {item['title']}" for item in response["Items"]),
    )
    newest = [clip("u1", clip_count - 1 - number) for number in range(min(5, clip_count))]
    walk.expect("clips", response["Items"], newest)


def show_viral_clips(walk, table, clip_count, above=95):
    """A filter saves traffic, not capacity: ScannedCount is what was read."""
    response = read_all(
        table.query,
        KeyConditionExpression=things("u1", "CLIP#"),
        FilterExpression=Attr("viralityScore").gt(above),
        ProjectionExpression="SK, viralityScore",
    )
    walk.pattern(
        f"Clips of u1 with a virality score above {above}",
        response,
        [
            f"{response['Count']} of {response['ScannedCount']} clips, read in "
            f"{response['Pages']} pages"
        ],
    )
    expected = [number for number in range(clip_count) if virality_score(number) > above]
    walk.expect("scanned", response["ScannedCount"], clip_count)
    walk.expect(
        "clips",
        [item["SK"] for item in response["Items"]],
        [f"CLIP#{number:06d}" for number in expected],
    )


def show_assets(walk, table):
    """Videos and their chapters come back together: the chapters' keys begin with the video's."""
    response = read_all(
        table.query,
        KeyConditionExpression=things("u1", "ASSET#"),
    )
    walk.pattern(
        "Dashboard: assets of u1",
        response,
        (f"{item['SK']} {item.get('title', '')}" for item in response["Items"]),
    )
    expected = sorted([*assets("u1"), *chapters("u1")], key=lambda item: item["SK"])
    walk.expect("assets", response["Items"], expected)


def show_analytics(walk, table, first="2026-08-01", last="2026-08-31"):
    response = read_all(
        table.query,
        KeyConditionExpression=Key("PK").eq("CREATOR#u1")
        & Key("SK").between(f"ANALYTICS#DAILY#{first}", f"ANALYTICS#DAILY#{last}"),
    )
    views = sum(item["views"] for item in response["Items"])
    walk.pattern(
        f"Dashboard: analytics of u1 from {first} to {last}",
        response,
        [f"{response['Count']} days, {views} views"],
    )
    expected = [
        item
        for item in daily_analytics("u1")
        if first <= item["SK"].removeprefix("ANALYTICS#DAILY#") <= last
    ]
    walk.expect("days", response["Items"], expected)


def show_streams(walk, table):
    response = read_all(
        table.query,
        KeyConditionExpression=things("u1", "STREAM#"),
    )
    walk.pattern(
        "Streams of u1",
        response,
        (f"{item['SK']} on {item['platform']}" for item in response["Items"]),
    )
    walk.expect("streams", response["Items"], list(streams("u1")))


def show_creator(walk, table):
    response = table.get_item(
        Key={"PK": "CREATOR#u2", "SK": "METADATA"}, ReturnConsumedCapacity="TOTAL"
    )
    item = response.get("Item", {})
    walk.pattern("The creator u2", response, [f"{item.get('name')} <{item.get('email')}>"])
    walk.expect("creator", item, creator(*CREATORS[1]))


def show_platform_tokens(walk, table):
    """Binary values and sets come back as they were written."""
    response = read_all(
        table.query,
        KeyConditionExpression=things("u2", "PLATFORM_TOKEN#"),
    )
    walk.pattern(
        "Connected platforms of u2",
        response,
        (f"{item['SK']}: {len(bytes(item['sealedToken']))} bytes" for item in response["Items"]),
    )
    walk.expect("tokens", response["Items"], list(platform_tokens("u2")))


def show_chat_spikes(walk, table):
    response = read_all(
        table.query,
        KeyConditionExpression=things("u2", "LIVE_CHAT_SPIKE#"),
    )
    walk.pattern(
        "Live chat spikes of u2",
        response,
        (f"{item['SK']}: {item['messagesPerSecond']}/s" for item in response["Items"]),
    )
    walk.expect("spikes", response["Items"], list(chat_spikes("u2")))


def verify_magic_links(walk, table):
    """A link counts only while its time has not come: items are deleted some time after their
    TTL attribute, not at that second, so whoever reads one compares the clock."""
    now = int(time.time())
    table.put_item(Item=magic_link("u1", "fresh-7f3a", now + LINK_VALID_SECONDS))
    table.put_item(Item=magic_link("u1", "stale-19c2", now - 1))
    for token, expected in (("fresh-7f3a", "u1"), ("stale-19c2", None), ("forged-0000", None)):
        response = table.get_item(
            Key={"PK": f"MAGIC#{token}", "SK": "VERIFY"},
            ConsistentRead=True,
            ReturnConsumedCapacity="TOTAL",
        )
        link = response.get("Item")
        user_id = link["userId"] if link and link["ttl"] > now else None
        answer = f"signs in {user_id}" if user_id else "refused"
        walk.pattern(f"Verify the magic link {token}", response, [answer])
        walk.expect("user", user_id, expected)


def main():
    parser = arguments("The creator model: nine kinds of items, no index.", table="creators")
    parser.add_argument(
        "--clips", type=int, default=50_000, help="how many clips u1 has (default: %(default)s)"
    )
    options = parser.parse_args()
    table = create(connect(options.endpoint), options.table)
    load(options, options.clips)

    walk = Walkthrough()
    show_clips(walk, table, options.clips)
    show_newest_clips(walk, table, options.clips)
    show_viral_clips(walk, table, options.clips)
    show_assets(walk, table)
    show_analytics(walk, table)
    show_streams(walk, table)
    show_creator(walk, table)
    show_platform_tokens(walk, table)
    show_chat_spikes(walk, table)
    verify_magic_links(walk, table)
    walk.finish()


if __name__ == "__main__":
    main()
