import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertProblem } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { newEvent, newWebhook, PATH, WITH_WEBHOOKS } from "../testing/webhooks.ts";

let world: World;
before(async () => {
  world = await createWorld(WITH_WEBHOOKS);
});
after(() => world.close());

test("gives the bytes as they came, and never as a page", async () => {
  const webhook = await newWebhook(world);
  const path = `${PATH}/${webhook.id}/events/${await newEvent(world, webhook, { a: [1, "é"] })}/body`;
  const answer = await world.call("GET", path, { token: await world.token() });
  assert.equal(answer.text, '{"a":[1,"é"]}');
  assert.equal(answer.headers.get("content-type"), "application/octet-stream");
  assert.match(answer.headers.get("content-security-policy") ?? "", /sandbox/);
});

test("a large body, which is no row, comes back whole", async () => {
  const webhook = await newWebhook(world);
  const large = { text: "x".repeat(200_000) };
  const path = `${PATH}/${webhook.id}/events/${await newEvent(world, webhook, large)}`;
  const token = await world.token();
  assert.deepEqual((await world.call("GET", `${path}/body`, { token })).json, large);
  assert.deepEqual((await world.call("GET", path, { token })).json["json"], large);
});

test("is refused to whoever may not read it, in the words for what does not exist", async () => {
  const webhook = await newWebhook(world, world.acme, world.acme.closed);
  const path = `${PATH}/${webhook.id}/events/${await newEvent(world, webhook)}/body`;
  assertProblem(await world.call("GET", path), "unauthorized");
  assertProblem(await world.call("GET", path, { token: await world.token() }), "not_found");
  const inside = { projectId: world.acme.closed.id };
  const blind = await world.token({ ...inside, scopes: ["webhooks:write"] });
  assertProblem(await world.call("GET", path, { token: blind }), "insufficient_scope");
  assert.equal((await world.call("GET", path, { token: await world.token(inside) })).status, 200);
});
