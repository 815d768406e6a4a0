import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import { usageOf } from "#domain/quotas/index.ts";
import { createApp, SYSTEM } from "#domain/organizations/index.ts";
import { systemClock } from "#kernel/time.ts";
import { fresh } from "../organization/testing/requests.ts";
import { createWorld, type World } from "../organization/testing/world.ts";
import { registryOf, withRegistry, type RegistryParts } from "./testing/registry.ts";
import {
  CONTENT_OWNER,
  appendToUpload,
  cancelUpload,
  checkRegistry,
  collectRegistry,
  commitBlob,
  completeUpload,
  deleteBlob,
  deleteReference,
  digestOf,
  findBlob,
  findBlobToKeep,
  findManifest,
  findUpload,
  mountBlob,
  OCI_INDEX,
  packManifest,
  parseManifest,
  putManifest,
  repositoryByName,
  RunningDigests,
  type ContentDigest,
  type Repository,
  type Session,
  type Upload,
} from "#domain/registry/index.ts";

const OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const LEASE_MS = 100_000;

/** Online collection beside every step of pushes and deletions, in the orders that lose blobs in other registries. */
describe("collection of unused content", () => {
  let world: World;
  let parts: RegistryParts & { running: RunningDigests };
  before(async () => {
    world = await createWorld(withRegistry({ leaseMs: LEASE_MS, uploadLifetimeMs: 50_000 }));
    parts = { ...registryOf(world), running: new RunningDigests() };
  });
  after(async () => {
    const faults: string[] = [];
    const found = ({ kind, detail }: { kind: string; detail: string }): void => void faults.push(`${kind}: ${detail}`);
    await checkRegistry({ ...parts, quick: false, found });
    assert.deepEqual(faults, [], "at the end every image is complete and every counter right");
    await world.close();
  });

  async function repository(): Promise<Repository> {
    const deps = { metadata: world.metadata, clock: systemClock };
    const app = await createApp(deps, SYSTEM, world.acme.open, { slug: fresh("repository") });
    const found = await repositoryByName(world.metadata.read, `orgs/acme/${app.slug}`);
    return found as Repository;
  }

  async function push(at: Repository, content: Buffer = randomBytes(40_000)): Promise<ContentDigest> {
    const digest = digestOf("sha256", content);
    const staged = await parts.objects.write(CONTENT_OWNER, content, { bytesMax: 1_000_000 });
    await commitBlob(parts, at, digest, staged);
    return digest;
  }

  const describeBlob = (digest: ContentDigest, size = 40_000): object => ({
    mediaType: "application/octet-stream",
    digest: digest.text,
    size,
  });

  async function put(at: Repository, document: object, tags: readonly string[] = []): Promise<ContentDigest> {
    const content = Buffer.from(JSON.stringify(document));
    const digest = digestOf("sha256", content);
    const manifest = packManifest(parseManifest(content, undefined));
    await putManifest(parts, SYSTEM, at, { content, digest, sha256: digest.hex, manifest, tags });
    return digest;
  }

  const image = (blob: ContentDigest, more: object = {}): object => ({
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    config: describeBlob(blob),
    layers: [],
    ...more,
  });

  function index(children: readonly { digest: ContentDigest; document: object }[]): object {
    const manifests = children.map(({ digest, document }) => ({
      mediaType: OCI_MANIFEST,
      digest: digest.text,
      size: JSON.stringify(document).length,
    }));
    return { schemaVersion: 2, mediaType: OCI_INDEX, manifests };
  }

  const collect = () => collectRegistry(parts);
  const isThere = async (at: Repository, digest: ContentDigest): Promise<boolean> =>
    findBlob(parts, at, digest.text).then(
      () => true,
      () => false,
    );
  const hasManifest = async (at: Repository, reference: string): Promise<boolean> =>
    findManifest(parts, at, reference).then(
      () => true,
      () => false,
    );

  async function begun(at: Repository): Promise<Upload> {
    const { id } = { id: `upl_${randomBytes(13).toString("hex")}` };
    const session: Session = { id, beganMs: parts.clock.nowMs(), algorithm: "sha256", text: id };
    return { session, place: { repository: at.id, principal: "cred_1" }, repository: at, received: 0 };
  }

  describe("content of two organizations", () => {
    async function rivals(): Promise<Repository> {
      const deps = { metadata: world.metadata, clock: systemClock };
      const app = await createApp(deps, SYSTEM, world.rival.open, { slug: fresh("repository") });
      return (await repositoryByName(world.metadata.read, `orgs/rival/${app.slug}`)) as Repository;
    }
    const blobOf = async (at: Repository, { text }: ContentDigest): Promise<string> =>
      (await findBlob(parts, at, text)).blob_id;
    const bytesOf = async ({ orgId }: Repository): Promise<number> =>
      (await usageOf(world.metadata.read, "images", { org_id: orgId })).bytes;
    const contentOf = async (at: Repository, digest: ContentDigest): Promise<Buffer> => {
      const reader = await parts.objects.open(CONTENT_OWNER, await blobOf(at, digest));
      const chunks: Buffer[] = [];
      for await (const chunk of reader.chunks()) chunks.push(chunk);
      return Buffer.concat(chunks);
    };
    const kept = async (id: string) =>
      world.metadata.read.selectFrom("blob").select(["refs", "state"]).where("id", "=", id).executeTakeFirst();

    test("is stored once, counted for each, and stays until the last of them deletes it", async () => {
      const [ours, theirs] = [await repository(), await rivals()];
      const [before, theirsBefore] = [await bytesOf(ours), await bytesOf(theirs)];
      const content = randomBytes(40_000);
      const digest = await push(ours, content);
      const id = await blobOf(ours, digest);
      assert.equal(await isThere(theirs, digest), false, "it is absent before it is pushed there");
      await push(theirs, content);
      assert.equal(await blobOf(theirs, digest), id);
      assert.equal((await kept(id))?.refs, 2);
      assert.equal(await bytesOf(ours), before + content.length);
      assert.equal(await bytesOf(theirs), theirsBefore + content.length);
      await deleteBlob(parts, ours, digest.text);
      assert.equal(await bytesOf(ours), before);
      parts.clock.advance(2000);
      await parts.objects.collect();
      assert.ok((await contentOf(theirs, digest)).equals(content));
      await deleteBlob(parts, theirs, digest.text);
      assert.equal(await bytesOf(theirs), theirsBefore);
      parts.clock.advance(2000);
      await parts.objects.collect();
      assert.equal(await kept(id), undefined);
    });

    test("is complete for a client that pushes while another one deletes and the collector runs", async () => {
      const [ours, theirs] = [await repository(), await rivals()];
      for (let round = 0; round < 10; round++) {
        const content = randomBytes(40_000);
        const digest = await push(ours, content);
        await Promise.all([
          push(theirs, content),
          deleteBlob(parts, ours, digest.text).then(() => parts.objects.collect()),
        ]);
        parts.clock.advance(2000);
        await parts.objects.collect();
        assert.ok((await contentOf(theirs, digest)).equals(content));
      }
    });

    test("is also shared after an upload in chunks", async () => {
      const [ours, theirs] = [await repository(), await rivals()];
      const content = randomBytes(40_000);
      const digest = await push(ours, content);
      let upload = await begun(theirs);
      for (const piece of [content.subarray(0, 15_000), content.subarray(15_000)]) {
        await appendToUpload(parts, upload, await parts.objects.write(CONTENT_OWNER, piece, { bytesMax: 1_000_000 }));
        upload = { ...upload, received: upload.received + piece.length };
      }
      await completeUpload(parts, upload, digest);
      assert.equal(await blobOf(theirs, digest), await blobOf(ours, digest));
      assert.ok((await contentOf(theirs, digest)).equals(content));
    });

    test("can't be mounted by its digest", async () => {
      const [ours, theirs] = [await repository(), await rivals()];
      const digest = await push(ours);
      assert.equal(await mountBlob(parts, ours, theirs, digest), false);
      assert.equal(await isThere(theirs, digest), false);
    });
  });

  test("a blob without a manifest is deleted after its lease, and its content afterwards", async () => {
    const at = await repository();
    const digest = await push(at);
    await collect();
    assert.equal(await isThere(at, digest), true);
    parts.clock.advance(LEASE_MS + 1);
    await collect();
    assert.equal(await isThere(at, digest), false);
    parts.clock.advance(2000);
    assert.ok((await parts.objects.collect()).blobs >= 1);
  });

  test("1: a blob that HEAD found stays until its manifest", async () => {
    const at = await repository();
    const digest = await push(at);
    parts.clock.advance(LEASE_MS - 10);
    await findBlobToKeep(parts, at, digest.text);
    parts.clock.advance(LEASE_MS / 2);
    await collect();
    await put(at, image(digest), ["v1"]);
    parts.clock.advance(LEASE_MS * 3);
    await collect();
    assert.equal(await isThere(at, digest), true);
  });

  test("1, 5: HEAD, PUT and the collector at once: a client that saw the blob can use it", async () => {
    const at = await repository();
    for (let i = 0; i < 20; i++) {
      const digest = await push(at);
      parts.clock.advance(LEASE_MS + 1);
      const [found] = await Promise.allSettled([findBlobToKeep(parts, at, digest.text), collect()]);
      if (found.status === "fulfilled") await put(at, image(digest), [`v${i}`]);
      else assert.equal(await isThere(at, digest), false);
      const [pushed] = await Promise.allSettled([put(at, image(digest, { annotations: { i: "x" } })), collect()]);
      assert.equal(pushed.status === "fulfilled", await isThere(at, digest));
    }
  });

  test("2, 3: a mount is not affected by the deletion at its source or the collector, or finds nothing", async () => {
    const [source, target] = [await repository(), await repository()];
    for (let i = 0; i < 10; i++) {
      const digest = await push(source);
      const removal = i % 2 === 0 ? deleteBlob(parts, source, digest.text) : collectAfterLease();
      const [mounted] = await Promise.allSettled([mountBlob(parts, source, target, digest), removal]);
      assert.equal(mounted.status, "fulfilled");
      assert.equal(await isThere(target, digest), mounted.value);
      if (!mounted.value) continue;
      await parts.objects.collect();
      await put(target, image(digest), [`v${i}`]);
    }
    async function collectAfterLease(): Promise<void> {
      parts.clock.advance(LEASE_MS + 1);
      await collect();
    }
  });

  test("4: two uploads of one content, one of them cancelled", async () => {
    const at = await repository();
    const content = randomBytes(50_000);
    const [one, other] = [await begun(at), await begun(at)];
    for (const upload of [one, other])
      await appendToUpload(parts, upload, await parts.objects.write(CONTENT_OWNER, content, { bytesMax: 100_000 }));
    const received = content.length;
    const digest = digestOf("sha256", content);
    await Promise.all([completeUpload(parts, { ...one, received }, digest), cancelUpload(parts, other)]);
    assert.equal(await isThere(at, digest), true);
    await assert.rejects(completeUpload(parts, { ...other, received }, digest), { code: "BLOB_UPLOAD_UNKNOWN" });
    const reader = await parts.objects.open(CONTENT_OWNER, (await findBlob(parts, at, digest.text)).blob_id);
    const read: Buffer[] = [];
    for await (const chunk of reader.chunks()) read.push(chunk);
    assert.ok(Buffer.concat(read).equals(content));
  });

  test("6: a blob that is pushed again during the deletion of its content exists, with other content", async () => {
    const at = await repository();
    const content = randomBytes(60_000);
    const digest = await push(at, content);
    const before = (await findBlob(parts, at, digest.text)).blob_id;
    await deleteBlob(parts, at, digest.text);
    parts.clock.advance(10_000);
    await Promise.all([parts.objects.collect(), push(at, content)]);
    await parts.objects.collect();
    const row = await findBlob(parts, at, digest.text);
    assert.notEqual(row.blob_id, before);
    await (await parts.objects.open(CONTENT_OWNER, row.blob_id)).close();
  });

  test("7: a pull during the deletion and collection of its image gets every byte", async () => {
    const at = await repository();
    const content = randomBytes(3_000_000);
    const staged = await parts.objects.write(CONTENT_OWNER, content, { bytesMax: 10_000_000 });
    const digest = digestOf("sha256", content);
    await commitBlob(parts, at, digest, staged);
    const reader = await parts.objects.open(CONTENT_OWNER, staged.id);
    const chunks = reader.chunks();
    const read = [(await chunks.next()).value as Buffer];
    await deleteBlob(parts, at, digest.text);
    parts.clock.advance(10_000_000);
    await collect();
    await parts.objects.collect();
    for await (const chunk of chunks) read.push(chunk);
    assert.ok(Buffer.concat(read).equals(content));
  });

  test("8: the last tag is deleted while another one is pushed", async () => {
    const at = await repository();
    const digest = await put(at, image(await push(at)), ["old"]);
    const { document } = { document: (await findManifest(parts, at, "old")).digest };
    assert.equal(document, digest.text);
    const again = image(await push(at, randomBytes(40_000)));
    await Promise.all([deleteReference(parts, SYSTEM, at, "old"), put(at, again, ["new"])]);
    parts.clock.advance(LEASE_MS * 2);
    await collect();
    assert.equal(await hasManifest(at, "new"), true);
    assert.equal(await hasManifest(at, digest.text), true, "without a rule nothing untagged is deleted");
  });

  test("9: an index that is pushed while its manifest is collected has it, or is refused", async () => {
    const at = await repository();
    for (let i = 0; i < 10; i++) {
      const document = image(await push(at));
      const digest = await put(at, document);
      const first = await put(at, index([{ digest, document }]));
      await deleteReference(parts, SYSTEM, at, first.text);
      parts.clock.advance(LEASE_MS + 1);
      const later = { ...index([{ digest, document }]), annotations: { i: String(i) } };
      const [pushed] = await Promise.allSettled([put(at, later), collect()]);
      assert.equal(pushed.status === "fulfilled", await hasManifest(at, digest.text), String(i));
      if (pushed.status === "rejected") assert.equal((pushed.reason as { code: string }).code, "MANIFEST_BLOB_UNKNOWN");
    }
  });

  test("10: referrers of a deleted manifest are deleted with it, unless it is pushed again; one before its subject stays", async () => {
    const at = await repository();
    const config = randomBytes(40_000);
    const subject = image(await push(at, config));
    const content = JSON.stringify(subject);
    const about = {
      subject: { mediaType: OCI_MANIFEST, digest: digestOf("sha256", Buffer.from(content)).text, size: content.length },
    };
    const signature = await put(at, image(await push(at), about));
    parts.clock.advance(LEASE_MS * 2);
    await collect();
    assert.equal(await hasManifest(at, signature.text), true, "a referrer may be pushed before its subject");
    await push(at, config);
    const digest = await put(at, subject, ["v1"]);
    await deleteReference(parts, SYSTEM, at, digest.text);
    await put(at, subject, ["v2"]);
    parts.clock.advance(LEASE_MS * 2);
    await collect();
    assert.equal(await hasManifest(at, signature.text), true, "its subject was pushed again in time");
    await deleteReference(parts, SYSTEM, at, digest.text);
    parts.clock.advance(LEASE_MS * 2);
    await collect();
    assert.equal(await hasManifest(at, signature.text), false);
  });

  test("11: the next collection finishes one that ended anywhere", async () => {
    const at = await repository();
    const digests = await Promise.all(Array.from({ length: 5 }, () => push(at)));
    parts.clock.advance(LEASE_MS + 1);
    let calls = 0;
    const failing = {
      ...parts,
      objects: {
        unlink: async (...args: Parameters<typeof parts.objects.unlink>) => {
          if (++calls === 3) throw new Error("killed");
          return parts.objects.unlink(...args);
        },
      },
    };
    await assert.rejects(collectRegistry(failing), /killed/);
    await collect();
    for (const digest of digests) assert.equal(await isThere(at, digest), false);
    assert.equal((await collect()).blobs, 0);
  });

  test("12: an abandoned upload is deleted, a continued one stays", async () => {
    const at = await repository();
    const [old, active] = [await begun(at), await begun(at)];
    const stage = () => parts.objects.write(CONTENT_OWNER, randomBytes(40_000), { bytesMax: 100_000 });
    for (const upload of [old, active]) await appendToUpload(parts, upload, await stage());
    parts.clock.advance(40_000);
    await appendToUpload(parts, { ...active, received: 40_000 }, await stage());
    parts.clock.advance(20_000);
    assert.equal((await collect()).uploads, 1);
    await assert.rejects(findUpload(parts, at, old.place, old.session), { code: "BLOB_UPLOAD_UNKNOWN" });
    assert.equal((await findUpload(parts, at, active.place, active.session)).received, 80_000);
    await cancelUpload(parts, { ...active, received: 80_000 });
  });

  test("13: collectors whose clocks differ delete nothing that has a lease", async () => {
    const at = await repository();
    const digest = await push(at);
    const behind = { ...parts, clock: trustedClock({ nowMs: () => parts.clock.nowMs() - 1_000_000 }) };
    await Promise.all([collectRegistry(behind), collect()]);
    assert.equal(await isThere(at, digest), true);
  });

  test("15: thousands of manifests are collected in steps, and reads continue between them", async () => {
    const at = await repository();
    const blob = await push(at);
    const documents = Array.from({ length: 200 }, (_, i) => image(blob, { annotations: { i: String(i) } }));
    const children = [];
    for (const document of documents) children.push({ document, digest: await put(at, document) });
    const top = await put(at, index(children), ["v1"]);
    await deleteReference(parts, SYSTEM, at, top.text);
    parts.clock.advance(LEASE_MS + 1);
    let reads = 0;
    let running = true;
    const reading = (async () => {
      while (running) {
        await hasManifest(at, "absent");
        await turn(); // SQLite answers without an event loop turn, so other work would never run.
        reads += 1;
      }
    })();
    const { manifests } = await collect().finally(() => (running = false));
    await reading;
    assert.equal(manifests, 200);
    assert.ok(reads > 10, `${reads} reads beside it`);
  });

  test("16: counters always equal a recount", async () => {
    const places = [await repository(), await repository()];
    const contents = Array.from({ length: 4 }, () => randomBytes(33_000));
    const work = Array.from({ length: 60 }, async () => {
      const at = places[Math.floor(Math.random() * 2)] as Repository;
      const content = contents[Math.floor(Math.random() * 4)] as Buffer;
      const digest = digestOf("sha256", content);
      const kind = Math.random();
      if (kind < 0.5) await push(at, content);
      else if (kind < 0.7) await deleteBlob(parts, at, digest.text);
      else if (kind < 0.9) await put(at, { ...image(digest), config: describeBlob(digest, 33_000) }, ["t"]);
      else await deleteReference(parts, SYSTEM, at, "t");
    });
    await Promise.allSettled(work);
    parts.clock.advance(LEASE_MS * 2);
    await collect();
    const faults: string[] = [];
    await checkRegistry({ ...parts, quick: true, found: ({ detail }) => void faults.push(detail) });
    assert.deepEqual(faults, []);
    assert.equal((await usageOf(world.metadata.read, "images", { org_id: world.acme.id })).uploading, 0);
  });
});
