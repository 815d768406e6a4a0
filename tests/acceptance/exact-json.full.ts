/** 10,000 generated JSON documents in each way. The seed differs each time; MOORING_TEST_SEED repeats one. */
import { test } from "node:test";
import { asAttributes, asBodies, asNames } from "../fixtures/exact-json-ways.ts";
import { useServer } from "../fixtures/server.ts";

const SEED = Number(process.env["MOORING_TEST_SEED"] ?? Date.now() % 2 ** 31);
const WITHOUT_LIMITS = { webhook_rate_limit_per_second: 100_000, webhook_rate_limit_burst: 100_000 };
const FAST = { rate_limit_per_second: 100_000, rate_limit_burst: 100_000, compaction_interval_ms: 20_000 };
const shared = useServer({ settings: { ...WITHOUT_LIMITS, ...FAST } });

for (const [what, send] of Object.entries({
  "bodies of webhooks": asBodies,
  "attributes of logs": asAttributes,
  "names and details": asNames,
})) {
  test(`10,000 documents as ${what} come back unchanged`, async () => {
    process.stdout.write(`seed ${SEED}\n`);
    const token = await shared.server.token(shared.home.credential);
    await send({ server: shared.server, token, count: 10_000, seed: SEED });
  });
}
