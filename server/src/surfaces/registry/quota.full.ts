import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { request as httpRequest, type ClientRequest } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { bytesLeft } from "#domain/quotas/index.ts";
import { createWorld, type Tenant, type World } from "../organization/testing/world.ts";
import { basicOf, newClient, pushed, registryOf, withRegistry } from "./testing/registry.ts";

/** The quota limits the bytes on disk at every moment, not only the count at the end. */

const MIB = 1024 * 1024;
const QUOTA = 10 * MIB;
const DEADLINE_MS = 30_000;
/** Names and records in addition to the content. */
const SLACK = 64 * 1024;

type Kind = "sized" | "chunked" | "patch" | "put";

interface Place {
  readonly tenant: Tenant;
  readonly name: string;
  readonly headers: { readonly authorization: string };
}

interface Sending {
  readonly request: ClientRequest;
  readonly content: Buffer;
  readonly at: string;
  /** The status; 0 when the connection broke. */
  readonly answered: Promise<number>;
}

describe("the quota of images", () => {
  let world: World;
  let counter = 0;
  before(async () => {
    world = await createWorld(withRegistry({ storedBytesMax: QUOTA }));
  });
  after(() => world.close());

  async function newPlace(): Promise<Place> {
    const tenant = await world.tenant(`quota-${++counter}`);
    const scopes = ["registry:pull", "registry:push", "registry:delete"] as const;
    const headers = { authorization: basicOf(await newClient(world, { tenant, scopes })) };
    return { tenant, name: `orgs/${tenant.slug}/${tenant.openApp.slug}`, headers };
  }

  const reserved = ({ tenant }: Place): number => registryOf(world).reservations.reservedBy(tenant.id);
  const left = ({ tenant }: Place): Promise<number> =>
    bytesLeft(world.metadata.read, { kind: "images", defaultMax: QUOTA }, tenant.id);

  /** Begins to send content, without its last byte. */
  async function begun(place: Place, kind: Kind, content: Buffer = randomBytes(MIB)): Promise<Sending> {
    const { name, headers } = place;
    const digest = digestOf(content);
    const upload = `/v2/${name}/blobs/uploads/`;
    const inTwo = kind === "patch" || kind === "put";
    const session = inTwo ? (await world.call("POST", upload, { headers })).headers.get("location") : null;
    const path =
      session === null ? `${upload}?digest=${digest}` : session + (kind === "put" ? `?digest=${digest}` : "");
    const request = httpRequest(new URL(path, world.origin), {
      method: { sized: "POST", chunked: "POST", patch: "PATCH", put: "PUT" }[kind],
      headers: { ...headers, ...(kind === "sized" ? { "content-length": content.length } : {}) },
    });
    const answered = new Promise<number>((resolve) => {
      request.on("response", (response) => resolve(response.resume().statusCode ?? 0)).on("error", () => resolve(0));
    });
    request.write(content.subarray(0, -1));
    return { request, content, at: path, answered };
  }

  const finish = ({ request, content }: Sending): void => void request.end(content.subarray(-1));

  async function until(what: string, isSo: () => boolean): Promise<void> {
    const deadlineMs = performance.now() + DEADLINE_MS;
    while (!isSo()) {
      assert.ok(performance.now() < deadlineMs, `never: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Returns the bytes of content on disk, staged or kept. */
  function onDisk(directory = join(registryOf(world).dataDir, "objects")): number {
    let bytes = 0;
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) bytes += onDisk(path);
      else bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    }
    return bytes;
  }

  for (const kind of ["sized", "chunked", "patch", "put"] as const) {
    test(`holds on disk for 50 pushes of 1 MiB at once: ${kind}`, async () => {
      const place = await newPlace();
      const before = onDisk();
      let most = 0;
      const watch = setInterval(() => (most = Math.max(most, onDisk() - before)), 1);
      const all = await Promise.all(Array.from({ length: 50 }, () => begun(place, kind)));
      let refused = 0;
      for (const { answered } of all) void answered.then((status) => (refused += status === 403 ? 1 : 0));
      await until("all but ten are refused", () => refused === 40);
      assert.equal(reserved(place), QUOTA);
      for (const one of all) finish(one);
      const statuses = await Promise.all(all.map(({ answered }) => answered));
      clearInterval(watch);
      assert.equal(statuses.filter((status) => status === (kind === "patch" ? 202 : 201)).length, 10);
      assert.ok(Math.max(most, onDisk() - before) <= QUOTA + SLACK, `${most} bytes were on disk`);
      assert.deepEqual([reserved(place), await left(place)], [0, 0]);
    });
  }

  test("is free again after pushes that break off, are refused or cancelled", async () => {
    const place = await newPlace();
    for (const kind of ["sized", "chunked", "patch", "put"] as const) {
      const broken = await begun(place, kind);
      await until("the push has begun", () => reserved(place) >= MIB);
      broken.request.destroy();
      await until("nothing is reserved", () => reserved(place) === 0);
    }
    // The bytes of an incomplete PATCH are kept, and count, until its upload is cancelled.
    assert.ok((await left(place)) < QUOTA);
    const patched = await begun(place, "patch");
    finish(patched);
    assert.equal(await patched.answered, 202);
    const wrong = await begun(place, "sized", randomBytes(MIB));
    wrong.request.end(Buffer.from([~(wrong.content.at(-1) ?? 0) & 0xff]));
    assert.equal(await wrong.answered, 400);
    assert.equal((await world.call("DELETE", patched.at, place)).status, 204);
    assert.equal(reserved(place), 0);
  });

  test("needs nothing for content that the repository has, which is verified but not written again", async () => {
    const place = await newPlace();
    const contents = Array.from({ length: 10 }, () => randomBytes(MIB));
    for (const content of contents) {
      const one = await begun(place, "sized", content);
      finish(one);
      assert.equal(await one.answered, 201);
    }
    assert.equal(await left(place), 0);
    const before = onDisk();
    const kinds = ["sized", "chunked", "put"] as const;
    const again = await Promise.all(contents.map((content, i) => begun(place, kinds[i % 3] ?? "sized", content)));
    assert.ok(onDisk() <= before, "nothing is staged");
    for (const one of again) finish(one);
    assert.deepEqual(new Set(await Promise.all(again.map(({ answered }) => answered))), new Set([201]));
    const wrong = await begun(place, "sized", contents[0]);
    wrong.request.end(Buffer.from([~(wrong.content.at(-1) ?? 0) & 0xff]));
    assert.equal(await wrong.answered, 400);
    const refused = await begun(place, "sized", randomBytes(10));
    assert.equal(await refused.answered, 403);
    refused.request.destroy();
  });

  test("counts concurrent manifests", async () => {
    const place = await newPlace();
    const config = { mediaType: "application/json", digest: digestOf(Buffer.from("{}")), size: 2 };
    const blob = `/v2/${place.name}/blobs/uploads/?digest=${config.digest}`;
    assert.equal((await world.call("POST", blob, { ...place, body: {} })).status, 201);
    const mediaType = "application/vnd.oci.image.manifest.v1+json";
    const document = (i: number): object => {
      const annotations = { [`filler-${i}`]: "x".repeat(3 * MIB) };
      return { schemaVersion: 2, mediaType, config, layers: [], annotations };
    };
    const all = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) => pushed(world, place, `v${i}`, document(i))),
    );
    assert.equal(all.filter(({ status }) => status === "fulfilled").length, 3);
    assert.equal(reserved(place), 0);
  });
});

function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
