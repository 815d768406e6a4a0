/** Checkpoints of audit logs: sent to a receiver, kept, and compared with a log that was cut or rewritten. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { eventually, mooring, type Outcome } from "../fixtures/process.ts";
import { makeBucket, s3Server } from "../fixtures/s3-server.ts";
import { showLogs, startServer, type Bootstrap, type Server } from "../fixtures/server.ts";

const directory = mkdtempSync(join(tmpdir(), "mooring-checkpoints-"));
const received: string[] = [];
const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    received.push(body);
    response.end();
  });
});
let server: Server;
let home: Bootstrap;
let token: string;

showLogs(() => [server]);
before(async () => {
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  const options = {
    database: "sqlite",
    environment: { MOORING_AUDIT_CHECKPOINTS_URL: `http://127.0.0.1:${port}/checkpoints` },
    settings: { webhooks_private_addresses: "allow" },
  } as const;
  const first = await startServer(options);
  home = await first.bootstrap();
  await first.stop();
  // Checkpoints are sent at a start, and then each hour.
  server = await startServer({ ...options, dataDir: first.dataDir });
  token = await server.token(home.credential);
});
after(async () => {
  await server.dispose();
  receiver.close();
  rmSync(directory, { recursive: true, force: true });
});

interface Verified {
  readonly ok: boolean;
  readonly checkpoint: { readonly size: number; readonly note: string; readonly keys: readonly string[] };
}

function written(name: string, content: string): string {
  const file = join(directory, name);
  writeFileSync(file, content);
  return file;
}

async function kept(name: string): Promise<{ file: string; key: string }> {
  const { body } = await server.call<Verified>("GET", "/v1/audit/verify", { token });
  assert.equal(body.ok, true);
  return {
    file: written(`${name}.txt`, body.checkpoint.note),
    key: written(`${name}.key`, body.checkpoint.keys.join("\n")),
  };
}

function verify(...words: string[]): Promise<Outcome> {
  const all = ["audit", "verify", "--data-dir", server.dataDir, ...words];
  return mooring(all, { environment: server.environment });
}

test("the receiver gets a note for each log, and the notes agree with the log", async () => {
  const about = (name: string): string | undefined => received.find((note) => note.includes(`/${name}\n`));
  await eventually("the organization's note", () => about(home.org.id));
  const { file, key } = await kept("first");
  await server.call("POST", "/v1/projects", { token, json: { slug: "more" } });
  const second = await kept("second");
  const { code, stdout, stderr } = await verify("--against", file, "--against", second.file, "--key", key);
  assert.equal(code, 0, stdout + stderr);
  assert.equal(stdout.match(/the log has this entry/g)?.length, 2);
});

test("a bucket gets a new object for each note", async () => {
  const store = await s3Server();
  await using bucket = await makeBucket(store);
  const options = {
    database: "sqlite",
    settings: { backup_s3_endpoint: store.endpoint, backup_s3_access_key_id: store.accessKeyId },
    environment: {
      MOORING_AUDIT_CHECKPOINTS_URL: `s3://${bucket.name}/notes`,
      MOORING_BACKUP_S3_SECRET_ACCESS_KEY: store.secretAccessKey,
    },
  } as const;
  const sender = await startServer(options);
  const { org } = await sender.bootstrap();
  await sender.stop();
  // Sent at a start. The former note stays.
  const again = await startServer({ ...options, dataDir: sender.dataDir });
  await using _ = {
    [Symbol.asyncDispose]: async () => {
      await again.dispose();
      await sender.dispose();
    },
  };
  const keys = await eventually("the note of the organization", async () => {
    const all = [...(await bucket.keys()).keys()];
    return all.some((key) => key.startsWith(`notes/${org.id}/`)) ? all : undefined;
  });
  for (const key of keys) assert.match(key, /^notes\/[^/]+\/[0-9]{15}\.txt$/);
});

test("wrong use, other keys and files of other forms are refused", async () => {
  const { file, key } = await kept("refused");
  const other = `mooring/x+00000000+${Buffer.alloc(33, 1).toString("base64")}`;
  assert.equal((await verify("--against", file)).code, 2);
  assert.match((await verify("--against", file, "--key", other)).stderr, /must have the form NAME\+ID\+KEY/);
  const changed = written("changed.txt", `${file}\n`);
  assert.match((await verify("--against", changed, "--key", key)).stderr, /not a signed checkpoint/);
});

test("a log that was cut fails", async () => {
  await server.call("POST", "/v1/projects", { token, json: { slug: "cut" } });
  const { file, key } = await kept("before");
  await server.stop();
  const records = new DatabaseSync(join(server.dataDir, "mooring.db"));
  const org = home.org.id;
  const head = records
    .prepare("select seq, hash from audit where org_id = ? order by seq desc limit 1 offset 1")
    .get(org) as { seq: number; hash: string };
  records.prepare("delete from audit where org_id = ? and seq > ?").run(org, head.seq);
  records.prepare("update audit_head set seq = ?, hash = ? where org_id = ?").run(head.seq, head.hash, org);
  records.close();
  assert.equal((await verify()).code, 0, "without a checkpoint it looks whole");
  const { code, stdout } = await verify("--against", file, "--key", key);
  assert.equal(code, 1, stdout);
  assert.match(stdout, /it is not the log that was signed/);
  assert.match(stdout, /FAIL: the log has fewer entries/);
});
