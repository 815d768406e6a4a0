/**
 * A PostgreSQL whose tables another client locks, or that closes connections: 503 with `Retry-After` in each surface's
 * own form, never 500.
 */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { DATABASES } from "../fixtures/databases.ts";
import { askUpload } from "../fixtures/files.ts";
import { startPostgres, type PostgresServer, type PostgresSession } from "../fixtures/postgres-server.ts";
import { eventually } from "../fixtures/process.ts";
import { descriptorOf, digestOf, OCI_MANIFEST, repositoryOf, type RepositoryClient } from "../fixtures/registry.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import { s3EndpointOf } from "../fixtures/s3.ts";
import { showLogs, startServer, type Bootstrap, type Server } from "../fixtures/server.ts";
import { query } from "../fixtures/telemetry.ts";
import { newWebhook, post } from "../fixtures/webhooks.ts";

const skip = DATABASES.find(({ kind }) => kind === "postgres")?.skip ?? false;
const WAIT_MS = 500;
/** The time of a request that waits for several locks one after the other, on a busy machine. */
const ANSWER_MS_MAX = 10_000;

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null | undefined;
}

interface Request {
  readonly send: () => Promise<Answered>;
  /** The expected refusal, in the surface's own form. */
  readonly form: RegExp;
}

describe("records that another client has locked", { skip }, () => {
  let postgres: PostgresServer;
  let session: PostgresSession;
  let environment: Readonly<Record<string, string>>;
  let server: Server;
  let home: Bootstrap;
  let token: string;
  let s3: S3Client;
  let images: RepositoryClient;
  let hook: string;

  showLogs(() => [server]);
  before(async () => {
    postgres = await startPostgres();
    const MOORING_DATABASE_URL = await postgres.createDatabase("locked");
    environment = { MOORING_DATABASE_URL, MOORING_MASTER_KEY: randomBytes(32).toString("hex") };
    session = postgres.session("locked");
    await session.ask("set client_min_messages = error"); // Closing a connection twice must not cause a warning.
    const settings = { database_wait_ms: WAIT_MS, webhook_rate_limit_burst: 100_000 };
    server = await startServer({ database: "sqlite", environment, settings });
    home = await server.bootstrap();
    token = await server.token(home.credential);
    s3 = sdkClient(await s3EndpointOf(server, home));
    images = await repositoryOf(server, home.credential, "orgs/acme/checkout");
    await images.blob("{}"); // The manifest needs this blob.
    hook = (await newWebhook(server, token)).url;
  });
  after(async () => {
    await server.dispose();
    await session.close();
    await postgres.stop();
  });

  const api = (method: string, path: string, json?: object, form = /"code":"unavailable"/): Request => ({
    form,
    send: async () => {
      const answer = await server.call(method, path, { token, ...(json === undefined ? {} : { json }) });
      return { ...answer, retryAfter: answer.headers.get("retry-after") };
    },
  });
  const object = (act: () => Promise<unknown>): Request => ({
    form: /^ServiceUnavailable$/,
    send: () => s3Answer(act),
  });
  const image = (method: string, path: string, body?: string): Request => ({
    form: /"code":"UNAVAILABLE"/,
    send: async () => {
      const headers = body === undefined ? {} : { "content-type": OCI_MANIFEST };
      const answer = await images.call(method, path, { body, headers });
      return { status: answer.status, text: answer.content.toString(), retryAfter: answer.headers["retry-after"] };
    },
  });
  const unique = (): string => `x${randomUUID().slice(0, 12)}`;

  const writes = (): Readonly<Record<string, Request>> => ({
    "a project": api("POST", "/v1/projects", { slug: unique() }),
    "a credential": api("POST", "/v1/credentials", { name: "x", scopes: ["org:read"] }),
    "a key": api("POST", "/v1/s3/keys", { name: "x", scopes: ["s3:read"] }),
    "an upload": {
      form: /"code":"unavailable"/,
      send: async () => {
        const answer = await askUpload(server, token);
        return { ...answer, retryAfter: answer.headers.get("retry-after") };
      },
    },
    "an event": {
      form: /"code":"unavailable"/,
      send: async () => {
        const answer = await post(hook, "{}");
        return { ...answer, retryAfter: answer.headers.get("retry-after") };
      },
    },
    "an object": object(() => s3.send(new PutObjectCommand({ Bucket: home.s3.bucket, Key: unique(), Body: "x" }))),
    "a bucket": object(() => s3.send(new CreateBucketCommand({ Bucket: unique() }))),
    "a blob": image("POST", `blobs/uploads/?digest=${digestOf("x")}`, "x"),
    "a manifest": image("PUT", "manifests/v1", MANIFEST),
  });
  const reads: Readonly<Record<string, () => Request>> = {
    projects: () => api("GET", "/v1/projects"),
    files: () => api("GET", "/v1/files"),
    "an access token": () => ({
      form: /"error":"temporarily_unavailable"/,
      send: async () => {
        const { client_secret } = home.credential;
        const unknown = { client_id: `mrc_${"0".repeat(26)}`, client_secret };
        const body = new URLSearchParams({ grant_type: "client_credentials", ...unknown });
        const response = await fetch(`${server.origin}/oauth/token`, { method: "POST", body });
        return {
          status: response.status,
          text: await response.text(),
          retryAfter: response.headers.get("retry-after"),
        };
      },
    }),
    "records by SQL": () => ({
      form: /"code":"unavailable"/,
      send: async () => {
        const answer = await query(server, token, "select count(*) from audit_log");
        return { ...answer, retryAfter: answer.headers.get("retry-after") };
      },
    }),
    "an object": () => object(() => s3.send(new GetObjectCommand({ Bucket: home.s3.bucket, Key: "none" }))),
    "a bucket": () => object(() => s3.send(new ListObjectsV2Command({ Bucket: home.s3.bucket }))),
    "a manifest": () => image("GET", "manifests/v1"),
    tags: () => image("GET", "tags/list"),
  };

  /** Locks every table except those for the presence of nodes. */
  async function whileLocked<T>(mode: string, use: () => Promise<T>): Promise<T> {
    const names = await session.ask(
      "select string_agg(quote_ident(tablename), ', ') from pg_tables where schemaname = 'public' and tablename not in ('node', 'auth_change', 'migration')",
    );
    await session.ask(`begin; lock table ${names} in ${mode} mode`);
    try {
      return await use();
    } finally {
      await session.ask("rollback");
    }
  }

  async function mustBeRefused(name: string, { send, form }: Request): Promise<void> {
    const beganMs = performance.now();
    const { status, text, retryAfter } = await send();
    assert.equal(status, 503, `${name}: ${text}`);
    assert.match(text, form, name);
    assert.match(retryAfter ?? "", /^[1-9][0-9]*$/, `${name}: no Retry-After`);
    assert.ok(performance.now() - beganMs < ANSWER_MS_MAX, `${name} was refused late`);
  }

  test("changes of records are refused while they are locked, and work afterwards", async () => {
    await whileLocked("exclusive", async () => {
      for (const [name, request] of Object.entries(writes())) await mustBeRefused(name, request);
    });
    const made = await server.call("POST", "/v1/projects", { token, json: { slug: unique() } });
    assert.equal(made.status, 201, made.text);
  });

  test("reads of records are refused while they can't be read, and work afterwards", async () => {
    await whileLocked("access exclusive", async () => {
      for (const [name, request] of Object.entries(reads)) await mustBeRefused(name, request());
    });
    assert.equal((await server.call("GET", "/v1/projects", { token })).status, 200);
  });

  test("a server that starts while records are locked waits for them", async () => {
    const { starting } = await whileLocked("access exclusive", async () => {
      const settings = { database_wait_ms: WAIT_MS, log_level: "warn" };
      const starting = startServer({ database: "sqlite", environment, settings });
      // Its first attempts end after half a second each.
      const outcome = await Promise.race([
        starting.then(
          () => "started",
          () => "ended",
        ),
        delay(8 * WAIT_MS, "waits"),
      ]);
      assert.equal(outcome, "waits");
      return { starting };
    });
    const second = await starting;
    try {
      const own = await second.token(home.credential);
      assert.equal((await second.call("GET", "/v1/projects", { token: own })).status, 200);
    } finally {
      await second.dispose();
    }
  });

  test("connections that PostgreSQL closes during their work are not failures of the server", async () => {
    let goesOn = true;
    let ended = 0;
    const ending = (async () => {
      while (goesOn)
        ended += Number(
          await session.ask(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'mooring' and datname = 'locked' and xact_start is not null",
          ),
        );
    })();
    const seen = new Set<number>();
    const deadline = performance.now() + 10_000;
    while (performance.now() < deadline) {
      const answers = await Promise.all(
        Object.entries(writes()).map(async ([name, { send }]) => ({ name, ...(await send()) })),
      );
      for (const { name, status, text, retryAfter } of answers) {
        assert.ok(status < 300 || status === 503, `${name}: ${status} ${text}`);
        if (status === 503) assert.match(retryAfter ?? "", /^[1-9][0-9]*$/, name);
        seen.add(status);
      }
    }
    goesOn = false;
    await ending;
    assert.ok(ended > 0 && seen.has(503), `${ended} connections were closed`);
    const verified = await eventually("the log to be verified", async () => {
      const answer = await server.call("GET", "/v1/audit/verify", { token });
      return answer.status === 503 ? null : answer;
    });
    assert.equal(verified.body["ok"], true, verified.text);
  });
});

const MANIFEST = JSON.stringify({
  schemaVersion: 2,
  mediaType: OCI_MANIFEST,
  config: descriptorOf("{}", "application/vnd.oci.image.config.v1+json"),
  layers: [],
  annotations: { of: digestOf("x") },
});

async function s3Answer(act: () => Promise<unknown>): Promise<Answered> {
  try {
    await act();
    return { status: 200, text: "", retryAfter: null };
  } catch (error) {
    const { name, $metadata, $response } = error as {
      name: string;
      $metadata?: { httpStatusCode?: number };
      $response?: { headers: Record<string, string> };
    };
    return { status: $metadata?.httpStatusCode ?? 0, text: name, retryAfter: $response?.headers["retry-after"] };
  }
}
