"""boto3, as applications use it."""

import http.client
import socket
import ssl
import urllib.parse

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError

from steps import LARGE_BYTES, PLACE, content_of, main, path_of, step

BUCKET = PLACE["bucket"]
MIB = 1024 * 1024
PARTS = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB)


def client(**config):
    settings = {"s3": {"addressing_style": "path"}, "retries": {"total_max_attempts": 1}, **config}
    return boto3.client("s3", endpoint_url=PLACE["url"], config=Config(**settings))


s3 = client()


def body_of(key, **options):
    return s3.get_object(Bucket=BUCKET, Key=key, **options)["Body"].read()


def refused(status, function, **options):
    try:
        function(**options)
    except ClientError as error:
        found = error.response["ResponseMetadata"]["HTTPStatusCode"]
        assert found == status, f"{found}, not {status}: {error}"
        return error.response["Error"]["Code"]
    raise AssertionError(f"not refused with {status}")


def request(url, method="GET", data=None, headers=None):
    """Sends only the given header fields, because Signature V2 covers Content-Type."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https":
        connection = http.client.HTTPSConnection(parts.netloc, context=ssl.create_default_context(cafile=PLACE["caFile"]))
    else:
        connection = http.client.HTTPConnection(parts.netloc)
    connection.request(method, f"{parts.path}?{parts.query}", data, headers or {})
    answer = connection.getresponse()
    return answer.status, answer.read()


@step("make a bucket")
def make_bucket():
    s3.create_bucket(Bucket=BUCKET)
    s3.head_bucket(Bucket=BUCKET)
    assert BUCKET in [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]


@step("put, head, get and delete an object with metadata")
def put_get():
    for size in (0, 5, 100_000):
        content = content_of(size)
        put = s3.put_object(
            Bucket=BUCKET, Key="a/object", Body=content, ContentType="text/x", CacheControl="no-cache", Metadata={"who": "me"}
        )
        head = s3.head_object(Bucket=BUCKET, Key="a/object")
        assert head["ContentLength"] == size and head["ETag"] == put["ETag"]
        assert head["ContentType"] == "text/x" and head["CacheControl"] == "no-cache" and head["Metadata"] == {"who": "me"}
        assert body_of("a/object") == content
    s3.delete_object(Bucket=BUCKET, Key="a/object")
    assert refused(404, s3.get_object, Bucket=BUCKET, Key="a/object") == "NoSuchKey"


@step("put with each checksum, and get it verified")
def checksums():
    for algorithm in ("CRC32", "SHA1", "SHA256"):
        put = s3.put_object(Bucket=BUCKET, Key=algorithm, Body=content_of(70_000), ChecksumAlgorithm=algorithm)
        got = s3.get_object(Bucket=BUCKET, Key=algorithm, ChecksumMode="ENABLED")
        assert got["Body"].read() == content_of(70_000)
        assert got["Checksum" + algorithm] == put["Checksum" + algorithm]
    wrong = {"Bucket": BUCKET, "Key": "wrong", "Body": b"hello", "ChecksumSHA256": "A" * 43 + "="}
    assert refused(400, s3.put_object, **wrong) == "BadDigest"
    refused(404, s3.head_object, Bucket=BUCKET, Key="wrong")


@step("upload and download a large file in parts")
def large():
    content = content_of(LARGE_BYTES)
    with open(path_of("large"), "wb") as file:
        file.write(content)
    s3.upload_file(path_of("large"), BUCKET, "large", Config=PARTS)
    s3.download_file(BUCKET, "large", path_of("large-again"), Config=PARTS)
    with open(path_of("large-again"), "rb") as file:
        assert file.read() == content
    assert s3.head_object(Bucket=BUCKET, Key="large")["ETag"].endswith('-4"')
    part = s3.get_object(Bucket=BUCKET, Key="large", PartNumber=4)
    assert part["PartsCount"] == 4 and part["Body"].read() == content[15 * MIB :]


@step("ranges and conditional reads")
def ranges():
    content = content_of(1000)
    etag = s3.put_object(Bucket=BUCKET, Key="ranges", Body=content)["ETag"]
    assert body_of("ranges", Range="bytes=10-19") == content[10:20]
    assert body_of("ranges", Range="bytes=990-") == content[990:]
    assert body_of("ranges", Range="bytes=-7") == content[-7:]
    assert refused(416, s3.get_object, Bucket=BUCKET, Key="ranges", Range="bytes=1000-") == "InvalidRange"
    assert body_of("ranges", IfMatch=etag) == content
    refused(304, s3.get_object, Bucket=BUCKET, Key="ranges", IfNoneMatch=etag)
    refused(412, s3.get_object, Bucket=BUCKET, Key="ranges", IfMatch='"x"')


@step("create if absent, replace if unchanged")
def conditional():
    first = s3.put_object(Bucket=BUCKET, Key="once", Body=b"1", IfNoneMatch="*")["ETag"]
    refused(412, s3.put_object, Bucket=BUCKET, Key="once", Body=b"2", IfNoneMatch="*")
    s3.put_object(Bucket=BUCKET, Key="once", Body=b"2", IfMatch=first)
    refused(412, s3.put_object, Bucket=BUCKET, Key="once", Body=b"3", IfMatch=first)
    assert body_of("once") == b"2"


@step("list in pages, with a delimiter, with every character")
def listing():
    keys = [f"list/{n:03}/{m}" for n in range(15) for m in range(3)]
    keys += ["list/ü/文件 😀", "list/a b+c&d=e", "list/<tag>&amp;", "list/%41", "list//double", "list/new\nline"]
    for key in keys:
        s3.put_object(Bucket=BUCKET, Key=key, Body=b"")
    for operation in ("list_objects_v2", "list_objects"):
        pages = s3.get_paginator(operation).paginate(Bucket=BUCKET, Prefix="list/", PaginationConfig={"PageSize": 7})
        found = [entry["Key"] for page in pages for entry in page.get("Contents", [])]
        assert found == sorted(keys, key=str.encode), found
    pages = s3.get_paginator("list_objects_v2").paginate(
        Bucket=BUCKET, Prefix="list/", Delimiter="/", PaginationConfig={"PageSize": 4}
    )
    prefixes = [entry["Prefix"] for page in pages for entry in page.get("CommonPrefixes", [])]
    assert prefixes == ["list//"] + [f"list/{n:03}/" for n in range(15)] + ["list/ü/"], prefixes
    for key in keys:
        assert body_of(key) == b""


@step("copy, with new metadata, and in parts")
def copies():
    source = {"Bucket": BUCKET, "Key": "from ü&"}
    s3.put_object(**source, Body=b"content", Metadata={"a": "1"})
    s3.copy_object(Bucket=BUCKET, Key="to", CopySource=source)
    assert s3.get_object(Bucket=BUCKET, Key="to")["Metadata"] == {"a": "1"}
    s3.copy_object(Bucket=BUCKET, Key="to", CopySource=source, MetadataDirective="REPLACE", Metadata={"b": "2"})
    assert s3.get_object(Bucket=BUCKET, Key="to")["Metadata"] == {"b": "2"} and body_of("to") == b"content"
    s3.copy({"Bucket": BUCKET, "Key": "large"}, BUCKET, "large-copy", Config=PARTS)
    assert body_of("large-copy") == content_of(LARGE_BYTES)


@step("tag an object")
def tags():
    tag_set = [{"Key": "kind", "Value": "a b"}, {"Key": "ü", "Value": ""}]
    s3.put_object(Bucket=BUCKET, Key="tagged", Body=b"", Tagging="kind=first")
    assert s3.get_object_tagging(Bucket=BUCKET, Key="tagged")["TagSet"] == [{"Key": "kind", "Value": "first"}]
    s3.put_object_tagging(Bucket=BUCKET, Key="tagged", Tagging={"TagSet": tag_set})
    assert s3.get_object_tagging(Bucket=BUCKET, Key="tagged")["TagSet"] == tag_set
    s3.delete_object_tagging(Bucket=BUCKET, Key="tagged")
    assert s3.get_object_tagging(Bucket=BUCKET, Key="tagged")["TagSet"] == []


def presigned_urls(signer):
    put = signer.generate_presigned_url("put_object", {"Bucket": BUCKET, "Key": "signed ü"}, ExpiresIn=60)
    assert request(put, "PUT", b"by a URL")[0] == 200
    get = signer.generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": "signed ü"}, ExpiresIn=60)
    assert request(get) == (200, b"by a URL")
    assert request(get.replace("signed%20", "other%20"))[0] == 403


@step("presigned URLs of Signature V4 and a POST form")
def presigned_v4():
    signer = client(signature_version="s3v4")
    presigned_urls(signer)
    form = signer.generate_presigned_post(BUCKET, "posted/${filename}", Conditions=[["content-length-range", 1, 100]], ExpiresIn=60)
    boundary = "a-boundary"
    fields = [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in form["fields"].items()]
    file = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="f.txt"\r\n\r\nby a form\r\n--{boundary}--\r\n'
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    status, _ = request(form["url"], "POST", ("".join(fields) + file).encode(), headers)
    assert status == 204 and body_of("posted/f.txt") == b"by a form"


@step("presigned URLs as it makes them by default")
def presigned_default():
    presigned_urls(client())


@step("name the bucket by the host")
def by_host():
    resolve = socket.getaddrinfo
    local = lambda host: "127.0.0.1" if str(host).endswith(".localhost") else host
    socket.getaddrinfo = lambda host, *rest, **more: resolve(local(host), *rest, **more)
    port = urllib.parse.urlsplit(PLACE["url"]).port
    url = f"{urllib.parse.urlsplit(PLACE['url']).scheme}://s3.localhost:{port}"
    virtual = boto3.client("s3", endpoint_url=url, config=Config(s3={"addressing_style": "virtual"}))
    virtual.put_object(Bucket=BUCKET, Key="host/a b", Body=b"by host")
    assert virtual.get_object(Bucket=BUCKET, Key="host/a b")["Body"].read() == b"by host" == body_of("host/a b")
    assert [entry["Key"] for entry in virtual.list_objects_v2(Bucket=BUCKET, Prefix="host/")["Contents"]] == ["host/a b"]


@step("delete many objects and the bucket")
def remove():
    while True:
        found = s3.list_objects_v2(Bucket=BUCKET, MaxKeys=50).get("Contents", [])
        if not found:
            break
        answer = s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": entry["Key"]} for entry in found]})
        assert len(answer["Deleted"]) == len(found) and "Errors" not in answer
    s3.delete_bucket(Bucket=BUCKET)
    refused(404, s3.head_bucket, Bucket=BUCKET)


main()
