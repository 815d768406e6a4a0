import type { DuckDBPreparedStatement } from "@duckdb/node-api";
import { readFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { setImmediate } from "node:timers/promises";
import { CHILD_BASE_BYTES } from "../settings.ts";
import { FILES_FRAME_BYTES_MAX, FRAME, FrameReader, QUERY_FRAME_BYTES_MAX } from "../frames.ts";
import type { Evaluate } from "../gate/index.ts";
import type { ChildFiles, ChildQuery } from "../protocol.ts";
import { openChannel, type Channel } from "./channel.ts";
import { lock, makeInstance } from "./instance.ts";
import { Session } from "./session.ts";

const GATE_MEMORY_BYTES = 128 * 1024 * 1024;
const FRAME_BYTES_MAX: ReadonlyMap<number, number> = new Map([
  [FRAME.query, QUERY_FRAME_BYTES_MAX],
  [FRAME.files, FILES_FRAME_BYTES_MAX],
  [FRAME.cancel, 0],
]);
/** Instances that are created in advance, so that an immediate next query does not wait. */
const INSTANCES_AHEAD = 2;
const NICENESS = 5; // ingestion has priority over queries

/** Creates the gate's instance, which has no data, no files, and is locked. It only parses and renders. */
async function makeEvaluate(): Promise<Evaluate> {
  const { connection } = await makeInstance(1);
  await lock(connection, { files: [], memoryBytes: GATE_MEMORY_BYTES });
  const prepared = new Map<string, DuckDBPreparedStatement>(); // preparing takes longer than running
  return async (sql, parameter) => {
    const statement = prepared.get(sql) ?? (await connection.prepare(sql));
    prepared.set(sql, statement);
    statement.bindVarchar(1, parameter);
    const result = await statement.runAndReadAll();
    return String(result.getRows()[0]?.[0]);
  };
}

/** Serves queries one after the other until the engine closes the socket. */
async function serve(channel: Channel, threads: number): Promise<void> {
  let session: Session | undefined;
  let cancelled = false;
  const evaluate = await makeEvaluate();
  const ahead = Array.from({ length: INSTANCES_AHEAD }, () => makeInstance(threads));

  const run = async (query: ChildQuery): Promise<void> => {
    const instance = await (ahead.shift() ?? makeInstance(threads));
    session = new Session(query, channel, instance, evaluate);
    if (cancelled) session.stop("cancel");
    const last = await session.run();
    session = undefined;
    // Closing takes milliseconds. A child with little memory reports `ready` before it. A child with much memory closes
    // first, to see whether the memory is freed.
    const early = dataBytes() <= CHILD_BASE_BYTES;
    if (!early) instance.close();
    // Sends both frames together, so that the next query finds an idle child. The next instance is created meanwhile.
    const sent = Promise.all([
      channel.send(last.kind, last.payload),
      channel.send(dataBytes() <= CHILD_BASE_BYTES ? FRAME.ready : FRAME.spent),
    ]);
    await setImmediate(); // sends the frames first
    if (early) instance.close();
    const made = makeInstance(threads);
    ahead.push(made);
    await Promise.all([sent, made]);
  };

  const reader = new FrameReader({
    limit: (kind) => FRAME_BYTES_MAX.get(kind),
    streamed: () => false,
    piece: () => undefined,
    frame: (kind, payload) => {
      // Files for a query that has already ended are ignored.
      if (kind === FRAME.files) return session?.supply(JSON.parse(payload.toString()) as ChildFiles);
      cancelled = kind === FRAME.cancel; // a late cancel must not affect the next query
      if (cancelled) session?.stop("cancel");
      else void run(JSON.parse(payload.toString()) as ChildQuery).catch(abort);
    },
  });
  channel.onBytes((bytes) => {
    reader.push(bytes);
  });
  await Promise.all(ahead);
  await channel.send(FRAME.ready);
}

/**
 * Returns the memory that counts against RLIMIT_DATA: the sixth number of statm, in pages (proc(5)). Returns 0 without
 * /proc.
 */
function dataBytes(): number {
  try {
    return Number(readFileSync("/proc/self/statm", "utf8").split(" ")[5] ?? 0) * 4096;
  } catch {
    return 0;
  }
}

/** Ends a child whose state may be damaged. The engine reports the failure and starts another child. */
function abort(): void {
  process.kill(process.pid, "SIGKILL");
}

// A stop of the service may signal all of its processes. The child ignores that, so that running queries finish. The engine
// ends it.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => undefined);
// Lowers the priority only. Raising it needs a privilege that a child does not have.
if (getPriority() < NICENESS) setPriority(NICENESS);
await serve(openChannel(), Number(process.argv[2])).catch(abort);
