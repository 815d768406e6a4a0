import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import {
  checkRegistry,
  collectRegistry,
  commitBlob,
  CONTENT_OWNER,
  deleteBlob,
  deleteReference,
  digestOf,
  emptyRepository,
  findBlob,
  findManifest,
  imageTrash,
  OCI_INDEX,
  packManifest,
  parseManifest,
  putManifest,
  referrerRows,
  repositoryByName,
  type ContentDigest,
  type Repository,
} from "#domain/registry/index.ts";
import { auditOrigin, createApp, SYSTEM } from "#domain/organizations/index.ts";
import { usageOf } from "#domain/quotas/index.ts";
import { endDue, restoreItem, type TrashKinds, type TrashRow } from "#domain/trash/index.ts";
import { systemClock } from "#kernel/time.ts";
import { fresh } from "../organization/testing/requests.ts";
import { createWorld, type World } from "../organization/testing/world.ts";
import { registryOf, withRegistry, type RegistryParts } from "./testing/registry.ts";

const OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const DAY_MS = 86_400_000;

describe("images in the trash", () => {
  let world: World;
  let parts: RegistryParts;
  let kinds: TrashKinds;
  before(async () => {
    world = await createWorld(withRegistry({ leaseMs: 1000 }, 7));
    parts = registryOf(world);
    const images = imageTrash(parts);
    kinds = { image: images, repository: images } as Partial<TrashKinds> as TrashKinds;
  });
  after(async () => {
    const faults: string[] = [];
    await checkRegistry({
      ...parts,
      quick: false,
      found: ({ kind, detail }) => void faults.push(`${kind}: ${detail}`),
    });
    await world.close();
    assert.deepEqual(faults, [], "at the end every image is complete and every counter right");
  });

  async function repository(): Promise<Repository> {
    const deps = { metadata: world.metadata, clock: systemClock };
    const app = await createApp(deps, SYSTEM, world.acme.open, { slug: fresh("trash-images") });
    return (await repositoryByName(world.metadata.read, `orgs/acme/${app.slug}`)) as Repository;
  }

  async function blob(at: Repository): Promise<ContentDigest> {
    const content = randomBytes(40_000);
    const staged = await parts.objects.write(CONTENT_OWNER, content, { bytesMax: 1_000_000 });
    await commitBlob(parts, at, digestOf("sha256", content), staged);
    return digestOf("sha256", content);
  }

  async function put(at: Repository, document: object, tags: readonly string[] = []): Promise<ContentDigest> {
    const content = Buffer.from(JSON.stringify(document));
    const digest = digestOf("sha256", content);
    const manifest = packManifest(parseManifest(content, undefined));
    await putManifest(parts, SYSTEM, at, { content, digest, sha256: digest.hex, manifest, tags });
    return digest;
  }

  const imageOf = (config: ContentDigest, more: object = {}): object => ({
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    config: { mediaType: "application/octet-stream", digest: config.text, size: 40_000 },
    layers: [],
    ...more,
  });
  const exists = (found: Promise<unknown>): Promise<boolean> =>
    found.then(
      () => true,
      () => false,
    );
  const has = (at: Repository, reference: string): Promise<boolean> => exists(findManifest(parts, at, reference));
  const hasBlob = (at: Repository, { text }: ContentDigest): Promise<boolean> => exists(findBlob(parts, at, text));
  const remove = (at: Repository, reference: string): Promise<void> => deleteReference(parts, SYSTEM, at, reference);

  async function items(at: Repository): Promise<TrashRow[]> {
    const query = world.metadata.read.selectFrom("trash_item").selectAll().where("object_id", "=", at.id);
    return (await query.orderBy("id").execute()) as TrashRow[];
  }

  async function restore(at: Repository): Promise<void> {
    const [item] = await items(at);
    const work = { metadata: world.metadata, clock: parts.clock, kinds, jobs: { wake: async () => undefined } };
    await restoreItem(work, auditOrigin(SYSTEM), item ?? assert.fail("nothing is in the trash"));
  }

  /** Runs all collections, as after several leases. */
  async function collect(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      parts.clock.advance(5000);
      await collectRegistry(parts);
      await parts.objects.collect();
    }
  }

  test("a deleted tag keeps its manifest and its blobs, also if both are deleted meanwhile", async () => {
    const at = await repository();
    const config = await blob(at);
    const digest = await put(at, imageOf(config), ["1.0"]);
    await remove(at, "1.0");
    assert.deepEqual([await has(at, "1.0"), await has(at, digest.text)], [false, true], "as OCI says");
    await remove(at, digest.text);
    await deleteBlob(parts, at, config.text);
    await collect();
    assert.deepEqual([await has(at, digest.text), await hasBlob(at, config)], [false, false]);
    await restore(at);
    assert.equal((await findManifest(parts, at, "1.0")).digest, digest.text);
    assert.equal(await hasBlob(at, config), true);
    await collect();
    assert.equal(await hasBlob(at, config), true, "a restored image has no lease");
  });

  test("a tag that was pushed again is in the way of a restore, which names the remedy", async () => {
    const at = await repository();
    const [one, two] = [imageOf(await blob(at)), imageOf(await blob(at))];
    const first = await put(at, one, ["v"]);
    await remove(at, "v");
    await put(at, two, ["v"]);
    await assert.rejects(restore(at), { code: "conflict", message: /tag v was pushed again.*Delete this tag/ });
    assert.equal((await items(at)).length, 1, "a refused restore changes nothing");
    await put(at, one, ["v"]);
    await restore(at);
    assert.equal((await findManifest(parts, at, "v")).digest, first.text, "the same image is not in the way");
  });

  test("an index takes its parts and its signatures along, also after it was pushed again", async () => {
    const at = await repository();
    const config = await blob(at);
    const child = imageOf(config);
    const part = await put(at, child);
    const manifests = [{ mediaType: OCI_MANIFEST, digest: part.text, size: JSON.stringify(child).length }];
    const document = { schemaVersion: 2, mediaType: OCI_INDEX, manifests };
    const top = await put(at, document, ["multi", "latest"]);
    const subject = { mediaType: OCI_INDEX, digest: top.text, size: JSON.stringify(document).length };
    const signature = await put(at, imageOf(await blob(at), { subject }));
    await remove(at, top.text);
    await collect();
    for (const { text } of [top, part, signature]) assert.equal(await has(at, text), false);
    await restore(at);
    for (const reference of ["multi", "latest", part.text]) assert.equal(await has(at, reference), true);
    const page = { artifactType: undefined, after: "", limit: 9 };
    const referrers = await referrerRows(world.metadata.read, at.id, top.text, page);
    assert.deepEqual(
      referrers.map(({ digest }) => digest),
      [signature.text],
    );
  });

  test("an emptied repository comes back as a whole, beside newer images", async () => {
    const at = await repository();
    const shared = imageOf(await blob(at));
    await put(at, shared, ["a", "b"]);
    await put(at, imageOf(await blob(at)), ["c"]);
    await emptyRepository(parts, SYSTEM, at);
    assert.deepEqual([await has(at, "a"), await has(at, "c")], [false, false]);
    const later = imageOf(await blob(at));
    await put(at, later, ["d"]);
    await restore(at);
    for (const tag of ["a", "b", "c", "d"]) assert.equal(await has(at, tag), true, tag);
    assert.deepEqual(await items(at), []);
  });

  test("counts towards the quota until its time ends, and then nothing is left", async () => {
    const at = await repository();
    const bytes = async (): Promise<number> =>
      (await usageOf(world.metadata.read, "images", { org_id: at.orgId })).bytes;
    parts.clock.advance(7 * DAY_MS);
    const deps = { metadata: world.metadata, clock: parts.clock, kinds, log: { error: assert.fail } };
    const end = (): Promise<boolean> => endDue(deps, AbortSignal.timeout(60_000));
    await end(); // items of other tests
    await collect();
    const bytesBefore = await bytes();
    const config = await blob(at);
    await put(at, imageOf(config), ["gone"]);
    await emptyRepository(parts, SYSTEM, at);
    await collect();
    assert.ok((await bytes()) > bytesBefore + 40_000);
    const [item] = await items(at);
    parts.clock.advance(7 * DAY_MS);
    assert.equal(await end(), false);
    assert.deepEqual([await items(at), await bytes()], [[], bytesBefore]);
    const keeper = world.metadata.read
      .selectFrom("app")
      .select("id")
      .where("id", "=", item?.keeper_id ?? "");
    assert.equal(await keeper.executeTakeFirst(), undefined);
  });
});
