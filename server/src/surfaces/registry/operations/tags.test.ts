import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { pushed, seeded, withRegistry, type Seeded } from "../testing/registry.ts";

describe("tags", () => {
  let world: World;
  let at: Seeded;
  before(async () => {
    world = await createWorld(withRegistry());
    at = await seeded(world);
  });
  after(() => world.close());

  test("can be listed to the end by the links", async () => {
    const { name, headers } = at;
    const { json } = await world.call("GET", `/v2/${name}/manifests/v1`, { headers });
    for (const tag of ["b", "a", "B"]) await pushed(world, at, tag, json);
    const seen: unknown[] = [];
    let path: string | undefined = `/v2/${name}/tags/list?n=1`;
    while (path !== undefined) {
      const answer = await world.call("GET", path, { headers });
      seen.push(...(answer.json["tags"] as string[]));
      path = /^<([^>]+)>/.exec(answer.headers.get("link") ?? "")?.[1];
    }
    assert.deepEqual(seen, ["B", "a", "b", "v1"]);
  });
});
