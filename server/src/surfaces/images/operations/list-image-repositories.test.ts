import assert from "node:assert/strict";
import { test } from "node:test";
import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { createApp, createProject, SYSTEM } from "#domain/organizations/index.ts";
import { deps, projectPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { createWorld } from "../../organization/testing/world.ts";
import { WITH_IMAGES } from "../testing/images.ts";

const path = "/v1/registry/repositories";

testOperation(
  REGISTRY_API_ROUTES.listImageRepositories,
  {
    ask: () => ({ path }),
    hidden: (world) => projectPairs(world, (name) => ({ path: `${path}?project=${name}` })),
  },
  WITH_IMAGES,
);

test("a project's repositories alone are listed, page after page", async (t) => {
  const world = await createWorld(WITH_IMAGES);
  t.after(() => world.close());
  const token = await world.token();
  const project = await createProject(deps(world), SYSTEM, world.acme.id, { slug: "other" });
  for (const slug of ["acme-one", "acme-two"]) await createApp(deps(world), SYSTEM, project, { slug });
  const slugsOf = async (query: string): Promise<unknown[]> => {
    const slugs = [];
    let cursor: unknown = "";
    do {
      const from = cursor === "" ? "" : `&cursor=${String(cursor)}`;
      const { json } = await world.call("GET", `${path}?limit=1${query}${from}`, { token });
      slugs.push(...(json["items"] as { slug: string }[]).map(({ slug }) => slug));
      cursor = json["next_cursor"];
    } while (cursor !== null);
    return slugs;
  };
  assert.deepEqual(await slugsOf(`&project=${world.acme.open.id}`), [world.acme.openApp.slug]);
  assert.deepEqual(await slugsOf("&project=other"), ["acme-two", "acme-one"]);
  assert.deepEqual(await slugsOf(""), ["acme-two", "acme-one", world.acme.openApp.slug]);
});
