"""Uses a client that was generated from the server's document: a token, telemetry, a query, a file, a list."""

import json
import os
import sys

import httpx

sys.path.insert(0, os.environ["GENERATED"])
from mooring_client import AuthenticatedClient  # noqa: E402
from mooring_client.api.files import create_upload, list_files  # noqa: E402
from mooring_client.api.query import query  # noqa: E402
from mooring_client.api.telemetry import ingest  # noqa: E402
from mooring_client.models import (  # noqa: E402
    CreateUploadBody,
    IngestJsonBody,
    IngestJsonBodyEntriesItem,
    IngestType,
    Problem,
    QueryBody,
)

ORIGIN = os.environ["ORIGIN"]
TOKEN_URL = os.environ["TOKEN_URL"]


def checked(response, status):
    """The parsed answer, when it has this status."""
    assert response.status_code == status, (response.status_code, response.content)
    assert not isinstance(response.parsed, Problem), response.content
    return response.parsed


pair = (os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])
answer = httpx.post(TOKEN_URL, auth=pair, data={"grant_type": "client_credentials"}).raise_for_status()
client = AuthenticatedClient(base_url=ORIGIN, token=answer.json()["access_token"])

entry = {"timestamp": "2026-11-20T08:00:00Z", "level": "error", "message": "from Python"}
body = IngestJsonBody(entries=[IngestJsonBodyEntriesItem.from_dict(entry)])
accepted = checked(ingest.sync_detailed(IngestType.LOGS, client=client, body=body), 202)

statement = QueryBody(sql="SELECT message FROM logs WHERE message = 'from Python'")
rows = checked(query.sync_detailed(client=client, body=statement), 200).rows

upload = CreateUploadBody(filename="a.txt", content_type="text/plain")
grant = checked(create_upload.sync_detailed(client=client, body=upload), 200).data
httpx.put(grant.upload_url, content=b"abc", headers={"content-type": "text/plain"}).raise_for_status()
files = checked(list_files.sync_detailed(client=client), 200).data.files

refused = list_files.sync_detailed(client=client, limit=1000)
assert refused.status_code == 400 and refused.parsed.code == "invalid_parameter", refused.content
anonymous = AuthenticatedClient(base_url=ORIGIN, token="none")
assert list_files.sync_detailed(client=anonymous).parsed.status == 401

print(json.dumps({"accepted": accepted.accepted, "rows": len(rows), "files": [[f.filename, f.size_bytes] for f in files]}))
