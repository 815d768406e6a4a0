/** Loki's push: the transports of pino, winston and Python's logging, with the configurations that the portal shows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { configurationOf, replaced, runModule, runScript } from "./agents.ts";
import { missingPackage, missingPython } from "./packages.ts";
import { assertNow, useSenders } from "./place.ts";

const place = useSenders();
const COLUMNS = "timestamp, message, level, service, attributes->>'order' as ordered";

/** The transport's thread does not keep the process alive. It sends its batch before it closes. */
const BY_PINO = `
const { once } = require("node:events");
const alive = setInterval(() => {}, 1000);
(async () => {
  await once(transport, "ready");
  logger.error({ order: 7 }, "by pino");
  transport.end();
  await once(transport, "close");
  clearInterval(alive);
})();
`;

const byWinston = (message: string): string => `
process.on("warning", (warning) => console.error(warning));
logger.warn(${JSON.stringify(message)}, { order: 8 });
setImmediate(() => transport.flush().then(() => process.exit(0), () => process.exit(1)));
`;

test("pino-loki and winston-loki, as JSON and as protobuf", { skip: missingPackage("pino-loki") }, async () => {
  await runModule(configurationOf("pino-loki", place, "pino-shop") + BY_PINO, place.directory);
  const winston = replaced(configurationOf("winston-loki", place, "winston-shop"), {
    "console.error(error)": "{ console.error(error); process.exit(1); }",
  });
  await runModule(winston + byWinston("by winston as JSON"), place.directory);
  const protobuf = replaced(winston, { "json: true": "json: false" });
  await runModule(protobuf + byWinston("by winston as protobuf"), place.directory);
  const found = await place.find(
    `select ${COLUMNS} from logs where service in ('pino-shop', 'winston-shop') order by message`,
    3,
  );
  assert.deepEqual(
    found.map(({ message, level, service, ordered }) => [message, level, service, ordered]),
    [
      ["by pino", "error", "pino-shop", "7"],
      ["by winston as JSON", "warn", "winston-shop", "8"],
      ["by winston as protobuf", "warn", "winston-shop", "8"],
    ],
  );
  assertNow(found);
});

test("python-logging-loki, in its newer and its older form", { skip: missingPython("logging_loki") }, async () => {
  const newer = configurationOf("python-loki", place, "python-shop");
  for (const [form, text] of [newer, replaced(newer, { 'version="1"': 'version="0"' })].entries()) {
    const end = `import os\nhandler.handleError = lambda record: os._exit(1)\nlogger.error("by python %s", ${form})\n`;
    await runScript(text + end, place.directory);
  }
  const found = await place.find(`select ${COLUMNS} from logs where service = 'python-shop' order by message`, 2);
  assert.deepEqual(
    found.map(({ message, level }) => [message, level]),
    [
      ["by python 0", "error"],
      ["by python 1", "error"],
    ],
  );
  assertNow(found);
});
