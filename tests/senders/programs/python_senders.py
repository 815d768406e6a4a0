"""Sends by python-logging-loki, in both of its forms, and by the bulk helper of Elasticsearch's client."""

import logging
import os
from datetime import datetime, timezone

import logging_loki
from elasticsearch import Elasticsearch, helpers

ORIGIN = os.environ["ORIGIN"]
KEY = os.environ["KEY"]

for version in ("0", "1"):
    handler = logging_loki.LokiHandler(
        url=f"{ORIGIN}/loki/api/v1/push", tags={"app": "python-shop"}, auth=("1", KEY), version=version
    )
    handler.handleError = lambda record: os._exit(1)
    logger = logging.getLogger(f"version-{version}")
    logger.addHandler(handler)
    logger.error("by python in form %s", version)

client = Elasticsearch(f"{ORIGIN}/elasticsearch", api_key=KEY)
now = datetime.now(timezone.utc).isoformat()
documents = (
    {
        "_op_type": "create",
        "_index": "python",
        "@timestamp": now,
        "message": f"document {i}",
        "log.level": "error",
        "service.name": "client-python",
        "order": i,
    }
    for i in range(2500)
)
done, failed = helpers.bulk(client, documents)
assert (done, failed) == (2500, []), (done, failed)
