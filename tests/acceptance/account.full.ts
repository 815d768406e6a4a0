/** mooring account: a link that sets a new password, accounts with unverified addresses, and links that end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { mooring } from "../fixtures/process.ts";
import { useServer } from "../fixtures/server.ts";

const shared = useServer();
const PASSWORD = "correct horse battery";

async function account(...words: string[]) {
  const { dataDir, environment } = shared.server;
  return mooring(["account", ...words, "--data-dir", dataDir], { environment });
}

function post(path: string, json: object) {
  return shared.server.call("POST", path, { json, headers: { origin: shared.server.origin } });
}

test("reset prints a one-time link, which sets the password of an account that was created by a shown invitation", async () => {
  const { server, token } = shared;
  const email = "grace@example.com";
  const invited = await server.call("POST", "/v1/invitations", { token, json: { email, role: "viewer" } });
  const [, secret] = String(invited.body["link"]).split("#");
  const accepted = await post("/v1/invitations/accept", { token: secret, name: "Grace", password: "x".repeat(12) });
  assert.deepEqual([accepted.status, accepted.body["ended"]], [200, null], accepted.text);

  const listed = await account("list", "--unverified", "--json");
  assert.deepEqual(
    (JSON.parse(listed.stdout) as { email: string }[]).map((row) => row.email),
    [email],
  );
  const doctor = await mooring(["doctor", "--json", "--data-dir", server.dataDir], { environment: server.environment });
  const findings = JSON.parse(doctor.stdout) as { check: string; status: string; detail: string }[];
  assert.equal(findings.find(({ check }) => check === "accounts")?.status, "warn", doctor.stdout);

  const made = await account("reset", email.toUpperCase(), "--json");
  assert.equal(made.code, 0, made.stderr);
  const link = JSON.parse(made.stdout) as { reset_url: string; expires_at: string };
  assert.deepEqual(Object.keys(link), ["reset_url", "expires_at"]);
  assert.ok(link.reset_url.startsWith(`${server.origin}/reset#mrrl_`), link.reset_url);
  assert.ok(Date.parse(link.expires_at) > Date.now());
  const [, reset] = link.reset_url.split("#");
  const used = await post("/api/reset", { token: reset, password: PASSWORD });
  assert.equal(used.body["status"], "signed_in", used.text);
  assert.equal((await post("/api/reset", { token: reset, password: PASSWORD })).status, 404);
  assert.equal(JSON.parse((await account("list", "--unverified", "--json")).stdout).length, 0);
  assert.ok(!server.stderr().includes(String(reset)), "the token is in no log");
});

test("end-links ends open links; an unknown address and wrong arguments are errors", async () => {
  const { server, token } = shared;
  const json = { email: "mary@example.com", role: "viewer" };
  const invited = await server.call("POST", "/v1/invitations", { token, json });
  const ended = JSON.parse((await account("end-links", "--json")).stdout) as Record<string, number>;
  assert.equal(ended["invitations"], 1);
  const [, secret] = String(invited.body["link"]).split("#");
  const accepted = await post("/v1/invitations/accept", { token: secret, name: "Mary", password: PASSWORD });
  assert.equal(accepted.status, 404);
  const unknown = await account("reset", "nobody@example.com");
  assert.deepEqual([unknown.code, /nobody@example\.com/.test(unknown.stderr)], [1, true], unknown.stderr);
  assert.equal((await account("reset")).code, 2);
  assert.equal((await account("mend")).code, 2);
});
