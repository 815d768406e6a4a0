/**
 * The security headers of every answer, good and bad: browsers run, frame, sniff and cache nothing of ours except the
 * portal's own page.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { uploaded } from "../fixtures/files.ts";
import { useSharedServer } from "../fixtures/server.ts";

const shared = useSharedServer();

type Fields = Pick<Headers, "get">;

function assertSafe(what: string, fields: Fields): void {
  const policy = fields.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'/, `${what}: ${policy}`);
  assert.ok(!/unsafe-|data:|blob:|\*/.test(policy), `${what}: ${policy}`);
  assert.ok(/frame-ancestors 'none'|sandbox/.test(policy), `${what}: ${policy}`);
  assert.equal(fields.get("x-content-type-options"), "nosniff", what);
  assert.equal(fields.get("referrer-policy"), "no-referrer", what);
  assert.equal(fields.get("x-frame-options"), "DENY", what);
  assert.equal(fields.get("access-control-allow-origin"), null, what);
}

test("every answer has them: pages, data, refusals and unknown paths", async () => {
  const { server, token } = shared;
  const authorization = { authorization: `Bearer ${token}` };
  const json = { "content-type": "application/json" };
  const asked: [string, RequestInit, number][] = [
    ["/", {}, 200],
    ["/sign-in?return_to=//evil.example", {}, 200],
    ["/portal/assets/none.js", {}, 404],
    ["/none", {}, 404],
    ["/sign-in", { method: "POST" }, 405],
    ["/health", {}, 200],
    ["/.well-known/mooring", {}, 200],
    ["/.well-known/jwks.json", {}, 200],
    ["/api/sign-in", {}, 200],
    ["/api/session", {}, 401],
    ["/api/sign-in/password", { method: "POST", headers: json, body: "{" }, 403],
    ["/api/sign-in/oidc", { redirect: "manual" }, 404],
    ["/oauth/token", { method: "POST", headers: json, body: "{}" }, 400],
    ["/v1/me", {}, 401],
    ["/v1/me", { headers: authorization }, 200],
    ["/v1/projects", { method: "POST", headers: { ...authorization, ...json }, body: "{" }, 400],
    ["/v1/projects/none", { headers: authorization }, 404],
    ["/v1/query", { method: "POST", headers: { ...authorization, ...json }, body: '{"sql":"SELECT 1"}' }, 200],
    ["/hooks/none", { method: "POST", body: "{}" }, 404],
    ["/v2/", {}, 401],
    [`/${"x".repeat(3000)}/%`, {}, 400],
  ];
  for (const [path, init, status] of asked) {
    const answer = await fetch(server.origin + path, init);
    const what = `${init.method ?? "GET"} ${path.slice(0, 40)}`;
    assert.equal(answer.status, status, `${what}: ${await answer.text()}`);
    assertSafe(what, answer.headers);
  }
});

test("answers to bytes that are not a request have them too", async () => {
  const { hostname, port } = new URL(shared.server.origin);
  const text = await new Promise<string>((resolve, reject) => {
    let came = "";
    const socket = connect(Number(port), hostname, () => socket.end("GARBAGE\r\n\r\n"));
    socket.on("data", (chunk) => (came += chunk.toString()));
    socket.once("close", () => resolve(came)).once("error", reject);
  });
  const fields = new Headers(
    [...text.matchAll(/^([\w-]+): (.*)\r$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  assert.match(text, /^HTTP\/1\.1 400 /);
  assertSafe("no request", fields);
});

test("users' content is sandboxed and downloaded, never shown as a page of ours", async () => {
  const { server, token } = shared;
  const { id } = await uploaded(
    server,
    token,
    { filename: "page.html", content_type: "text/html" },
    "<script>1</script>",
  );
  const grant = await server.call<{ data: { download_url: string } }>("GET", `/v1/files/${id}/download`, { token });
  assert.equal(grant.status, 200, grant.text);
  const url = new URL(grant.body.data.download_url);
  const answer = await fetch(server.origin + url.pathname + url.search);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-security-policy") ?? "", /sandbox/);
  assert.match(answer.headers.get("content-disposition") ?? "", /^attachment/);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
});

test("no cache stores private answers", async () => {
  const { server, token } = shared;
  for (const path of ["/v1/me", "/v1/credentials", "/v1/audit", "/v1/projects/shop", "/v1/none"]) {
    const { headers } = await server.call("GET", path, { token });
    assert.equal(headers.get("cache-control"), "no-store", path);
  }
  assert.equal((await server.call("GET", "/api/session")).headers.get("cache-control"), "no-store");
  assert.equal((await server.call("GET", "/")).headers.get("cache-control"), "no-store");
});
