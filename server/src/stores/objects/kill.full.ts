/** The test of kill-few.full.ts with many more kills, and with records and bytes elsewhere. */
import assert from "node:assert/strict";
import { after, test, type TestContext } from "node:test";
import { postgresMissing, startPostgres, type PostgresServer } from "../../../../tests/fixtures/postgres-server.ts";
import { s3Place, testStore } from "./s3/testing.ts";
import { assertKept, killRounds, type KillPlace } from "./testing/kill.ts";
import { temporaryDirectory } from "./testing/store.ts";

let postgres: PostgresServer | undefined;
after(async () => postgres?.stop());

async function survives(context: TestContext, place: KillPlace, kills: number): Promise<void> {
  const killed = await killRounds(place, kills);
  context.diagnostic(`${killed.kept.size} blobs kept, ${killed.ending.size} released`);
  assert.ok(killed.kept.size > 0, "nothing was acknowledged");
  await assertKept(place, killed, kills);
}

test("50 kills with everything in the data directory", async (context) => {
  await using dir = await temporaryDirectory();
  await survives(context, { dataDir: dir.path }, 50);
});

test("15 kills with records in PostgreSQL", { skip: postgresMissing() ?? false }, async (context) => {
  await using dir = await temporaryDirectory();
  postgres = await startPostgres();
  await survives(context, { dataDir: dir.path, url: await postgres.createDatabase("kills") }, 15);
});

test("15 kills with bytes on an S3 server", async (context) => {
  await using dir = await temporaryDirectory();
  const place = await s3Place(await testStore());
  try {
    await survives(context, { dataDir: dir.path, s3: place.options }, 15);
  } finally {
    await place.remove();
  }
});
