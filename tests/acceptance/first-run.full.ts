/** The first steps of a person: the page at the root, the set-up link that works once, and the metrics for monitoring. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer } from "../fixtures/http.ts";
import { useServer, type Client } from "../fixtures/server.ts";
import { EXAMPLES, ingested } from "../fixtures/telemetry.ts";

const shared = useServer({ settings: { metrics_listen: "127.0.0.1:0" } });

interface SetUp {
  readonly credential: Client;
}

function setUp(token: string, password = "correct horse battery"): Promise<Answer<SetUp>> {
  const headers = { "request-id": "same-id-for-all-requests", origin: shared.server.origin };
  return shared.server.call<SetUp>("POST", "/api/setup", { json: { token, name: "Ada", password }, headers });
}

test("the pages are HTML with a policy that allows no foreign script", async () => {
  for (const path of ["/", "/setup", "/invitation"]) {
    const { status, headers, text } = await shared.server.call("GET", path);
    assert.equal(status, 200, path);
    assert.match(headers.get("content-type") ?? "", /^text\/html/);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'|default-src 'self'/);
    assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval|\*/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(text, /<html lang=/);
    assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)|\son[a-z]+=|<style|\sstyle=/i, "nothing inline");
  }
});

test("a set-up link works once, returns a credential, and is then answered like an unknown link", async () => {
  const [, token = ""] = String(shared.home.owner.setup_url).split("#");
  assert.equal((await setUp(token, "short")).status, 400);
  const first = await setUp(token);
  assert.ok(first.status === 200 || first.status === 201, first.text);
  const bearer = await shared.server.token(first.body.credential);
  await ingested(shared.server, bearer, "logs", [EXAMPLES.logs]);
  const used = await setUp(token);
  const invented = await setUp(`mrst_${"0".repeat(49)}`);
  assert.ok(used.status >= 400 && used.status < 500);
  assert.equal(used.text, invented.text);
  const listing = await shared.server.call("GET", "/v1/members", { token: bearer });
  assert.equal(listing.status, 403, "the credential may do the first steps, and nothing else");
  const members = await shared.server.call<{ items: { name: string; role: string }[] }>("GET", "/v1/members", {
    token: shared.token,
  });
  assert.deepEqual(
    members.body.items.map(({ name, role }) => ({ name, role })),
    [{ name: "Ada", role: "owner" }],
  );
});

test("metrics have a separate address and Prometheus' format, and are not on the public address", async () => {
  const address = /^\s*metrics\s+(http:\S+)$/m.exec(shared.server.stdout())?.[1];
  assert.ok(address !== undefined, shared.server.stdout());
  const response = await fetch(address);
  const text = await response.text();
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^text\/plain/);
  assert.match(text, /^# TYPE \S*http\S* (histogram|counter|summary)$/m);
  assert.doesNotMatch(text, /mrcs_|mrst_|eyJ/);
  assert.equal((await shared.server.call("GET", "/metrics")).status, 404);
});
