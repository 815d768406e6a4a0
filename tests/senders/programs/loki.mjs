// Sends a line by pino and two by winston, through their transports for Loki.
import { createRequire } from "node:module";
import { once } from "node:events";

const require = createRequire(process.env.PACKAGES);
const { ORIGIN, KEY } = process.env;

const pino = require("pino");
const transport = pino.transport({
  target: require.resolve("pino-loki"),
  options: {
    host: ORIGIN,
    batching: { interval: 1 },
    labels: { app: "pino-shop" },
    basicAuth: { username: "1", password: KEY },
  },
});
const logger = pino(transport);
// The transport's thread does not keep the process alive.
const alive = setInterval(() => {}, 1000);
await once(transport, "ready");
logger.error({ order: 7 }, "by pino");
// It sends its batch before it closes.
transport.end();
await once(transport, "close");
clearInterval(alive);

const winston = require("winston");
const LokiTransport = require("winston-loki");
for (const json of [true, false]) {
  const loki = new LokiTransport({
    host: ORIGIN,
    json,
    basicAuth: `1:${KEY}`,
    labels: { app: "winston-shop" },
    format: winston.format.json(),
    batching: true,
    onConnectionError: (error) => {
      console.error(error);
      process.exit(1);
    },
  });
  const made = winston.createLogger({ transports: [loki] });
  made.warn(json ? "by winston as JSON" : "by winston as protobuf", { order: 8 });
  await new Promise((resolve) => setImmediate(resolve));
  await loki.flush();
}
process.exit(0);
