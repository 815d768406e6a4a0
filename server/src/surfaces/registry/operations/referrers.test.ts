import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { pushed, seeded, withRegistry, type Seeded } from "../testing/registry.ts";

describe("referrers", () => {
  let world: World;
  let at: Seeded;
  before(async () => {
    world = await createWorld(withRegistry());
    at = await seeded(world);
  });
  after(() => world.close());

  test("are listed with their own type and annotations", async () => {
    const { name, headers, manifest } = at;
    const mediaType = "application/vnd.oci.image.manifest.v1+json";
    const { json } = await world.call("GET", `/v2/${name}/manifests/v1`, { headers });
    const size = JSON.stringify(json).length;
    const about = {
      ...json,
      artifactType: "x/sbom",
      annotations: { a: "b" },
      subject: { mediaType, digest: manifest, size },
    };
    const digest = await pushed(world, at, "sbom", about);
    const answer = await world.call("GET", `/v2/${name}/referrers/${manifest}`, { headers });
    const expected = {
      mediaType,
      digest,
      size: JSON.stringify(about).length,
      artifactType: "x/sbom",
      annotations: { a: "b" },
    };
    assert.deepEqual(answer.json["manifests"], [expected]);
  });
});
