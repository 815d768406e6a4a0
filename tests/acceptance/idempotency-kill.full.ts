/**
 * Kills the server around the commit of every operation with an `Idempotency-Key`: the repetition finds one created
 * object, and its answer.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { DATABASES, postgresUrl, type DatabaseKind } from "../fixtures/databases.ts";
import type { Answer } from "../fixtures/http.ts";
import {
  IDEMPOTENT_OPERATIONS,
  nameThings,
  type IdempotentOperation,
  type Named,
} from "../fixtures/idempotent-operations.ts";
import type { KillOrder } from "../fixtures/kill-at-commit.ts";
import { publishedOperations } from "../fixtures/operations.ts";
import { psqlOnce } from "../fixtures/postgres-server.ts";
import { eventually, groupAlive } from "../fixtures/process.ts";
import { startServer, type Client, type Json, type Server } from "../fixtures/server.ts";

/** A batch and its key are one record of the log, which `kill.full.ts` tests. */
const KEPT_OTHERWISE = new Set(["ingest"]);
/** A claim without an answer is free after twelve times this. */
const WAIT_MS = 300;
const WATCH = new URL("../fixtures/kill-at-commit.ts", import.meta.url).href;

test("every operation of the contract that honours a key is here", () => {
  const published = publishedOperations().filter(({ honoursKey }) => honoursKey);
  const known = [...Object.keys(IDEMPOTENT_OPERATIONS), ...KEPT_OTHERWISE];
  assert.deepEqual(published.map(({ id }) => id).toSorted(), known.toSorted());
});

for (const { kind, skip } of DATABASES) {
  describe(`killed on ${kind}`, { skip }, () => {
    const dataDir = mkdtempSync(join(tmpdir(), "mooring-keys-"));
    const orderPath = join(dataDir, "..", `${randomUUID()}.kill`);
    let server: Server;
    let token: string;
    let named: Named;
    let listen = "127.0.0.1:0";

    const start = async (): Promise<void> => {
      const environment = { NODE_OPTIONS: `--import=${WATCH}`, KILL_AT_COMMIT: orderPath };
      server = await startServer({
        dataDir,
        database: kind,
        environment,
        settings: { listen, database_wait_ms: WAIT_MS },
      });
      listen = new URL(server.origin).host; // The same values again, so that tokens stay valid.
    };

    before(async () => {
      await start();
      token = await server.token((await server.bootstrap()).credential);
      named = await nameThings(server, token);
    });
    after(async () => {
      await server.dispose();
      rmSync(dataDir, { recursive: true, force: true });
    });

    const send = (operation: IdempotentOperation, key: string, json: Json): Promise<Answer> =>
      server.call("POST", operation.path(named), { token, json, headers: { "idempotency-key": key } });

    /** Sends the request, which kills the server. */
    async function killed(
      operation: IdempotentOperation,
      key: string,
      json: Json,
      moment: KillOrder["moment"],
    ): Promise<void> {
      writeFileSync(orderPath, JSON.stringify({ ...operation.mark, moment } satisfies KillOrder));
      const answered = await send(operation, key, json).then(
        ({ status }) => status,
        () => "cut off",
      );
      assert.equal(answered, "cut off", "the server was to die before it answers");
      const { pid } = server;
      assert.equal((await server.exited).signal, "SIGKILL");
      rmSync(orderPath);
      await eventually("the children of the killed server to end", () => (groupAlive(pid) ? null : true));
      await start();
    }

    /** Repeats the request until the claim of the dead request is free. */
    const repeated = (operation: IdempotentOperation, key: string, json: Json): Promise<Answer> =>
      eventually("an answer to the repetition", async () => {
        const answer = await send(operation, key, json);
        return answer.status === 409 && answer.body["code"] === "idempotency_in_progress" ? null : answer;
      });

    for (const [id, operation] of Object.entries(IDEMPOTENT_OPERATIONS)) {
      test(id, async () => {
        const control = await send(operation, randomUUID(), operation.body(named));
        assert.ok(control.status < 300, control.text);
        for (const moment of ["after", "before"] as const) {
          const [key, json] = [randomUUID(), operation.body(named)];
          const counts = await countsOf(kind, dataDir, operation);
          await killed(operation, key, json, moment);
          const first = await repeated(operation, key, json);
          assert.equal(first.status, control.status, `${moment}: ${first.text}`);
          const wasMade = moment === "after" ? "true" : null;
          assert.equal(first.headers.get("idempotency-replayed"), wasMade, `${moment}: ${first.text}`);
          assert.deepEqual(
            shapeOf(first.body),
            shapeOf(control.body),
            `${moment}: the repetition gets the normal answer, with its secret`,
          );
          const again = await send(operation, key, json);
          assert.equal(again.headers.get("idempotency-replayed"), "true");
          assert.equal(idOf(again.body), idOf(first.body));
          const made = await countsOf(kind, dataDir, operation);
          assert.deepEqual(
            made,
            counts.map((count) => count + 1),
            `${moment}: the object exists once`,
          );
          if (id === "createCredential") await server.token(first.body as unknown as Client);
        }
      });
    }
  });
}

/** Returns the members of an answer, with their kinds. */
function shapeOf(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body === null ? null : typeof body;
  if (Array.isArray(body)) return [];
  return Object.fromEntries(Object.entries(body).map(([member, value]) => [member, shapeOf(value)]));
}

function idOf(body: Json): unknown {
  const data = (body["data"] ?? body) as Json;
  return data["id"] ?? data["file_id"] ?? data["former_secret_until"] ?? data["former_url_until"];
}

/** Returns the number of rows in the operation's tables, and of entries with its action. */
async function countsOf(kind: DatabaseKind, dataDir: string, { tables, mark }: IdempotentOperation): Promise<number[]> {
  const statements = tables.map((table) => `select count(*) as n from ${table}`);
  if (mark.value !== null) statements.push(`select count(*) as n from audit where action = '${mark.value}'`);
  const sql = `select ${statements.map((statement) => `(${statement})`).join(" || ' ' || ")} as counts`;
  if (kind === "postgres") return (await psqlOnce(await postgresUrl(dataDir), sql)).split(" ").map(Number);
  const database = new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true });
  try {
    return String(database.prepare(sql).get()?.["counts"]).split(" ").map(Number);
  } finally {
    database.close();
  }
}
