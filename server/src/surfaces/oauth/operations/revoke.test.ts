import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openOauthServer, type OauthServer } from "../testing.ts";

let server: OauthServer;
let client: { id: string; clientId: string; clientSecret: string };
before(async () => {
  server = await openOauthServer();
  client = await server.client();
});
after(() => server.close());

const own = (): Record<string, string> => ({ client_id: client.clientId, client_secret: client.clientSecret });

test("a client gives its token back, and only that one is void", async () => {
  const [token, sister] = [await server.token(client), await server.token(client)];
  const answer = await server.post("/oauth/revoke", { token, token_type_hint: "refresh_token", ...own() });
  assert.deepEqual([answer.status, answer.text, answer.headers.get("cache-control")], [200, "", "no-store"]);
  await assert.rejects(server.identity.authenticator.authenticate(token), {
    code: "invalid_token",
    message: /revoked/,
  });
  await server.identity.authenticator.authenticate(sister);
  const rows = await server.ground.metadata.read
    .selectFrom("audit")
    .select(["action", "actor_id"])
    .where("action", "=", "token.revoke")
    .execute();
  assert.deepEqual(rows, [{ action: "token.revoke", actor_id: client.id }]);
});

test("what is not a token, or is none any more, is as good as revoked", async () => {
  const token = await server.token(client);
  await server.post("/oauth/revoke", { token, ...own() });
  for (const candidate of ["nonsense", token, `${token.slice(0, -4)}AAAA`]) {
    assert.equal(
      (await server.post("/oauth/revoke", { token: candidate }, { basic: `${client.clientId}:${client.clientSecret}` }))
        .status,
      200,
    );
  }
});

test("another client's token stays", async () => {
  const token = await server.token(await server.client());
  const answer = await server.post("/oauth/revoke", { token, ...own() });
  assert.deepEqual([answer.status, answer.body["error"]], [400, "invalid_request"]);
  await server.identity.authenticator.authenticate(token);
});

test("without authentication or token nothing happens", async () => {
  const token = await server.token(client);
  for (const [form, status, error] of [
    [{ token }, 401, "invalid_client"],
    [{ token, client_id: client.clientId, client_secret: "wrong" }, 401, "invalid_client"],
    [own(), 400, "invalid_request"],
  ] as const) {
    const answer = await server.post("/oauth/revoke", form);
    assert.deepEqual([answer.status, answer.body["error"]], [status, error]);
  }
  const bearer = await server.post("/oauth/revoke", { token }, { bearer: token });
  assert.equal(bearer.status, 401);
  await server.identity.authenticator.authenticate(token);
});
