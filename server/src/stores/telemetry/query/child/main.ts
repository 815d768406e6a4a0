import { setPriority } from "node:os";
import { FRAME, FrameReader, QUERY_FRAME_BYTES_MAX } from "../frames.ts";
import type { Evaluate } from "../gate/index.ts";
import type { ChildQuery } from "../protocol.ts";
import { openChannel, type Channel } from "./channel.ts";
import { lock, makeInstance, type Instance } from "./instance.ts";
import { Session } from "./session.ts";

const GATE_MEMORY_BYTES = 128 * 1024 * 1024;
const NICENESS = 5; // taking in telemetry goes before answering

/** The gate's own instance: no data, no files, everything locked. It only parses and renders. */
async function makeEvaluate(): Promise<Evaluate> {
  const { connection } = await makeInstance(1);
  await lock(connection, [], GATE_MEMORY_BYTES);
  return async (sql, parameter) => {
    const reader = await connection.runAndReadAll(sql, [parameter]);
    return String(reader.getRows()[0]?.[0]);
  };
}

/** Serves queries one after the other until the engine closes the socket. */
async function serve(channel: Channel): Promise<void> {
  let threads = 1;
  let session: Session | undefined;
  let cancelled = false;
  const evaluate = await makeEvaluate();
  let next: Promise<Instance> = makeInstance(threads);

  const run = async (query: ChildQuery): Promise<void> => {
    if (query.threads !== threads) {
      threads = query.threads;
      (await next).close();
      next = makeInstance(threads);
    }
    const instance = await next;
    session = new Session(query, channel, instance, evaluate);
    if (cancelled) session.stop("cancel");
    const last = await session.run();
    session = undefined;
    cancelled = false;
    instance.close();
    // Both at once, so that whoever asks again at once meets an idle child; the next instance is made meanwhile.
    const sent = channel.send(last.kind, last.payload);
    await Promise.all([sent, channel.send(FRAME.ready)]);
    next = makeInstance(threads);
    await next;
  };

  const reader = await connection.runAndReadAll(sql, [parameter]);
    return String(reader.getRows()[0]?.[0]);
  };
}

/** Serves queries one after the other until the engine closes the socket. */
async function serve(channel: Channel): Promise<void> {
  let threads = 1;
  let session: Session | undefined;
  let cancelled = false;
  const evaluate = await makeEvaluate();
  let next: Instance = await makeInstance(threads);

  const run = async (query: ChildQuery): Promise<void> => {
    if (query.threads !== threads) {
      threads = query.threads;
      next.close();
      next = await makeInstance(threads);
    }
    const instance = next;
    session = new Session(query, channel, instance, evaluate);
    if (cancelled) session.stop("cancel");
    await session.run();
    session = undefined;
    cancelled = false;
    instance.close();
    next = await makeInstance(threads);
    await channel.send(FRAME.ready);
  };

  const reader = new FrameReader({
    limit: (kind) => (kind === FRAME.query ? QUERY_FRAME_BYTES_MAX : kind === FRAME.cancel ? 0 : undefined),
    streamed: () => false,
    piece: () => undefined,
    frame: (kind, payload) => {
      if (kind === FRAME.cancel) {
        cancelled = true;
        session?.stop("cancel");
      } else void run(JSON.parse(payload.toString()) as ChildQuery).catch(abort);
    },
  });
  channel.onBytes((bytes) => {
    reader.push(bytes);
  });
  await next;
  await channel.send(FRAME.ready);
}

/** A child that is in doubt about itself ends; the engine answers for it and starts another. */
function abort(): void {
  process.kill(process.pid, "SIGKILL");
}

setPriority(NICENESS);
await serve(openChannel()).catch(abort);
