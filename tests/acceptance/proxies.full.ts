/** Behind a proxy that is not trusted, all callers share one address. The server warns of that in its log and on the operator's page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useServer } from "../fixtures/server.ts";

// The share of requests by address belongs to the whole server, and so does its operator.
const shared = useServer();

const PASSWORD = "correct horse battery";
const REQUESTS = 1_000;

interface Check {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
}

/** Signs in the owner, who is the operator. Returns the session's cookie. */
async function operator(): Promise<string> {
  const { server, home } = shared;
  const [, token = ""] = String(home.owner.setup_url).split("#");
  const json = { token, name: "Ada", password: PASSWORD };
  const done = await server.call("POST", "/api/setup", { headers: { origin: server.origin }, json });
  assert.ok(done.status < 300, done.text);
  const line =
    done.headers.getSetCookie().find((each) => each.startsWith("__Host-mooring=")) ?? assert.fail("no cookie");
  return line.split(";")[0] ?? "";
}

async function checkOf(cookie: string): Promise<Check> {
  const { status, body, text } = await shared.server.call<{ checks: Check[] }>("GET", "/api/instance", {
    headers: { cookie },
  });
  assert.equal(status, 200, text);
  return body.checks.find(({ name }) => name === "proxies") ?? assert.fail(text);
}

/** Sends requests as an untrusted proxy does: for other callers each time. */
async function forward(times: number): Promise<void> {
  for (let sent = 0; sent < times; sent += 50) {
    const batch = Array.from({ length: 50 }, (_, i) => {
      const headers = { "x-forwarded-for": `192.0.2.${(sent + i) % 250}` };
      return fetch(`${shared.server.origin}/health`, { headers }).then((answer) => answer.arrayBuffer());
    });
    await Promise.all(batch);
  }
}

test("if most requests come from one address that is not a trusted proxy, the log and the page Instance warn of it", async () => {
  const cookie = await operator();
  assert.equal((await checkOf(cookie)).state, "ok");
  await forward(REQUESTS);
  const check = await checkOf(cookie);
  assert.equal(check.state, "warning", check.detail);
  assert.match(
    check.detail,
    /^\d+ % of the last 1000 requests came from 127\.0\.0\.1, which is not a trusted proxy but sends header fields of a proxy/,
  );
  assert.match(check.detail, /trusted_proxies/);
  const lines = shared.server.stderr().split("\n");
  const warned = lines.filter((line) =>
    line.includes("most requests come from one address that is not a trusted proxy"),
  );
  assert.equal(warned.length, 1, "once");
  assert.match(warned[0] ?? "", /127\.0\.0\.1/);
});
