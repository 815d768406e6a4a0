/** The process that the contract tests kill. Arguments: first number, data directory, and a URL or nothing. */
import { writeSync } from "node:fs";
import { systemClock } from "#kernel/time.ts";
import { openMetadata } from "../../index.ts";

const LOOPS = 8;

async function main(): Promise<void> {
  const [first = "0", dataDir = "", url = ""] = process.argv.slice(2);
  const store = await openMetadata({ url: url === "" ? undefined : url, dataDir, clock: systemClock });
  let next = Number(first);
  const loop = async (): Promise<never> => {
    for (;;) {
      const number = next++;
      await store.write(async (tx) => {
        await tx
          .insertInto("node")
          .values({ id: `node_${number}`, applied_seq: number, started_at: 0, seen_at: 0 })
          .execute();
        await tx
          .insertInto("telemetry_progress")
          .values({ store_id: "store_1", org_id: `org_${number}`, type: "logs", compacted_seq: number })
          .execute();
      });
      writeSync(1, `${number}\n`); // one synchronous write, before anything else happens
    }
  };
  await Promise.all(Array.from({ length: LOOPS }, loop));
}

await main();
