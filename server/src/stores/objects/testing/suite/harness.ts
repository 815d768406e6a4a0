import assert from "node:assert/strict";
import { sql } from "kysely";
import { Problem, type ProblemCode } from "#kernel/problem.ts";
import { scrub, type Finding } from "../../scrub/index.ts";
import { readAll, type OpenChange, type OpenObjects } from "../store.ts";

/** An empty place for blobs, and separate records. */
export interface TestPlace {
  open(change?: OpenChange): Promise<OpenObjects>;
  /** Damages stored bytes, like a broken disk or a careless operator. */
  damage(id: string, how: "remove" | "cut" | "alter"): Promise<void>;
  /** Stores bytes that no record names. */
  plant(id: string): Promise<void>;
  /** Returns the temporary files of unfinished writes. */
  temporary(): Promise<string[]>;
  remove(): Promise<void>;
}

/** Cases by name. The store is open, and is closed afterwards if it still is. */
export type ObjectCases = Readonly<Record<string, (store: OpenObjects, place: TestPlace) => Promise<void>>>;

export const GRACE_MS = 3_600_000;
/** Larger than inline content. */
export const LARGE = 100_000;

/** The test's table with references to blobs. */
export const THINGS = { table: "thing", column: "blob_id", orgColumn: "org_id" } as const;

export async function makeThings({ metadata }: OpenObjects): Promise<void> {
  await metadata.write(async (tx) => {
    await sql`create table thing (id text primary key, org_id text not null, blob_id text)`.execute(tx);
  });
}

/** Writes a blob, and links it in the transaction that inserts the thing. */
export async function keepThing(store: OpenObjects, id: string, content: Uint8Array, orgId = "org_a"): Promise<string> {
  const staged = await store.objects.write(orgId, content, { bytesMax: content.length });
  await store.metadata.write(async (tx) => {
    await store.objects.link(tx, orgId, staged);
    await sql`insert into thing values (${id}, ${orgId}, ${staged.id})`.execute(tx);
  });
  return staged.id;
}

export async function dropThing({ objects, metadata }: OpenObjects, id: string): Promise<void> {
  await metadata.write(async (tx) => {
    const { rows } = await sql<{ org_id: string; blob_id: string }>`select * from thing where id = ${id}`.execute(tx);
    const [{ org_id: orgId, blob_id: blobId } = assert.fail("no such thing")] = rows;
    await sql`delete from thing where id = ${id}`.execute(tx);
    await objects.unlink(tx, orgId, [blobId]);
  });
}

export async function readThing(store: OpenObjects, id: string): Promise<Buffer> {
  const { rows } = await sql<{ blob_id: string }>`select blob_id from thing where id = ${id}`.execute(
    store.metadata.read,
  );
  return readAll(store, rows[0]?.blob_id ?? "");
}

export async function findings({ metadata, driver }: OpenObjects, quick = false): Promise<Finding[]> {
  const all: Finding[] = [];
  await scrub({ metadata, driver, references: [THINGS], quick, found: (finding) => all.push(finding) });
  return all;
}

/** Returns the findings as `kind what`, sorted. */
export async function named(store: OpenObjects, quick = false): Promise<string[]> {
  return (await findings(store, quick)).map(({ kind, what }) => `${kind} ${what}`).toSorted();
}

export async function rowCount({ metadata }: OpenObjects): Promise<number> {
  const { n } = await metadata.read
    .selectFrom("blob")
    .select(({ fn }) => fn.countAll().as("n"))
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** Lists everything that the driver stores. */
export async function storedIds({ driver }: OpenObjects): Promise<string[]> {
  const ids: string[] = [];
  for await (const item of driver.list()) ids.push("id" in item ? item.id : item.stray);
  return ids.toSorted();
}

export async function assertNothingLeft(store: OpenObjects, place: TestPlace): Promise<void> {
  assert.deepEqual(await storedIds(store), []);
  assert.deepEqual(await place.temporary(), []);
  assert.equal(await rowCount(store), 0);
}

export async function waitUntil(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const deadline = performance.now() + 10_000; !(await condition());) {
    assert.ok(performance.now() < deadline, `${what} did not happen`);
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

export function problem(code: ProblemCode): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.code, code);
    return true;
  };
}
