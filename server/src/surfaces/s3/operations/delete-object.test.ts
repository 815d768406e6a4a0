import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

test("deletes what is there and what is not", async () => {
  const { gateway, bucket } = shared;
  succeeded(await gateway.call("PUT", `/${bucket}/a`, { body: "a" }));
  for (let i = 0; i < 2; i++) succeeded(await gateway.call("DELETE", `/${bucket}/a`), 204);
  refused(await gateway.call("HEAD", `/${bucket}/a`), "404");
});

test("deletes only on condition", async () => {
  const { gateway, bucket } = shared;
  const { etag = "" } = succeeded(await gateway.call("PUT", `/${bucket}/b`, { body: "b" })).headers;
  const remove = (headers: Record<string, string>) => gateway.call("DELETE", `/${bucket}/b`, { headers });
  for (const headers of [
    { "if-match": '"x"' },
    { "x-amz-if-match-size": "7" },
    { "x-amz-if-match-last-modified-time": "Mon, 01 Jan 2001 00:00:00 GMT" },
  ] as Record<string, string>[])
    refused(await remove(headers), "PreconditionFailed", 412);
  assert.equal((await gateway.call("GET", `/${bucket}/b`)).text, "b");
  succeeded(await remove({ "if-match": etag, "x-amz-if-match-size": "1" }), 204);
});

test("marks what never was as deleted where there are versions, but for a condition", async () => {
  const { gateway, bucket } = shared;
  const versioned = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
  succeeded(await gateway.call("PUT", `/${bucket}?versioning`, { body: versioned }));
  const marked = succeeded(await gateway.call("DELETE", `/${bucket}/never`), 204);
  assert.equal(marked.headers["x-amz-delete-marker"], "true");
  const conditional = { headers: { "x-amz-if-match-size": "7" } };
  const unmarked = succeeded(await gateway.call("DELETE", `/${bucket}/nor`, conditional), 204);
  assert.equal(unmarked.headers["x-amz-delete-marker"], undefined);
});
