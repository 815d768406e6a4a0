// Sends documents by the clients of Elasticsearch 8 and 9, and through the transports of pino and winston.
import { createRequire } from "node:module";
import { once } from "node:events";

const require = createRequire(process.env.PACKAGES);
const { ORIGIN, KEY } = process.env;
const node = `${ORIGIN}/elasticsearch`;
const COUNT = 2500;

for (const version of [8, 9]) {
  const { Client } = require(`elasticsearch${version}`);
  const client = new Client({ node, auth: { apiKey: KEY } });
  const datasource = Array.from({ length: COUNT }, (_, i) => ({
    "@timestamp": new Date().toISOString(),
    message: `document ${i}`,
    log: { level: "warn" },
    service: { name: `client-${version}` },
    order: i,
  }));
  const onDocument = () => ({ create: { _index: "logs-clients-default" } });
  const result = await client.helpers.bulk({ datasource, onDocument, flushBytes: 50_000 });
  if (result.successful !== COUNT || result.failed !== 0) throw new Error(JSON.stringify(result));
}

const pino = require("pino");
const stream = require("pino-elasticsearch")({
  index: "pino",
  node,
  esVersion: 8,
  flushBytes: 1,
  auth: { username: "any", password: KEY },
});
stream.on("error", (error) => console.error(error));
stream.on("insertError", (error) => console.error(error));
pino({ level: "info", base: { service: "pino-shop" } }, stream).error({ order: 7 }, "by pino");
stream.end();
await once(stream, "finish");

const winston = require("winston");
const { ElasticsearchTransport } = require("winston-elasticsearch");
const transport = new ElasticsearchTransport({ index: "logs-winston", clientOpts: { node, auth: { bearer: KEY } } });
transport.on("error", (error) => {
  console.error(error);
  process.exit(1);
});
const logger = winston.createLogger({ transports: [transport] });
logger.warn("by winston", { order: 8 });
await new Promise((resolve) => setImmediate(resolve));
await transport.flush();
await new Promise((resolve) => logger.on("finish", resolve).end());
