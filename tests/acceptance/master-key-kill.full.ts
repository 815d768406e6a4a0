/**
 * Kills `mooring master-key rotate` and `rotate --data` at every step that changes something on disk, beside a running
 * server with a writer, and the server too. The next try continues, and no secret is lost.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import { DATABASES } from "../fixtures/databases.ts";
import { mooring, type Outcome } from "../fixtures/process.ts";
import {
  makeSecrets,
  objectsHold,
  putEncrypted,
  s3ClientOf,
  secretsHold,
  signsIn,
  uploadCompletes,
  type Secrets,
} from "../fixtures/secrets.ts";
import { startServer, writeLog, type Server } from "../fixtures/server.ts";

const WATCH = new URL("../fixtures/kill-at-step.ts", import.meta.url).href;
const OBJECTS = 120; // more than one transaction
const SETTINGS = { rate_limit_per_second: 100_000, rate_limit_burst: 100_000, listen: "127.0.0.1:0" };
/** Kills on each database; together at least the fifty of the issue. */
const MOMENTS_MIN = 28;

for (const { kind, skip } of DATABASES) {
  describe(`rotations that are killed on ${kind}`, { skip }, () => {
    const dataDir = mkdtempSync(join(tmpdir(), "mooring-key-kill-"));
    const order = join(dataDir, "..", `${dataDir.split("-").at(-1)}.kill`);
    const moments: string[] = [];
    /** Content of the writer's objects. */
    const written = new Map<string, string>();
    let server: Server;
    let secrets: Secrets;
    let writer: { stop(): Promise<number> };

    const start = async (listen = SETTINGS.listen): Promise<void> => {
      server = await startServer({ dataDir, database: kind, settings: { ...SETTINGS, listen } });
    };

    before(async () => {
      await start();
      secrets = await makeSecrets(server, await server.bootstrap(), OBJECTS);
      writer = startWriter(server, secrets, written);
    });
    after(async () => {
      await server.dispose();
      rmSync(dataDir, { recursive: true, force: true });
    });

    const run = (words: readonly string[], killAt?: number): Promise<Outcome> => {
      if (killAt === undefined) rmSync(order, { force: true });
      else writeFileSync(order, String(killAt));
      const environment = { ...server.environment, NODE_OPTIONS: `--import=${WATCH}`, KILL_AT_STEP: order };
      return mooring(["master-key", ...words, "--data-dir", dataDir], { environment, deadlineMs: 300_000 });
    };

    /** Runs a rotation to its end, and kills it again and again: each try one step later than the try before. */
    async function rotated(words: readonly string[], first: number, growth = 1): Promise<void> {
      for (let at = first; ; at += growth) {
        rmSync(`${order}.at`, { force: true });
        const { signal, code, stderr } = await run(words, at);
        if (signal === "SIGKILL") {
          assert.ok(existsSync(`${order}.at`), stderr);
          const moment = readFileSync(`${order}.at`, "utf8");
          moments.push(`${words.join(" ")}: ${moment}`);
          await server.token(secrets.home.credential);
          if (moment === "after delete key_rotation") break; // it was complete
        } else {
          assert.equal(code, 0, stderr);
          break;
        }
      }
    }

    test("a new master key, killed at each step", { timeout: 1_800_000 }, async () => {
      for (const first of [1, 2, 3, 4, 5, 6]) await rotated(["rotate"], first);
      await secretsHold(server, secrets);
    });

    test("new keys in the records, killed at each step", { timeout: 1_800_000 }, async () => {
      for (const first of [1, 3]) await rotated(["rotate", "--data"], first);
      await rotated(["rotate", "--data"], 2, 0); // after each commit, up to the last one
      await secretsHold(server, secrets);
    });

    test("the server is killed during a rotation, and starts with both keys", { timeout: 1_800_000 }, async () => {
      assert.ok((await writer.stop()) > 0, "the writer wrote");
      await objectsHold(server, secrets.home, written);
      for (const words of [["rotate"], ["rotate", "--data"]]) {
        const { host } = new URL(server.origin);
        assert.equal((await run(words, 3)).signal, "SIGKILL");
        moments.push(`${words.join(" ")}: with the server`);
        await server.kill();
        await start(host);
        await secretsHold(server, secrets);
        const { code, stderr } = await run(words);
        assert.equal(code, 0, stderr);
      }
      await server.kill();
      await start(new URL(server.origin).host);
    });

    test("nothing is lost, and each step was hit", { timeout: 600_000 }, async (context) => {
      await secretsHold(server, secrets);
      await objectsHold(server, secrets.home, written);
      await signsIn(server, secrets, 1);
      await signsIn(server, secrets, "recovery code");
      await uploadCompletes(server, secrets);
      const last = await run(["rotate", "--data"]);
      assert.equal(last.code, 0, `a rotation opens every value: ${last.stdout}${last.stderr}`);
      const status = JSON.parse((await run(["status", "--json"])).stdout) as { oldValues: object; rotation: unknown };
      assert.deepEqual([status.oldValues, status.rotation], [{}, null]);
      context.diagnostic(`${moments.length} kills: ${JSON.stringify(counts(moments))}`);
      assert.ok(moments.length >= MOMENTS_MIN, `${moments.length} kills`);
      for (const step of STEPS)
        assert.ok(
          moments.some((moment) => step.test(moment)),
          `no kill at ${step.source}`,
        );
    });
  });
}

const STEPS = [
  /rotate: after create file/,
  /rotate: before sync file/,
  /rotate: before rename/,
  /rotate: after rename/,
  /rotate: (before|after) insert key_rotation/,
  /rotate: (before|after) delete key_rotation/,
  /--data: (before|after) insert key_rotation/,
  /--data: (before|after) update key_rotation/,
  /--data: (before|after) update (signing_key|s3_key|webhook|webhook_url)/,
  /--data: (before|after) update s3_object/,
  /--data: (before|after) delete key_rotation/,
];

function counts(texts: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const text of texts) found[text] = (found[text] ?? 0) + 1;
  return found;
}

/** Writes and reads encrypted objects and gets tokens, until it is stopped. Every request must succeed. */
function startWriter(server: Server, { home }: Secrets, written: Map<string, string>): { stop(): Promise<number> } {
  let stopped = false;
  let writes = 0;
  const work = (async () => {
    const s3 = await s3ClientOf(server, home);
    while (!stopped) {
      await putEncrypted(s3, home, written, `writer ${writes % 20}`);
      await server.token(home.credential);
      writes += 1;
      await delay(20);
    }
    s3.destroy();
  })();
  work.catch(() => writeLog(server));
  return {
    stop: async () => {
      stopped = true;
      await work;
      return writes;
    },
  };
}
