/** An organization moves to another server: counts, digests, tags and sign-ins agree. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { DATABASES, databaseEnvironment } from "../fixtures/databases.ts";
import { downloadUrl, fetched, pathIn, uploaded } from "../fixtures/files.ts";
import { agrees, fill, LARGE, tagDigest, type Filled } from "../fixtures/moves.ts";
import { eventually, mooring, type Outcome } from "../fixtures/process.ts";
import { repositoryOf } from "../fixtures/registry.ts";
import { makeBucket, s3Server } from "../fixtures/s3-server.ts";
import { objectsHold, signsIn } from "../fixtures/secrets.ts";
import { startServer, type Server } from "../fixtures/server.ts";
import { ingested, logEntry, rows } from "../fixtures/telemetry.ts";
import { acceptedEvent } from "../fixtures/webhooks.ts";

const PASSPHRASE = "a long passphrase of the move";
const MARK = `other-${randomBytes(8).toString("hex")}`;
let directory: string;
let source: Server;
let filled: Filled;
let passphrase: string;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), "mooring-moves-"));
  passphrase = join(directory, "passphrase");
  writeFileSync(passphrase, `${PASSPHRASE}\n`);
  source = await startServer({
    database: "sqlite",
    settings: { compaction_rows_bytes: 4096, compaction_interval_ms: 500 },
  });
  filled = await fill(source);
  await fillOther(source);
});

after(async () => {
  await source.dispose();
  rmSync(directory, { recursive: true, force: true });
});

/** Another organization on the same server. Nothing of it may be in an export. */
async function fillOther(server: Server): Promise<void> {
  const other = await server.bootstrap({ org: MARK, project: MARK, app: MARK });
  const token = await server.token(other.credential);
  await ingested(server, token, "logs", [logEntry(MARK)]);
  await uploaded(server, token, { filename: `${MARK}.txt` }, MARK);
  await (await repositoryOf(server, other.credential, `orgs/${MARK}/${MARK}`)).image([MARK], { tag: MARK });
}

function exported(
  to: string,
  words: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const all = ["export", "--org", filled.home.org.slug, "--to", to, "--data-dir", source.dataDir, "--json", ...words];
  return mooring(all, { environment: { ...source.environment, ...environment }, deadlineMs: 300_000 });
}

function imported(
  from: string,
  dataDir: string,
  words: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return mooring(["import", "--from", from, "--data-dir", dataDir, "--json", ...words], {
    environment,
    deadlineMs: 300_000,
  });
}

function succeeded(outcome: Outcome): Record<string, unknown> {
  assert.equal(outcome.code, 0, outcome.stderr);
  return JSON.parse(outcome.stdout) as Record<string, unknown>;
}

