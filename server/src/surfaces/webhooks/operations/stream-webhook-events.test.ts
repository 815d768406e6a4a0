import { after, before, test } from "node:test";
import { assertProblem } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { newWebhook, PATH, WITH_WEBHOOKS } from "../testing/webhooks.ts";

/** What a stream shows is tried from outside, in tests/acceptance/webhooks.test.ts. */

let world: World;
before(async () => {
  world = await createWorld(WITH_WEBHOOKS);
});
after(() => world.close());

test("is refused to whoever may not read, and for another media type", async () => {
  const path = `${PATH}/${(await newWebhook(world)).id}/stream`;
  assertProblem(await world.call("GET", path), "unauthorized");
  const blind = await world.token({ scopes: ["webhooks:write"] });
  assertProblem(await world.call("GET", path, { token: blind }), "insufficient_scope");
  const token = await world.token();
  assertProblem(await world.call("GET", path, { token, headers: { accept: "text/html" } }), "not_acceptable");
  const bad = `${path}?last_event_id=nonsense`;
  assertProblem(await world.call("GET", bad, { token }), "invalid_parameter");
  const hidden = await newWebhook(world, world.acme, world.acme.closed);
  assertProblem(await world.call("GET", `${PATH}/${hidden.id}/stream`, { token }), "not_found");
});
