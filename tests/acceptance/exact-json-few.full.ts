/** Any JSON comes back with every number exact. `exact-json.full.ts` tests 10,000 documents. */
import { test } from "node:test";
import { asAttributes, asBodies, asNames } from "../fixtures/exact-json-ways.ts";
import { useServer } from "../fixtures/server.ts";

const SEED = 20_261_123;
const shared = useServer({ settings: { compaction_interval_ms: 3000 } });

test("generated documents come back unchanged: as bodies, attributes, names and details", async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const sending = { server: shared.server, token: shared.token, count: 60, seed: SEED };
  await asBodies(sending);
  await asAttributes(sending);
  await asNames(sending);
});