function filesIn(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

for (const { kind, skip } of DATABASES) {
  describe(`from SQLite to ${kind}`, { skip }, () => {
    test("with a passphrase, counts, digests, tags and sign-ins agree", { timeout: 600_000 }, async () => {
      const [to, dataDir] = [join(directory, `secrets-${kind}`), join(directory, `there-${kind}`)];
      const manifest = succeeded(await exported(to, ["--passphrase-file", passphrase]));
      assert.equal(manifest["secrets"], true);
      assert.equal((manifest["tables"] as Record<string, number>)["project"], 1);
      assert.equal((manifest["telemetry"] as Record<string, number>)["logs"], 51);
      const result = succeeded(
        await imported(to, dataDir, ["--passphrase-file", passphrase], await databaseEnvironment(kind, dataDir)),
      );
      assert.deepEqual(
        [result["id"], result["slug"], result["unclaimed"]],
        [filled.home.org.id, filled.home.org.slug, []],
      );
      const server = await startServer({ dataDir, database: kind });
      try {
        const token = await server.token(filled.home.credential);
        await agrees({ source, filled }, server, token);
        await objectsHold(server, filled.home, filled.secrets.objects);
        const repository = await repositoryOf(server, filled.home.credential, filled.image.name);
        for (const tag of ["v1", "latest"]) assert.equal(await tagDigest(repository, tag), filled.image.digest);
        await signsIn(server, filled.secrets, "recovery code");
        // Mac keys stay, so the old server's URLs and tokens are not valid here. Its S3 keys sign URLs for any host.
        assert.equal((await server.call("GET", filled.secrets.presigned.path)).status, 403);
        const old = await source.token(filled.home.credential);
        assert.equal((await server.call("GET", "/v1/me", { token: old })).status, 401);
        const url = new URL(new URL(filled.secrets.webhook.url).pathname, server.origin).href;
        await acceptedEvent(url, "{}", { "content-type": "application/json" });
        await ingested(server, token, "logs", [logEntry("after the move")]);
        const [last] = await rows<{ n: number }>(server, token, "select count(*)::int as n from logs");
        assert.equal(last?.n, 52);
        await server.stop();
        for (const words of [["audit", "verify"], ["scrub"], ["registry", "fsck"]]) {
          const checked = await mooring([...words, "--data-dir", dataDir], { environment: server.environment });
          assert.equal(checked.code, 0, `${words.join(" ")}: ${checked.stdout}${checked.stderr}`);
        }
        const again = await imported(to, dataDir, [], server.environment);
        assert.deepEqual([again.code, /on this server already, as/.test(again.stderr)], [1, true], again.stderr);
      } finally {
        await server.dispose();
        rmSync(dataDir, { recursive: true, force: true });
      }
    });
  });
}

/** Writes files, telemetry and events until it is stopped. Returns the ids of the files that were acknowledged. */
function writing(server: Server, token: string): { stop(): Promise<string[]> } {
  const files: string[] = [];
  let isOver = false;
  const work = (async () => {
    for (let n = 0; !isOver; n++) {
      files.push((await uploaded(server, token, { filename: `during-${n}.bin` }, randomBytes(40_000))).id);
      await ingested(server, token, "logs", [logEntry(`during ${n}`)]);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await work;
      return files;
    },
  };
}

for (const { kind, skip } of DATABASES.filter((database) => database.kind === "postgres")) {
  test("from PostgreSQL to SQLite, while the server takes writes", { timeout: 600_000, skip }, async () => {
    const from = await startServer({
      database: kind,
      settings: { compaction_rows_bytes: 4096, compaction_interval_ms: 500 },
    });
    try {
      const home = await fill(from);
      const token = await from.token(home.home.credential);
      const early = await uploaded(from, token, { filename: "early.bin" }, LARGE);
      const writes = writing(from, token);
      const to = join(directory, "busy");
      const all = ["export", "--org", home.home.org.slug, "--to", to, "--data-dir", from.dataDir, "--json"];
      const outcome = await mooring([...all, "--passphrase-file", passphrase], {
        environment: from.environment,
        deadlineMs: 300_000,
      });
      const during = await writes.stop();
      const manifest = succeeded(outcome);
      assert.ok(during.length > 2, `${during.length} files were written during the export`);
      const dataDir = join(directory, "from-postgres");
      succeeded(await imported(to, dataDir, ["--passphrase-file", passphrase]));
      const server = await startServer({ dataDir, database: "sqlite" });
      try {
        const there = await server.token(home.home.credential);
        const [files] = await rows<{ n: number }>(server, there, "select count(*)::int as n from files");
        assert.equal(files?.n, (manifest["tables"] as Record<string, number>)["file"]);
        const [logs] = await rows<{ n: number }>(server, there, "select count(*)::int as n from logs");
        assert.equal(logs?.n, (manifest["telemetry"] as Record<string, number>)["logs"]);
        const url = new URL(pathIn(await downloadUrl(server, there, early.id)), server.origin);
        assert.deepEqual((await fetched(url.href)).bytes, LARGE, "a file from before the export is there");
        await signsIn(server, home.secrets, "recovery code");
        await server.stop();
        for (const words of [["audit", "verify"], ["scrub"], ["registry", "fsck"]]) {
          const checked = await mooring([...words, "--data-dir", dataDir]);
          assert.equal(checked.code, 0, `${words.join(" ")}: ${checked.stdout}${checked.stderr}`);
        }
      } finally {
        await server.dispose();
      }
    } finally {
      await from.dispose();
    }
  });
}

test(
  "an export has nothing of another organization, and no secret without a passphrase",
  { timeout: 300_000 },
  async () => {
    const to = join(directory, "plain");
    const refused = await exported(to);
    assert.equal(refused.code, 1, "objects are encrypted");
    assert.match(refused.stderr, /objects are encrypted .* add --passphrase-file/);
    succeeded(await exported(to, ["--passphrase-file", passphrase]));
    const { client_secret: secret } = filled.home.credential;
    for (const path of filesIn(to)) {
      const content = readFileSync(path);
      for (const text of [MARK, secret, filled.home.s3.secret_access_key, filled.secrets.app.secret, PASSPHRASE])
        assert.ok(!content.includes(text) && !path.includes(MARK), `${path} has ${text}`);
    }
  },
);

test("the images are an OCI layout, and the manifest names every file", { timeout: 300_000 }, async () => {
  const to = join(directory, "layout");
  const manifest = succeeded(await exported(to, ["--passphrase-file", passphrase]));
  const layout = JSON.parse(readFileSync(join(to, "images/oci-layout"), "utf8")) as object;
  assert.deepEqual(layout, { imageLayoutVersion: "1.0.0" });
  const index = JSON.parse(readFileSync(join(to, "images/index.json"), "utf8")) as {
    manifests: { digest: string; size: number; annotations?: Record<string, string> }[];
  };
  const names = index.manifests.map(({ annotations }) => annotations?.["org.opencontainers.image.ref.name"]);
  assert.deepEqual(names.map(String).toSorted(), [`${filled.home.app.slug}:latest`, `${filled.home.app.slug}:v1`]);
  for (const { digest, size } of index.manifests) {
    const content = readFileSync(join(to, "images/blobs", digest.replace(":", "/")));
    assert.deepEqual([content.length, createHash("sha256").update(content).digest("hex")], [size, digest.slice(7)]);
  }
  const lines = readFileSync(join(to, "files.ndjson"), "utf8").trim().split("\n");
  const listed = lines.map((line) => JSON.parse(line) as { path: string; size: number; sha256: string });
  assert.equal(listed.length, manifest["files"]);
  const present = filesIn(to).map((path) => path.slice(to.length + 1));
  assert.deepEqual(present.toSorted(), [...listed.map(({ path }) => path), "files.ndjson", "manifest.json"].toSorted());
  for (const { path, size, sha256 } of listed) {
    const content = readFileSync(join(to, path));
    assert.deepEqual([content.length, createHash("sha256").update(content).digest("hex")], [size, sha256], path);
  }
});

const SKOPEO =
  spawnSync("skopeo", ["--version"]).status === 0 ? false : "SKOPEO IS NOT TRIED: install the package skopeo";

test("skopeo inspects and copies images of the layout by their names", { timeout: 300_000, skip: SKOPEO }, async () => {
  const to = join(directory, "skopeo");
  succeeded(await exported(to, ["--passphrase-file", passphrase]));
  const skopeo = (...words: string[]): string => {
    const done = spawnSync("skopeo", ["--insecure-policy", ...words], { encoding: "utf8", timeout: 60_000 });
    assert.equal(done.status, 0, `skopeo ${words.join(" ")}: ${done.stderr}`);
    return done.stdout;
  };
  for (const tag of ["v1", "latest"]) {
    const image = `oci:${join(to, "images")}:${filled.home.app.slug}:${tag}`;
    const manifest = skopeo("inspect", "--raw", image);
    assert.equal(`sha256:${createHash("sha256").update(manifest).digest("hex")}`, filled.image.digest);
    const copy = `oci:${join(directory, "copied")}:${tag}`;
    skopeo("copy", "--preserve-digests", image, copy);
    assert.equal(skopeo("inspect", "--raw", copy), manifest);
  }
});

test(
  "a file that was altered, a wrong passphrase and an unfinished export are refused",
  { timeout: 600_000 },
  async () => {
    const to = join(directory, "tampered");
    const fresh = join(directory, "fresh");
    const words = ["--passphrase-file", passphrase];
    const mend = async (): Promise<void> => void succeeded(await exported(to, words));
    await mend();
    const parquet =
      filesIn(join(to, "telemetry")).find((path) => path.endsWith(".parquet")) ?? assert.fail("no Parquet");
    const content =
      filesIn(join(to, "files")).find((path) => statSync(path).size === LARGE.length) ?? assert.fail("no file");
    const wrong = join(directory, "wrong");
    writeFileSync(wrong, "not the passphrase of the move\n");
    const spoils: readonly [RegExp, () => void, string?][] = [
      [/passphrase is not that of the export/, () => undefined, wrong],
      // In the order of the import, because it does not read again what it has copied.
      [/cannot import files\//, () => replaceByte(content)],
      [/Parquet file .* was altered/, () => replaceByte(parquet)],
      [/member\.ndjson was altered/, () => replaceIn(join(to, "records/member.ndjson"), "owner", "admin")],
      [/files\.ndjson was altered/, () => appendFileSync(join(to, "files.ndjson"), "\n")],
      [/lacks records\/app|is missing|has \d+ of \d+ files/, () => rmSync(join(to, "records/app.ndjson"))],
      [/was not finished/, () => rmSync(join(to, "manifest.json"))],
    ];
    for (const [message, spoil, file = passphrase] of spoils) {
      spoil();
      const outcome = await imported(to, fresh, ["--passphrase-file", file]);
      assert.equal(outcome.code, 1, `${message.source}: ${outcome.stdout}`);
      assert.match(outcome.stderr, message);
      assert.match(outcome.stderr, /nothing was imported/);
      for (const path of [parquet, content, join(to, "records/member.ndjson")]) rmSync(path, { force: true });
      await mend();
    }
    succeeded(await imported(to, fresh, words));
  },
);

function replaceIn(path: string, from: string, to: string): void {
  writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
}

function replaceByte(path: string): void {
  const content = readFileSync(path);
  content[100] = (content[100] ?? 0) ^ 1;
  writeFileSync(path, content);
}

test(
  "another place, organization and slug are refused readably, and a slug can be changed",
  { timeout: 300_000 },
  async () => {
    const to = join(directory, "places");
    const words = ["--passphrase-file", passphrase];
    assert.match((await exported(directory, words)).stderr, /is not empty, and has no export/);
    succeeded(await exported(to, words));
    const other = await mooring(["export", "--org", MARK, "--to", to, "--data-dir", source.dataDir]);
    assert.match(other.stderr, /has the export of another organization/);
    const absent = await mooring([
      "export",
      "--org",
      "absent",
      "--to",
      join(directory, "absent"),
      "--data-dir",
      source.dataDir,
    ]);
    assert.match(absent.stderr, /there is no organization absent/);
    const running = await imported(to, source.dataDir, words);
    assert.match(running.stderr, /Stop the server of/);
    const target = await startServer({ database: "sqlite" });
    try {
      // The same slug and the same address of the owner, but another organization and another account.
      await target.bootstrap();
      await target.stop();
      assert.match((await imported(to, target.dataDir, words)).stderr, /choose another one with --as SLUG/);
      const result = succeeded(await imported(to, target.dataDir, [...words, "--as", "moved"]));
      assert.deepEqual([result["slug"], result["unclaimed"]], ["moved", [filled.home.owner.email]]);
    } finally {
      await target.dispose();
    }
  },
);

test("a person who was deleted on the new server stays deleted", { timeout: 300_000 }, async () => {
  const [to, dataDir] = [join(directory, "with-deleted"), join(directory, "deleted-there")];
  succeeded(await exported(to, ["--passphrase-file", passphrase]));
  const [line = ""] = readFileSync(join(to, "records/person.ndjson"), "utf8").split("\n");
  const { id } = JSON.parse(line) as { id: string };
  mkdirSync(dataDir, { mode: 0o700 });
  const deletion = { kind: "person", id, deleted_at: new Date().toISOString() };
  writeFileSync(join(dataDir, "deletions.ndjson"), `${JSON.stringify(deletion)}\n`);
  const result = succeeded(await imported(to, dataDir, ["--passphrase-file", passphrase]));
  assert.deepEqual(result["deleted"], [id]);
  const partsOf = (): unknown => {
    const db = new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true, timeout: 5000 });
    try {
      assert.equal(db.prepare("select count(*) as n from person where id = ?").get(id)?.["n"], 0);
      return db.prepare("select count(*) as n from audit where instr(personal, ?) > 0").get(`"subject":"${id}"`)?.["n"];
    } finally {
      db.close();
    }
  };
  assert.notEqual(partsOf(), 0, "the imported log has parts of the person until the server erases them");
  const server = await startServer({ dataDir, database: "sqlite" });
  try {
    await eventually("the parts of the person to be erased", () => (partsOf() === 0 ? true : null));
    await server.stop();
    const checked = await mooring(["audit", "verify", "--data-dir", dataDir]);
    assert.equal(checked.code, 0, checked.stderr);
  } finally {
    await server.dispose();
  }
});

test("through a bucket, and a further export copies only new contents", { timeout: 600_000 }, async (context) => {
  const upstream = await s3Server();
  await using bucket = await makeBucket(upstream);
  const environment = {
    AWS_ACCESS_KEY_ID: upstream.accessKeyId,
    AWS_SECRET_ACCESS_KEY: upstream.secretAccessKey,
    AWS_ENDPOINT_URL: upstream.endpoint,
  };
  const place = `s3://${bucket.name}/exports/acme`;
  const words = ["--passphrase-file", passphrase];
  succeeded(await exported(place, words, environment));
  const before = await bucket.keys();
  assert.ok(before.has("exports/acme/manifest.json"));
  const token = await source.token(filled.home.credential);
  await uploaded(source, token, { filename: "later.txt" }, "later");
  succeeded(await exported(place, words, environment));
  const added = [...(await bucket.keys()).keys()].filter((key) => !before.has(key) && key.includes("/files/"));
  assert.equal(added.length, 1, added.join(" "));
  const dataDir = join(directory, "from-bucket");
  const result = succeeded(await imported(place, dataDir, words, environment));
  assert.equal((result["tables"] as Record<string, number>)["file"], 3);
  context.diagnostic(`${(await bucket.keys()).size} objects`);
});
