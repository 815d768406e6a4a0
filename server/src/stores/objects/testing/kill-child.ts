import { writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { Readable } from "node:stream";
import { Problem } from "#kernel/problem.ts";
import { dropThing } from "./suite/harness.ts";
import { isOfParts, killContent, KILL_WRITERS, openKillPlace, type KillPlace } from "./kill.ts";
import { LIMIT, piecesOf } from "./store.ts";

/**
 * The process that is killed. Its writers write, link, compose, discard and unlink, and the collector runs all the
 * time. Prints `+name` after content is acknowledged, and `-name` before it is released. Arguments: data directory,
 * number of the run, the other fields of the place as JSON.
 */
const [dataDir, run, place] = process.argv.slice(2);
if (dataDir === undefined || run === undefined || place === undefined)
  throw new Error("usage: kill-child.ts DIR RUN PLACE");

const ORG = "org_a";
const store = await openKillPlace({ ...(JSON.parse(place) as Omit<KillPlace, "dataDir">), dataDir });
const { objects, metadata } = store;

async function make(name: string, n: number): Promise<void> {
  const content = killContent(name);
  const own = isOfParts(n) ? content.subarray(0, -10) : content;
  const staged = await objects.write(ORG, Readable.from(piecesOf(own)), { ...LIMIT, digests: ["md5"] });
  if (n % 7 === 6) return objects.discard(staged);
  await metadata.write(async (tx) => {
    await objects.link(tx, ORG, staged);
    let id = staged.id;
    if (isOfParts(n)) {
      const parts = [{ blobId: id }, { blobId: id, range: { start: 10, end: 20 } }];
      ({ id } = await objects.compose(tx, ORG, parts));
      await objects.unlink(tx, ORG, [staged.id]);
    }
    await sql`insert into thing values (${name}, ${ORG}, ${id})`.execute(tx);
  });
  writeSync(1, `+${name}\n`);
}

async function write(writer: number): Promise<void> {
  for (let n = 0; ; n++) {
    try {
      await make(`${run}-${writer}-${n}`, n);
    } catch (error) {
      // The collector deleted it before it was linked, because the grace period of this test is short.
      if (!(error instanceof Problem) || error.code !== "unavailable") throw error;
    }
    if (n % 3 !== 2) continue;
    const old = `${run}-${writer}-${n - 2}`;
    writeSync(1, `-${old}\n`);
    await dropThing(store, old).catch(() => {}); // The content may have been discarded or collected.
  }
}

async function collect(): Promise<void> {
  for (;;) {
    await objects.collect();
    await delay(20);
  }
}

await Promise.all([collect(), ...Array.from({ length: KILL_WRITERS }, (_, writer) => write(writer))]);
