/** Loki's push: the transports of pino, winston and Python's logging. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingPackage, missingPython, runNode, runPython } from "./packages.ts";
import { assertNow, useSenders } from "./place.ts";

const place = useSenders();

const byPlace = (): Record<string, string> => ({ ORIGIN: place.origin, KEY: place.key });
const COLUMNS = "timestamp, message, level, service, attributes->>'order' as ordered, attributes->>'app' as app";

test("pino-loki and winston-loki, as JSON and as protobuf", { skip: missingPackage("pino-loki") }, async () => {
  await runNode("loki.mjs", byPlace());
  const found = await place.find(
    `select ${COLUMNS} from logs where service in ('pino-shop', 'winston-shop') order by message`,
    3,
  );
  assert.deepEqual(
    found.map(({ message, level, service, ordered, app }) => [message, level, service, ordered, app]),
    [
      ["by pino", "error", "pino-shop", "7", "pino-shop"],
      ["by winston as JSON", "warn", "winston-shop", "8", "winston-shop"],
      ["by winston as protobuf", "warn", "winston-shop", "8", "winston-shop"],
    ],
  );
  assertNow(found);
});

test(
  "python-logging-loki in both forms, and Python's bulk helper of Elasticsearch",
  { skip: missingPython("logging_loki") },
  async () => {
    await runPython("python_senders.py", byPlace());
    const found = await place.find(`select ${COLUMNS} from logs where service = 'python-shop' order by message`, 2);
    assert.deepEqual(
      found.map(({ message, level, app }) => [message, level, app]),
      [
        ["by python in form 0", "error", "python-shop"],
        ["by python in form 1", "error", "python-shop"],
      ],
    );
    assertNow(found);
    const [row] = await place.sql(
      "select count(*) as n, any_value(level) as level, max(timestamp) as timestamp from logs where service = 'client-python'",
    );
    assert.deepEqual([Number(row?.["n"]), row?.["level"]], [2500, "error"]);
    assertNow([row ?? {}]);
  },
);
