import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { request as httpRequest, type ClientRequest } from "node:http";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { usageOf } from "#domain/quotas/index.ts";
import { createWorld, type Tenant, type World } from "../organization/testing/world.ts";
import { ask, contentPath, filesOf, newGrant, withFiles } from "./testing/files.ts";

/** The quota limits the bytes on disk at every moment, not only the count at the end. */

const MIB = 1024 * 1024;
const QUOTA = 10 * MIB;
const DEADLINE_MS = 30_000;
/** The interval of disk checks. Blocked uploads wait until all have arrived that far. */
const LOOK_MS = 20;
/** Names and records in addition to the content. */
const SLACK = 64 * 1024;

interface Sending {
  readonly request: ClientRequest;
  readonly rest: Uint8Array;
  /** The status; 0 when the connection broke. */
  readonly answered: Promise<number>;
}

describe("the quota of files", () => {
  let world: World;
  let tenant: Tenant;
  let token: string;
  let counter = 0;
  before(async () => {
    world = await createWorld(withFiles({ storedBytesMax: QUOTA }, 2 * DEADLINE_MS));
  });
  after(() => world.close());
  beforeEach(async () => {
    tenant = await world.tenant(`quota-${++counter}`);
    token = await world.token({ tenant });
  });

  const reserved = (): number => filesOf(world).reservations.reservedBy(tenant.id);
  const usage = () => usageOf(world.metadata.read, "files", { org_id: tenant.id });
  const urlOf = async (body: Record<string, unknown> = {}): Promise<string> =>
    contentPath((await newGrant(world, body, token)).upload_url);

  /** Begins to send 1 MiB, without the last byte. */
  function begun(method: string, path: string, headers: Readonly<Record<string, string>>): Sending {
    const content = randomBytes(MIB);
    const request = httpRequest(new URL(path, world.origin), { method, headers, agent: false });
    const answered = new Promise<number>((resolve) => {
      request.on("response", (response) => resolve(response.resume().statusCode ?? 0)).on("error", () => resolve(0));
    });
    request.write(content.subarray(0, -1));
    return { request, rest: content.subarray(-1), answered };
  }

  const sized = (url: string): Sending =>
    begun("PUT", url, { "content-type": "text/plain", "content-length": String(MIB) });
  const chunked = (url: string): Sending => begun("PUT", url, { "content-type": "text/plain" });

  const tus = (): Record<string, string> => ({
    authorization: `Bearer ${token}`,
    "tus-resumable": "1.0.0",
    "content-type": "application/offset+octet-stream",
  });
  const created = (more: Record<string, string> = {}): Sending =>
    begun("POST", "/v1/uploads", {
      ...tus(),
      "upload-length": String(MIB),
      "upload-metadata": `filename ${Buffer.from("a").toString("base64")}`,
      ...more,
    });

  /** Begins 50 uploads, waits until all but ten are refused, and ends the others. Checks the disk all the time. Returns their answers. */
  async function watched(begin: (i: number) => Sending): Promise<number[]> {
    const before = onDisk();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, onDisk() - before)), LOOK_MS);
    const all = Array.from({ length: 50 }, (_, i) => begin(i));
    let refused = 0;
    for (const { answered } of all) void answered.then((status) => (refused += status === 413 ? 1 : 0));
    await until("all but ten are refused", () => refused === 40);
    await until("ten have room", () => reserved() === QUOTA);
    for (const { request, rest } of all) request.end(rest);
    const statuses = await Promise.all(all.map(({ answered }) => answered));
    clearInterval(watch);
    assert.ok(Math.max(most, onDisk() - before) <= QUOTA + SLACK, `${most} bytes were on disk`);
    assert.equal(reserved(), 0);
    return statuses.filter((status) => status !== 413);
  }

  /** Returns the bytes of content on disk, staged or kept. */
  function onDisk(directory = join(filesOf(world).dataDir, "objects")): number {
    let bytes = 0;
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      bytes += entry.isDirectory() ? onDisk(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
    }
    return bytes;
  }

  for (const [name, send] of [
    ["with a length", sized],
    ["without a length", chunked],
  ] as const)
    test(`holds on disk for 50 uploads of 1 MiB at once, to grants without a size: ${name}`, async () => {
      const urls = await Promise.all(Array.from({ length: 50 }, () => urlOf()));
      assert.deepEqual(
        await watched((i) => send(urls[i] ?? "")),
        Array.from({ length: 10 }, () => 200),
      );
      assert.deepEqual({ ...(await usage()), grants: 0 }, { ...NONE, files: 10, bytes: QUOTA });
    });

  for (const [name, body] of [
    ["with a size", { size_bytes: MIB }],
    ["without a size", {}],
  ] as const)
    test(`holds on disk for 50 uploads of 1 MiB at once to one URL, of a grant ${name}`, async () => {
      const url = await urlOf(body);
      const statuses = await watched(() => sized(url));
      const [made, used] = [200, 409].map((wanted) => statuses.filter((status) => status === wanted).length);
      assert.deepEqual([made, used], [1, 9]);
      assert.deepEqual(await usage(), { ...NONE, files: 1, bytes: MIB });
    });

  test("holds on disk for 50 resumable uploads of 1 MiB at once", async () => {
    assert.deepEqual(
      await watched(() => created()),
      Array.from({ length: 10 }, () => 201),
    );
    assert.deepEqual(await usage(), { ...NONE, files: 10, bytes: QUOTA });
  });

  test("holds on disk for 50 requests at once that continue one resumable upload", async () => {
    const { "content-type": _type, ...bare } = tus();
    const headers = { ...bare, "upload-length": String(MIB), "upload-metadata": "filename YQ==" };
    const made = await world.call("POST", "/v1/uploads", { headers });
    const path = new URL(made.headers.get("location") ?? "").pathname;
    const before = onDisk();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, onDisk() - before)), LOOK_MS);
    const length = { "upload-offset": "0", "content-length": String(MIB) };
    const all = Array.from({ length: 50 }, () => begun("PATCH", path, { ...tus(), ...length }));
    await until("one has room", () => reserved() > 0);
    for (const { request, rest } of all) request.end(rest);
    await Promise.all(all.map(({ answered }) => answered));
    clearInterval(watch);
    assert.ok(most <= QUOTA + SLACK, `${most} bytes were on disk`);
    assert.equal(reserved(), 0);
  });

  test("gives reserved bytes to their grant only", async () => {
    const promised = await Promise.all(Array.from({ length: 5 }, () => urlOf({ size_bytes: MIB })));
    const urls = await Promise.all(Array.from({ length: 50 }, () => urlOf()));
    const others = urls.map(sized);
    let refused = 0;
    for (const { answered } of others) void answered.then((status) => (refused += status === 413 ? 1 : 0));
    await until("the others use the rest", () => refused === 45);
    assert.equal(reserved(), QUOTA / 2);
    assert.equal((await ask(world, { size_bytes: 1 }, token)).json["code"], "storage_quota_exceeded");
    const kept = promised.map(sized);
    await until("all have room", () => reserved() === QUOTA);
    for (const { request, rest } of [...others, ...kept]) request.end(rest);
    const statuses = await Promise.all([...others, ...kept].map(({ answered }) => answered));
    assert.equal(statuses.filter((status) => status === 200).length, 10);
    assert.deepEqual([reserved(), (await usage()).bytes], [0, QUOTA]);
  });

  test("counts a running upload whose grant is deleted, until it ends", async () => {
    const grants = await Promise.all(Array.from({ length: 10 }, () => newGrant(world, { size_bytes: MIB }, token)));
    const all = grants.map(({ upload_url: url }) => sized(contentPath(url)));
    await until("all are running", () => reserved() === QUOTA);
    for (const { file_id: id } of grants)
      assert.equal((await world.call("DELETE", `/v1/files/${id}`, { token })).status, 204);
    assert.equal((await usage()).reserved, 0);
    assert.equal((await ask(world, { size_bytes: 1 }, token)).json["code"], "storage_quota_exceeded");
    for (const { request, rest } of all) request.end(rest);
    assert.deepEqual(
      await Promise.all(all.map(({ answered }) => answered)),
      Array.from({ length: 10 }, () => 409),
    );
    assert.equal((await ask(world, { size_bytes: QUOTA }, token)).status, 200);
  });

  test("is free again after uploads that break off or are refused", async () => {
    const [exact, open] = [await urlOf({ size_bytes: MIB }), await urlOf()];
    const checked = { "upload-checksum": `sha1 ${randomBytes(20).toString("base64")}` };
    for (const begin of [
      () => sized(exact),
      () => sized(open),
      () => chunked(open),
      () => created(),
      () => created(checked),
    ]) {
      const broken = begin();
      await until("the upload has begun", () => reserved() >= MIB);
      broken.request.destroy();
      await until("nothing is reserved", () => reserved() === 0);
    }
    const headers = { "content-type": "text/plain", "content-length": String(MIB) };
    const wrong = begun("PUT", open, { ...headers, "content-md5": randomBytes(16).toString("base64") });
    wrong.request.end(wrong.rest);
    assert.equal(await wrong.answered, 400);
    const mismatched = created(checked);
    mismatched.request.end(mismatched.rest);
    assert.equal(await mismatched.answered, 460);
    assert.equal(reserved(), 0);
    const again = sized(exact);
    again.request.end(again.rest);
    assert.equal(await again.answered, 200);
  });
});

const NONE = { files: 0, bytes: 0, grants: 0, reserved: 0, trashed_files: 0, trashed_bytes: 0 };

async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + DEADLINE_MS;
  while (!isSo()) {
    assert.ok(performance.now() < deadlineMs, `never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
