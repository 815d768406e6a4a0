/** grpc-js against the product's own framing of gRPC: codings, statuses, deadlines, many calls and pings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  badTraceRequest,
  logsRequest,
  metricsRequest,
  SERVICES,
  tracesRequest,
  type GrpcType,
} from "../fixtures/grpc.ts";
import { newIngestKey } from "../fixtures/ingest-keys.ts";
import { RELAXED, useServer } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";
import type { LineProgram } from "./line-program.ts";
import { sendOverKill } from "./over-kill.ts";
import { missingPackage, startNode } from "./packages.ts";
import { useSenders } from "./place.ts";

const shared = useServer({ settings: RELAXED });
const place = useSenders();
const MIB = 1024 ** 2;
const COMPRESSIONS = ["identity", "deflate", "gzip"];
/** More than the streams that a connection may have at a time. */
const MANY = 300;

interface Result {
  readonly code: number;
  readonly details: string;
  /** The number of delays that the status has. */
  readonly retries: number;
  /** Each character is a byte. */
  readonly answer: string | null;
}

interface Call {
  readonly type?: GrpcType;
  readonly path?: string;
  readonly key: string;
  readonly message?: Buffer;
  readonly zeros?: number;
  readonly compression?: string;
  readonly deadlineMs?: number;
  readonly open?: boolean;
  readonly times?: number;
  readonly wait?: boolean;
}

type Calls<N extends string> = Readonly<Record<N, Call | { readonly pings: number }>>;

const toLine = (calls: Readonly<Record<string, Call | { readonly pings: number }>>): string => {
  const sent = Object.entries(calls).map(([name, call]) => {
    if ("pings" in call) return [name, call];
    const { type = "logs", path = SERVICES[type], key, message, ...more } = call;
    const fields = { authorization: `Bearer ${key}` };
    return [name, { ...more, path, fields, message: message?.toString("base64") }];
  });
  return JSON.stringify(Object.fromEntries(sent));
};

function startClient(origin: string): LineProgram {
  const address = new URL(origin).host;
  return startNode("grpc-js.mjs", { ADDRESS: address, GRPC_TRACE: "keepalive", GRPC_VERBOSITY: "DEBUG" });
}

/** Makes the calls one after another, all of them in one process. */
async function run<N extends string>(calls: Calls<N>): Promise<Record<N, readonly Result[] | boolean>> {
  const client = startClient(shared.server.grpcOrigin);
  const output = await client.send(toLine(calls));
  await client.end();
  return JSON.parse(output) as Record<N, readonly Result[] | boolean>;
}

function first(results: readonly Result[] | boolean): Result {
  return (results === true || results === false ? undefined : results[0]) ?? assert.fail("no result");
}

const skip = missingPackage("@grpc/grpc-js");

test("logs, metrics and traces arrive in each compression", { skip }, async () => {
  const key = await newIngestKey(shared.server, shared.home);
  const calls: Record<string, Call> = {};
  for (const compression of COMPRESSIONS) {
    const name = `js_${compression}`;
    calls[`logs ${compression}`] = { key, compression, type: "logs", message: logsRequest("js", [name]) };
    calls[`metrics ${compression}`] = { key, compression, type: "metrics", message: metricsRequest(name) };
    calls[`traces ${compression}`] = { key, compression, type: "traces", message: tracesRequest(name) };
  }
  for (const [name, results] of Object.entries(await run(calls)))
    assert.deepEqual(results, [{ code: 0, details: "", retries: 0, answer: "" }], name);
  const statement = `select message as name from logs where message like 'js_%'
    union all select name from metrics where name like 'js_%' union all select name from traces where name like 'js_%'`;
  const found = await rows<{ name: string }>(shared.server, shared.token, `select name from (${statement}) order by 1`);
  assert.deepEqual(
    found.map(({ name }) => name),
    COMPRESSIONS.toSorted().flatMap((compression) => Array.from({ length: 3 }, () => `js_${compression}`)),
  );
});

test("each status reaches the client, and the connection works on", { skip }, async () => {
  const key = await newIngestKey(shared.server, shared.home);
  const slow = await newIngestKey(shared.server, shared.home, { requests_per_second: 1 });
  const message = logsRequest("js", ["status"]);
  const results = await run({
    wrongKey: { key: `mrik_${"0".repeat(40)}`, message },
    noProtobuf: { key, message: Buffer.from([0xff]) },
    tooLarge: { key, zeros: 11 * MIB },
    bomb: { key, zeros: 11 * MIB, compression: "gzip" },
    unknownMethod: { key, path: `${SERVICES.logs}All`, message },
    refused: { key, type: "traces", message: badTraceRequest() },
    noMessage: { key, open: true, deadlineMs: 300 },
    tooOften: { key: slow, message, times: 30 },
    many: { key, message, times: MANY },
    idle: { pings: 20 },
    afterwards: { key, message },
  });
  const codes = {
    wrongKey: 16,
    noProtobuf: 3,
    tooLarge: 3,
    bomb: 3,
    unknownMethod: 12,
    refused: 0,
    noMessage: 4,
  } as const;
  for (const [name, code] of Object.entries(codes)) {
    const { code: found, details } = first(results[name as keyof typeof codes]);
    assert.equal(found, code, `${name}: ${details}`);
  }
  assert.match(first(results.wrongKey).details, /ingest key/);
  assert.match(first(results.refused).answer ?? "", /1 spans were refused/);
  const often = results.tooOften as readonly Result[];
  assert.deepEqual(new Set(often.map(({ code }) => code)), new Set([0, 8]));
  for (const { code, retries } of often) assert.equal(retries, code === 8 ? 1 : 0, "RESOURCE_EXHAUSTED has a delay");
  const many = results.many as readonly Result[];
  assert.deepEqual([many.length, new Set(many.map(({ code }) => code))], [MANY, new Set([0])]);
  assert.equal(results.idle, true, "pings without calls do not end the connection");
  assert.equal(first(results.afterwards).code, 0);
});

test("calls that wait for a connection lose nothing over a kill", { skip }, async () => {
  const client = startClient(place.addresses.otlp_grpc_url ?? "");
  const send = async (text: string): Promise<void> => {
    const line = toLine({ wait: { key: place.key, message: logsRequest("js", [text]), wait: true } });
    assert.deepEqual(JSON.parse(await client.send(line)), { wait: [{ code: 0, details: "", retries: 0, answer: "" }] });
  };
  await sendOverKill(place, [{ ...client, send, name: "by grpc-js", keeps: "confirmed", values: { service: "js" } }]);
});
