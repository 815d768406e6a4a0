/**
 * `offset` has no upper bound (reference, "Query parameters of GET /v1/files"): a page after the last item is empty, on
 * every list with an offset.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as contract from "@mooring/contract";
import { useSharedServer } from "../fixtures/server.ts";

const LISTS = Object.entries(contract)
  .filter(([name]) => name.endsWith("_ROUTES"))
  .flatMap(([, rows]) => Object.values(rows as Readonly<Record<string, contract.Route>>))
  .filter(({ query }) => query !== undefined && "offset" in query.properties);

const BEYOND = [
  "1000000",
  "9007199254740990",
  "9007199254740991",
  "9007199254740992",
  "9223372036854775807",
  "9223372036854775808",
  "99999999999999999999",
  "9".repeat(400),
];

const shared = useSharedServer(async ({ server, token }) => {
  for (const content_type of ["text/plain", "text/plain"]) {
    const grant = await server.call<{ data: { upload_url: string } }>("POST", "/v1/upload", {
      token,
      json: { filename: "a", content_type },
    });
    const put = await fetch(grant.body.data.upload_url, {
      method: "PUT",
      headers: { "content-type": content_type },
      body: "a",
    });
    assert.equal(put.status, 200);
  }
});

test("the lists with an offset are known", () => {
  assert.ok(LISTS.some(({ operationId }) => operationId === "listFiles"));
});

for (const { operationId, path } of LISTS) {
  test(`${operationId}: a page far after the last item is empty`, async () => {
    const { server, token } = shared;
    const files = await server.call<{ data: { files: { id: string }[] } }>("GET", "/v1/files", { token });
    const url = path.replace("{file_id}", files.body.data.files[0]?.id ?? "");
    for (const offset of BEYOND) {
      const answer = await server.call<{ data: { files: unknown[] } }>("GET", `${url}?offset=${offset}`, { token });
      assert.equal(answer.status, 200, `${offset}: ${answer.text}`);
      assert.deepEqual(answer.body.data.files, [], offset);
    }
    for (const offset of ["-1", "1.5", "1e3", "x", "-99999999999999999999"])
      assert.equal((await server.call("GET", `${url}?offset=${offset}`, { token })).status, 400, offset);
  });
}
