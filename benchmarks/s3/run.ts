import { parseArgs } from "node:util";
import { quantileOf, shown, spreadOf } from "../lib/statistics.ts";
import { sampleTree } from "../logs/sampler.ts";
import { fill, listPages, listPrefixes } from "./listing.ts";
import { getLarge, getSmall, multipart, prepareSmall, putLarge, putSmall, type Pace } from "./measures.ts";
import { serversFrom, type S3Server } from "./servers.ts";

// Compares the S3 gateway with other servers on one machine, in one run. MOORING_BENCH_VERSITYGW and
// MOORING_BENCH_MINIO name their binaries; servers without a binary are left out. Each server has the machine for
// itself while it is measured.

const { values } = parseArgs({
  options: {
    "large-mib": { type: "string", default: "1024" },
    "multipart-mib": { type: "string", default: "5120" },
    keys: { type: "string", default: "100000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "5" },
    dir: { type: "string" },
  },
});
const MIB = 1024 * 1024;
const rounds = Number(values.rounds);
const durationMs = Number(values.seconds) * 1000;

async function series<T>(measure: (round: number) => Promise<T>): Promise<T[]> {
  const figures: T[] = [];
  for (let round = 0; round < rounds; round++) figures.push(await measure(round));
  return figures;
}

/** Prints a figure with its cost for the server. */
async function printFigure<T>(
  server: S3Server,
  what: string,
  measure: () => Promise<T>,
  text: (figure: T) => string,
): Promise<void> {
  const sampler = await sampleTree(server.pid);
  const figure = await measure();
  const { rssBytesMax, cpuSeconds } = await sampler.stop();
  const cost = `${Math.round(rssBytesMax / MIB)} MiB of memory, ${cpuSeconds.toFixed(1)} s of CPU`;
  console.log(`  ${what.padEnd(34)} ${text(figure)}; ${cost}`);
}

const paces = (all: readonly Pace[]): string => {
  const [p50, p99] = [spreadOf(all.map(({ p50Ms }) => p50Ms)), spreadOf(all.map(({ p99Ms }) => p99Ms))];
  return `${shown(spreadOf(all.map(({ perSecond }) => perSecond)))} a second, ${shown(p50, 1)} ms, p99 ${shown(p99, 1)} ms`;
};
const speeds = (all: readonly number[]): string => `${shown(spreadOf(all))} MiB a second`;
const times = (all: readonly number[]): string =>
  `${shown(spreadOf(all), 1)} ms, p99 ${quantileOf(all, 0.99).toFixed(1)} ms`;

async function measure(server: S3Server): Promise<void> {
  const large = Number(values["large-mib"]) * MIB;
  const parts = Number(values["multipart-mib"]) * MIB;
  const keys = Number(values.keys);
  console.log(`${server.name} (a PUT is ${server.durable})`);
  await printFigure(server, `PUT of ${values["large-mib"]} MiB`, () => series(() => putLarge(server, large)), speeds);
  await printFigure(server, `GET of ${values["large-mib"]} MiB`, () => series(() => getLarge(server, large)), speeds);
  await printFigure(
    server,
    "PUT of 4 KiB, 32 clients",
    () => series((round) => putSmall(server, durationMs, round)),
    paces,
  );
  await prepareSmall(server);
  await printFigure(server, "GET of 4 KiB, 32 clients", () => series(() => getSmall(server, durationMs)), paces);
  await printFigure(
    server,
    `${values["multipart-mib"]} MiB in parts of 16 MiB`,
    () => series(() => multipart(server, parts)),
    speeds,
  );
  await printFigure(
    server,
    `PUT of ${keys} empty objects`,
    () => fill(server, keys),
    (figure) => `${Math.round(figure)} a second`,
  );
  await printFigure(server, "1,000 common prefixes of them", () => series(() => listPrefixes(server)), times);
  await printFigure(server, "pages of 1,000 of their keys", () => listPages(server, 100), times);
}

for (const start of serversFrom(process.env, values.dir)) {
  const server = await start();
  try {
    await measure(server);
  } finally {
    await server.stop();
  }
}
