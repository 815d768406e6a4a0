// Makes calls by grpc-js over one connection for each compression. Each line of the input is calls as JSON, and is
// answered with the results.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(process.env.PACKAGES);
const grpc = require("@grpc/grpc-js");
const { ADDRESS } = process.env;

/** Answers to pings, by the traces of the library. */
let pings = 0;
let awaitedPings = { count: Infinity, done: () => {} };
const onTrace = (...words) => {
  if (!words.join(" ").includes("Received ping response")) return;
  pings += 1;
  if (pings >= awaitedPings.count) awaitedPings.done();
};
grpc.setLogger({ debug: onTrace, info: onTrace, error: onTrace });

const same = (bytes) => bytes;
const clients = new Map();

function clientOf(compression) {
  const made = clients.get(compression);
  if (made !== undefined) return made;
  const client = new grpc.Client(ADDRESS, grpc.credentials.createInsecure(), {
    "grpc.default_compression_algorithm": grpc.compressionAlgorithms[compression],
    "grpc.keepalive_time_ms": 50,
    "grpc.keepalive_permit_without_calls": 1,
  });
  clients.set(compression, client);
  return client;
}

function metadataOf(fields, waitForReady) {
  const metadata = new grpc.Metadata({ waitForReady });
  for (const [name, value] of Object.entries(fields)) metadata.set(name, value);
  return metadata;
}

/** `open`: the message is never sent. `zeros`: the message is this many zeros. `wait`: it waits for a connection. */
function call({
  path,
  fields,
  message = "",
  zeros,
  compression = "identity",
  deadlineMs = 20_000,
  open = false,
  wait = false,
}) {
  const client = clientOf(compression);
  const body = zeros === undefined ? Buffer.from(message, "base64") : Buffer.alloc(zeros);
  const options = { deadline: Date.now() + deadlineMs };
  return new Promise((resolve) => {
    const done = (error, answer) =>
      resolve({
        code: error?.code ?? 0,
        details: error?.details ?? "",
        retries: error?.metadata.get("grpc-status-details-bin").length ?? 0,
        answer: answer?.toString("latin1") ?? null,
      });
    if (open) client.makeClientStreamRequest(path, same, same, metadataOf(fields, wait), options, done);
    else client.makeUnaryRequest(path, same, same, body, metadataOf(fields, wait), options, done);
  });
}

/** Waits for answers to pings while no call runs. Resolves with whether the connection is still the same one. */
async function idle(count) {
  const channel = clientOf("identity").getChannel();
  let isLost = false;
  channel.watchConnectivityState(channel.getConnectivityState(false), Infinity, (error) => {
    isLost = error === undefined || error === null;
  });
  await new Promise((done) => {
    awaitedPings = { count: pings + count, done };
  });
  return !isLost;
}

for await (const line of createInterface({ input: process.stdin })) {
  const results = {};
  for (const [name, { times, pings: count, ...options }] of Object.entries(JSON.parse(line))) {
    if (count !== undefined) results[name] = await idle(count);
    else results[name] = await Promise.all(Array.from({ length: times ?? 1 }, () => call(options)));
  }
  console.log(JSON.stringify(results));
}
process.exit(0);
