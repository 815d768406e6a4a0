/**
 * A live stream ends with the permission to read it: when the credential is revoked, the session ends, or the
 * organization requires more of its people.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import type { Answer } from "../fixtures/http.ts";
import { startServer, type Bootstrap, type Client, type Json, type Server } from "../fixtures/server.ts";

const PASSWORD = "correct horse battery";
const COOKIE = "__Host-mooring";
/** A change applies on every node within a second. A busy machine gets more time. */
const DEADLINE_MS = 20_000;

let server: Server;
let home: Bootstrap;
let token: string;
let owner: Browser;
before(async () => {
  server = await startServer({ settings: { rate_limit_per_second: 100_000, rate_limit_burst: 100_000 } });
  home = await server.bootstrap();
  token = await server.token(home.credential);
  owner = browser();
  const [, link = ""] = String(home.owner.setup_url).split("#");
  await owner.done("POST", "/api/setup", { token: link, name: "Ada", password: PASSWORD });
});
after(() => server.dispose());

/** Sends requests as the portal's pages do. */
interface Browser {
  done(method: string, path: string, json?: object): Promise<Json>;
  /** Returns a token for the server's organization. */
  token(): Promise<string>;
}

function browser(): Browser {
  let cookie = "";
  const call = async (method: string, path: string, json?: object): Promise<Answer<Json>> => {
    const headers = { origin: server.origin, cookie: `${COOKIE}=${cookie}` };
    const answer = await server.call(method, path, { headers, ...(json === undefined ? {} : { json }) });
    for (const line of answer.headers.getSetCookie())
      cookie = new RegExp(`^${COOKIE}=([^;]*)`).exec(line)?.[1] ?? cookie;
    return answer;
  };
  const done = async (method: string, path: string, json?: object): Promise<Json> => {
    const answer = await call(method, path, json);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    return answer.status === 204 ? {} : answer.body;
  };
  return {
    done,
    token: async () =>
      String((await done("POST", "/api/session/token", { organization: home.org.slug }))["access_token"]),
  };
}

async function invited(name: string): Promise<Browser> {
  const invitation = await server.call<{ link: string }>("POST", "/v1/invitations", {
    token: await owner.token(),
    json: { email: `${name}@example.org`, role: "developer" },
  });
  assert.equal(invitation.status, 201, invitation.text);
  const json = { token: invitation.body.link.split("#")[1], name, password: PASSWORD };
  const accepted = await server.call("POST", "/v1/invitations/accept", { json });
  assert.ok(accepted.status < 300, accepted.text);
  const it = browser();
  await it.done("POST", "/api/sign-in/password", { email: `${name}@example.org`, password: PASSWORD });
  return it;
}

/** Opens every live stream with a token, and reads it until it ends. */
async function streamsWith(reader: string): Promise<Readonly<Record<string, Promise<string>>>> {
  const streams: Record<string, Promise<string>> = {};
  for (const path of ["/v1/tail/logs", `/v1/webhooks/${home.webhook.id}/stream`]) {
    const headers = { authorization: `Bearer ${reader}`, accept: "text/event-stream" };
    const response = await fetch(server.origin + path, { headers, signal: AbortSignal.timeout(DEADLINE_MS) });
    assert.equal(response.status, 200, path);
    streams[path] = response.text();
  }
  return streams;
}

async function assertEnded(streams: Readonly<Record<string, Promise<string>>>, code: string): Promise<void> {
  for (const [path, text] of Object.entries(streams))
    assert.match(await text, new RegExp(`event: end\\ndata: \\{"code":"${code}"`), path);
}

test("the streams of a revoked credential", async () => {
  const scopes = ["telemetry:read", "webhooks:read"];
  const made = await server.call<Client & { id: string }>("POST", "/v1/credentials", {
    token,
    json: { name: "reader", scopes },
  });
  const streams = await streamsWith(await server.token(made.body));
  assert.equal((await server.call("DELETE", `/v1/credentials/${made.body.id}`, { token })).status, 200);
  await assertEnded(streams, "invalid_token");
});

test("the streams of an ended session", async () => {
  const person = await invited("ended");
  const streams = await streamsWith(await person.token());
  await person.done("POST", "/api/sign-out");
  await assertEnded(streams, "invalid_token");
});

test("the streams of a removed person", async () => {
  const person = await invited("gone");
  const streams = await streamsWith(await person.token());
  const members = await server.call<{ items: { user_id: string; email: string }[] }>("GET", "/v1/members", { token });
  const id = members.body.items.find(({ email }) => email === "gone@example.org")?.user_id ?? "";
  assert.equal((await server.call("DELETE", `/v1/members/${id}`, { token: await owner.token() })).status, 204);
  await assertEnded(streams, "invalid_token");
});

test("the streams of sessions without the required second factor end; those with it continue", async () => {
  const person = await invited("weak");
  const streams = await streamsWith(await person.token());
  const { secret } = await owner.done("POST", "/api/account/totp", {});
  const codes = await owner.done("POST", "/api/account/totp/confirm", { code: codeOf(String(secret)) });
  const strong = browser();
  const begun = await strong.done("POST", "/api/sign-in/password", { email: home.owner.email, password: PASSWORD });
  const [code] = codes["recovery_codes"] as string[];
  await strong.done("POST", "/api/sign-in/recovery-code", { ticket: begun["ticket"], code });
  const kept = await streamsWith(await strong.token());
  const policy = { second_factor_required: true };
  const changed = await server.call("PATCH", "/v1/organization", { token: await strong.token(), json: { policy } });
  assert.equal(changed.status, 200, changed.text);
  await assertEnded(streams, "second_factor_required");
  await strong.done("POST", "/api/sign-out");
  await assertEnded(kept, "invalid_token");
});

/** Returns the current code of an authenticator app (RFC 6238). */
function codeOf(secret: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(secret, (letter) => letters.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac("sha1", key).update(step).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
