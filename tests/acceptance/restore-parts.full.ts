/** Restores of parts of a backup into a running server. The backup was taken under load. */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { backUp, restoreBackup, restoreWords } from "../fixtures/backups.ts";
import { downloadUrl, fetched, sha256, uploaded } from "../fixtures/files.ts";
import { newLedger, NUMBER_OF, startWriters } from "../fixtures/load.ts";
import { mooring } from "../fixtures/process.ts";
import { repositoryOf, type RepositoryClient } from "../fixtures/registry.ts";
import { s3EndpointOf } from "../fixtures/s3.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import { showLogs, startServer, type Bootstrap, type Client, type Server } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";
import { allEvents, newWebhook, post } from "../fixtures/webhooks.ts";

const NO_SCHEDULE = { backup_interval_hours: 0, rate_limit_per_second: 100_000, rate_limit_burst: 100_000 };
const KEYS = ["small", "large/content", "größe & more"];

describe("parts of a backup", () => {
  const directory = mkdtempSync(join(tmpdir(), "mooring-parts-"));
  const place = join(directory, "backups");
  const settings = { ...NO_SCHEDULE, backup_dir: place };
  let original: Server;
  let server: Server;
  let acme: Bootstrap;
  let beta: Bootstrap;
  let late: Bootstrap;
  let project: { readonly credential: Client; readonly file: string; readonly webhook: string; readonly url: string };
  let images: { readonly name: string; readonly digest: string };
  let file: string;
  let name: string;
  /** Digests of contents by their name. */
  const digests = new Map<string, string>();
  const beforeBackup = { logs: 0 };

  before(async () => {
    original = await startServer({ dataDir: join(directory, "data"), settings, database: "sqlite" });
    acme = await original.bootstrap({ org: "acme", project: "early", app: "early" });
    await backUp(place, original.dataDir);
    const copy = join(directory, "copy");
    await restoreBackup(place, original.dataDir, copy);
    cpSync(join(original.dataDir, "backup.key"), join(copy, "backup.key"));
    await fill();
    server = await startServer({ dataDir: copy, settings, database: "sqlite" });
  });
  showLogs(() => [original, server]);
  after(async () => {
    await original?.dispose();
    await server?.dispose();
    rmSync(directory, { recursive: true, force: true });
  });

  function content(what: string, bytes: number): Buffer {
    const made = randomBytes(bytes);
    digests.set(what, sha256(made));
    return made;
  }

  async function putObjects(home: Bootstrap, bucket: string): Promise<void> {
    const s3 = sdkClient(await s3EndpointOf(original, home));
    for (const [n, Key] of KEYS.entries())
      await s3.send(
        new PutObjectCommand({ Bucket: bucket, Key, Body: content(`${bucket} ${Key}`, 10 + n * 5_000_000) }),
      );
    s3.destroy();
  }

  /** Fills the server, and takes a backup while uploads, objects and telemetry continue. */
  async function fill(): Promise<void> {
    beta = await original.bootstrap({ org: "beta", project: "main", app: "beta-app" });
    late = await original.bootstrap({ org: "acme", project: "late", app: "late-app" });
    const [token, ofBeta] = [await original.token(late.credential), await original.token(beta.credential)];
    file = (await uploaded(original, token, { filename: "report.pdf" }, content("file", 5_000_000))).id;
    const inBeta = await uploaded(original, ofBeta, { filename: "beta.bin" }, content("beta file", 200_000));
    digests.set("beta id", inBeta.id);
    for (const [home, bucket] of [
      [acme, acme.app.slug],
      [late, late.app.slug],
      [beta, beta.app.slug],
    ] as const)
      await putObjects(home, bucket);
    const webhook = await newWebhook(original, token, { project: late.project.id });
    assert.equal((await post(webhook.url, '{"n":1}')).status, 202);
    const repository = await repositoryOf(original, late.credential, `orgs/acme/${late.app.slug}`);
    images = { name: repository.name, digest: await repository.image([randomBytes(100_000)], { tag: "1.0" }) };
    const made = await original.call<Client>("POST", "/v1/credentials", {
      token,
      json: { name: "of late", scopes: ["files:read"], project: late.project.id },
    });
    assert.equal(made.status, 201, made.text);
    const ofProject = await uploaded(original, token, { project: late.project.id }, content("late file", 100_000));
    project = { credential: made.body, file: ofProject.id, webhook: webhook.id, url: webhook.url };
    name = await underLoad(ofBeta, token);
  }

  async function underLoad(ofBeta: string, token: string): Promise<string> {
    const ledger = newLedger();
    let [n, stopped] = [0, false];
    const target = { origin: original.origin, token: ofBeta };
    const writers = startWriters(target, ledger, { writers: 3, next: () => n++, key: randomUUID });
    const s3 = sdkClient(await s3EndpointOf(original, acme));
    const uploads = (async () => {
      while (!stopped) {
        await uploaded(original, token, {}, randomBytes(50_000));
        const Key = `load/${randomUUID()}`;
        await s3.send(new PutObjectCommand({ Bucket: acme.app.slug, Key, Body: randomBytes(40_000) }));
      }
    })();
    while (ledger.acknowledged.logs.size < 500) await new Promise((resolve) => setImmediate(resolve));
    beforeBackup.logs = ledger.acknowledged.logs.size;
    const made = await backUp(place, original.dataDir);
    stopped = true;
    writers.stop();
    await Promise.all([writers.ended, uploads]);
    s3.destroy();
    return made;
  }

  async function restored(...words: string[]): Promise<string> {
    const { dataDir, environment } = server;
    const place = ["--backup", name, "--data-dir", dataDir];
    const done = await mooring(["restore", ...words, ...place], { environment });
    assert.equal(done.code, 0, done.stdout + done.stderr);
    return done.stdout;
  }

  async function refusedRestore(...words: string[]): Promise<string> {
    const { dataDir, environment } = server;
    const done = await mooring(["restore", ...words, "--backup", name, "--data-dir", dataDir], { environment });
    assert.equal(done.code, 1, done.stdout);
    return done.stderr;
  }

  async function digestOf(token: string, id: string): Promise<string> {
    return sha256((await fetched(await downloadUrl(server, token, id))).bytes);
  }

  async function hasObjects(home: Bootstrap, bucket: string): Promise<void> {
    const s3 = sdkClient(await s3EndpointOf(server, home));
    for (const Key of KEYS) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
      const found = sha256((await Body?.transformToByteArray()) ?? new Uint8Array());
      assert.equal(found, digests.get(`${bucket} ${Key}`), Key);
    }
    s3.destroy();
  }

  const actionsOf = async (token: string, action: string): Promise<Record<string, unknown>[]> => {
    const answer = await server.call("GET", `/v1/audit?action=${action}`, { token });
    return answer.body["items"] as Record<string, unknown>[];
  };

  test("a file returns with its id, and a second time as another file", async () => {
    const token = await server.token(acme.credential);
    assert.equal((await server.call("GET", `/v1/files/${file}/download`, { token })).status, 404);
    assert.match(await restored("--file", file), new RegExp(`restored +file ${file}`));
    assert.equal(await digestOf(token, file), digests.get("file"));
    const again = /file (file_\w+)/.exec(await restored("--file", file))?.[1] ?? "";
    assert.notEqual(again, file);
    assert.equal(await digestOf(token, again), digests.get("file"));
    assert.equal((await actionsOf(token, "backup.restore")).length, 2);
  });

  test("the objects of a bucket return as new versions, and equal ones stay", async () => {
    const s3 = sdkClient(await s3EndpointOf(server, acme));
    await s3.send(new PutObjectCommand({ Bucket: acme.app.slug, Key: KEYS[0], Body: "changed" }));
    await s3.send(new PutObjectCommand({ Bucket: acme.app.slug, Key: "newer", Body: "stays" }));
    assert.match(await restored("--bucket", `acme/${acme.app.slug}`), /[0-9]+ objects restored, 0 were unchanged/);
    await hasObjects(acme, acme.app.slug);
    const newer = await s3.send(new GetObjectCommand({ Bucket: acme.app.slug, Key: "newer" }));
    assert.equal(await newer.Body?.transformToString(), "stays");
    assert.match(await restored("--bucket", `acme/${acme.app.slug}`), /0 objects restored, [0-9]+ were unchanged/);
    s3.destroy();
  });

  test("a project returns with its ids, files, objects, images and events; its credentials are revoked", async () => {
    await restored("--project", "acme/late");
    const token = await server.token(acme.credential);
    assert.equal(await digestOf(token, project.file), digests.get("late file"));
    await hasObjects(acme, late.app.slug);
    const repository: RepositoryClient = await repositoryOf(server, acme.credential, images.name);
    assert.equal((await repository.call("GET", "manifests/1.0")).headers["docker-content-digest"], images.digest);
    assert.equal((await allEvents(server, token, project.webhook)).length, 1);
    assert.equal((await post(project.url.replace(original.origin, server.origin), "{}")).status, 202);
    await assert.rejects(server.token(project.credential), /invalid_client|401/);
    assert.match(await refusedRestore("--project", "acme/late"), /the project late is on this server/);
    const { code, stdout } = await mooring(["scrub", "--data-dir", server.dataDir]);
    assert.equal(code, 0, stdout);
    const fsck = await mooring(["registry", "fsck", "--data-dir", server.dataDir]);
    assert.equal(fsck.code, 0, fsck.stdout);
  });

  test("an organization returns with its telemetry, and its credentials work if somebody asked for it", async () => {
    await restored("--org", "beta", "--keep-credentials");
    const token = await server.token(beta.credential);
    assert.equal(await digestOf(token, String(digests.get("beta id"))), digests.get("beta file"));
    await hasObjects(beta, beta.app.slug);
    const found = await rows<{ n: number }>(server, token, `select count(distinct ${NUMBER_OF.logs}) as n from logs`);
    assert.ok(Number(found[0]?.n) >= beforeBackup.logs, `${found[0]?.n} of ${beforeBackup.logs} logs`);
    assert.equal((await actionsOf(token, "organization.restore")).length, 1);
    assert.match(await refusedRestore("--org", "beta"), /is on this server already/);
    const verified = await mooring(["audit", "verify", "--data-dir", server.dataDir]);
    assert.equal(verified.code, 0, verified.stdout);
  });

  test("nothing is left of the restores, and their tokens are revoked", async () => {
    assert.deepEqual(readdirSync(join(server.dataDir, "restores")), []);
    const tokens = await mooring(["operator", "tokens", "--json", "--data-dir", server.dataDir]);
    assert.doesNotMatch(tokens.stdout, /mooring restore/);
  });

  test("a part that the backup does not have is refused by its name", async () => {
    assert.match(await refusedRestore("--file", "file_none"), /the backup has no file file_none/);
    assert.match(await refusedRestore("--org", "nobody"), /the backup has no organization nobody/);
    assert.match(await refusedRestore("--project", "acme/none"), /the backup has no project none in acme/);
  });

  test("one flipped bit is refused, and the error names the file", async () => {
    const spoiled = join(directory, "spoiled");
    cpSync(place, spoiled, { recursive: true });
    const packs = readdirSync(join(spoiled, "packs"));
    for (const pack of packs) {
      const at = join(spoiled, "packs", pack);
      const bytes = readFileSync(at);
      const middle = Math.floor(bytes.length / 2);
      bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
      writeFileSync(at, bytes);
    }
    const verified = await mooring(["backup", "verify", "--to", spoiled, "--data-dir", original.dataDir]);
    assert.equal(verified.code, 1, verified.stdout);
    for (const pack of packs) assert.match(verified.stdout, new RegExp(`packs/${pack} in .* was altered`));
    const target = join(directory, "from-spoiled");
    const refused = await mooring(restoreWords(spoiled, original.dataDir, target, name));
    assert.equal(refused.code, 1, refused.stdout);
    assert.match(refused.stderr, /cannot restore \S+: packs\/[0-9a-f]{64} in .* was altered/);
    assert.deepEqual(readdirSync(target), []);
  });
});
