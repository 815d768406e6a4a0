import assert from "node:assert/strict";
import { test } from "node:test";
import { createOperatorLink } from "#domain/accounts/index.ts";
import { setUpApp } from "../testing/authenticator-app.ts";
import { useOperator } from "../testing/operator.ts";

const operated = useOperator();
const ACTOR = { kind: "system", id: null } as const;

async function opened(userId: string, clearsSecondFactor: boolean): Promise<Record<string, unknown>> {
  const options = { clearsSecondFactor, actor: ACTOR, origin: { ip: null, requestId: null } };
  const { token } = await createOperatorLink(operated.server, { userId }, options);
  const answer = await operated.server.browser().call("POST", "/api/reset/open", { token });
  assert.equal(answer.headers.get("cache-control"), "no-store");
  return answer.json;
}

test("says whose account a link is for and what using it ends, and changes nothing", async () => {
  const { server, ada } = operated;
  const grace = await server.join(ada, "viewer");
  assert.deepEqual(await opened(grace.id, false), { email: grace.email, first_proof: true, second_factor: "none" });
  assert.deepEqual(await opened(ada.id, true), { email: ada.email, first_proof: false, second_factor: "none" });
  await setUpApp(server, await server.signedIn(ada));
  assert.equal((await opened(ada.id, false))["second_factor"], "required");
  assert.equal((await opened(ada.id, true))["second_factor"], "ends");
  assert.equal((await operated.browser.call("GET", "/api/session")).status, 200);
});

test("not_found, invalid_body, and wrong links have to wait, by address; a right one never does", async () => {
  const { server, ada } = operated;
  server.forward(20 * 60_000);
  const ask = (body: object) => server.browser().call("POST", "/api/reset/open", body);
  assert.equal((await ask({ token: "x" })).json["code"], "not_found");
  assert.equal((await ask({})).json["code"], "invalid_body");
  for (let n = 0; n < 40; n++) await ask({ token: "x" });
  const refused = await ask({ token: "x" });
  assert.equal(refused.json["code"], "rate_limited");
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  for (let n = 0; n < 40; n++) assert.equal((await opened(ada.id, false))["email"], ada.email);
});
