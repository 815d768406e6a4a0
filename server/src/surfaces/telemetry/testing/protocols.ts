import { text } from "node:stream/consumers";
import { after, before } from "node:test";
import { bearer, credentialOf, startTestServer, type TestServer } from "#http/testing/host.ts";
import { openTestTelemetry, type TestTelemetry } from "#stores/telemetry/testing/telemetry.ts";
import { createEncoderPool, createTelemetrySurface, type EncoderPool } from "../index.ts";
import { tailDeps } from "./tails.ts";
import { TEST_ORIGIN } from "#stores/telemetry/testing/origin.ts";

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface ProtocolPlace {
  readonly url: string;
  /** Sends a request. The token is that of a writer of `org_a`, unless the headers have another. */
  send(path: string, body?: Uint8Array | string, headers?: Record<string, string>, method?: string): Promise<Sent>;
  /** Returns the rows of `org_a`. */
  rows(sql: string): Promise<Record<string, unknown>[]>;
}

/** A server with the surface, for all tests of a file. Its tokens: writer, reader (another organization), shop. */
export function useProtocols(): ProtocolPlace {
  let telemetry: TestTelemetry;
  let encoders: EncoderPool;
  let server: TestServer;
  before(async () => {
    telemetry = await openTestTelemetry();
    encoders = createEncoderPool({ workers: 1 });
    server = await startTestServer({
      principals: {
        writer: credentialOf("org_a", ["telemetry:write"], "prj_a"),
        reader: credentialOf("org_b", ["telemetry:read"]),
      },
      mount: (host) => createTelemetrySurface({ host, store: telemetry.store, encoders, ...tailDeps(telemetry) }),
    });
  });
  after(async () => {
    await server.stop();
    await encoders.close();
    await telemetry.close();
  });
  return {
    get url() {
      return server.url;
    },
    send: async (path, body, headers = {}, method = "POST") => {
      const response = await fetch(server.url + path, {
        method,
        headers: { ...bearer("writer"), ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : new Uint8Array(body) }),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    rows: async (sql) => {
      const run = await telemetry.store.query({
        orgId: "org_a",
        origin: TEST_ORIGIN,
        visible: "all",
        sql,
        parameters: [],
        format: "ndjson",
        timeoutMs: 20_000,
        memoryBytesMax: 2 ** 28,
        rowsMax: 10_000,
        truncate: false,
        signal: new AbortController().signal,
      });
      const lines = (await text(run.body))
        .trimEnd()
        .split("\n")
        .filter((line) => line !== "");
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}
