/** Faults by those who send: the machine itself is well. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { askUpload, uploaded } from "../fixtures/files.ts";
import { eventually, mooring } from "../fixtures/process.ts";
import { ingest, logEntry } from "../fixtures/telemetry.ts";
import { acceptedEvent, newDestination, newWebhook } from "../fixtures/webhooks.ts";
import { playFaults, type Fault } from "./fault.ts";
import type { Machine } from "./machine.ts";

/** Repeats work until it is stopped. Returns how to stop it. */
function repeat(work: () => Promise<unknown>, pauseMs: number): () => Promise<void> {
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      await work();
      await delay(pauseMs);
    }
  })();
  return async () => {
    isOver = true;
    await running;
  };
}

async function credential(machine: Machine, name: string, scopes: readonly string[]) {
  const answer = await machine.server.call<{ id: string; client_id: string; client_secret: string }>(
    "POST",
    "/v1/credentials",
    {
      token: await machine.token(),
      json: { name, scopes },
    },
  );
  assert.equal(answer.status, 201, answer.text);
  const { id, client_id, client_secret } = answer.body;
  return { id, client_id, client_secret };
}

/** A sender whose clock is in the year 2099. */
const refusedTelemetry: Fault = {
  name: "refused telemetry",
  alert: "MooringTelemetryRefused",
  words: /Entries of telemetry are refused \(in_future\)/,
  page: "telemetry-refused",
  cause: async (machine) => {
    const sender = await machine.server.token(await credential(machine, "old sensor", ["telemetry:write"]));
    const entry = logEntry("from the future", { timestamp: "2099-01-01T00:00:00Z" });
    const first = await ingest(machine.server, sender, "logs", [entry]);
    assert.equal(first.status, 400, first.text);
    return repeat(() => ingest(machine.server, sender, "logs", [entry]), 200);
  },
  cured: async () => {},
};

const ATTACKER = "127.0.0.2";

/** Sends a wrong secret from another address of the loopback. Resolves to the status; 0: no answer. */
function guess(port: number, clientId: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: `mrcs_${"x".repeat(49)}`,
  }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", host: `127.0.0.1:${port}` };
  const sent = request({
    host: "127.0.0.1",
    port,
    path: "/oauth/token",
    method: "POST",
    headers,
    localAddress: ATTACKER,
    agent: false,
    // A timeout of the socket begins with its connection, which the firewall prevents.
    signal: AbortSignal.timeout(1_000),
  });
  sent.on("error", () => resolve(0));
  sent.on("response", (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  sent.end(body);
  return promise;
}

let target = "";

const bruteForce: Fault = {
  name: "brute force",
  alert: "MooringSignInsFail",
  words: /Many sign-ins or token requests fail/,
  page: "brute-force",
  cause: async (machine) => {
    const tried = await credential(machine, "tried", ["telemetry:read"]);
    target = tried.client_id;
    const port = machine.port("listen");
    // More than 300 in ten minutes are a problem.
    for (let i = 0; i < 320; i += 32) await Promise.all(Array.from({ length: 32 }, () => guess(port, target)));
    const stop = repeat(() => guess(port, target), 100);
    return async () => {
      await stop();
      spawnSync("iptables", [
        "--delete",
        "INPUT",
        "--source",
        ATTACKER,
        "--protocol",
        "tcp",
        "--dport",
        String(port),
        "--jump",
        "DROP",
      ]);
    };
  },
  cured: async (machine) => {
    await eventually("the attacker to get no answer", async () =>
      (await guess(machine.port("listen"), target)) === 0 ? true : null,
    );
  },
};

/** More queries than one credential may run and let wait. */
const FLOOD = 60;
const HEAVY = "SELECT count(*) FROM range(200000) a CROSS JOIN range(200000) b WHERE a.range + b.range = 7";

const slowQueries: Fault = {
  name: "slow queries",
  alert: "MooringQueriesRefused",
  words: /Queries are refused, because too many run/,
  page: "slow-queries",
  cause: async (machine) => {
    const token = await machine.server.token(await credential(machine, "dashboard", ["telemetry:read"]));
    const ask = (): Promise<unknown> =>
      machine.server.call("POST", "/v1/query", { token, json: { sql: HEAVY } }).catch(() => null);
    const flood = Array.from({ length: FLOOD }, () => repeat(ask, 500));
    return async () => {
      await Promise.all(flood.map((stop) => stop()));
    };
  },
  cured: async () => {},
};

const quotaFull: Fault = {
  name: "quota full",
  alert: "MooringQuotaFull",
  words: /Requests to files exceed the quota/,
  page: "quota-full",
  cause: async (machine) => {
    const { server, home, dataDir } = machine;
    const set = await mooring(["quota", home.org.slug, "--files", "1KiB", "--data-dir", dataDir], {
      environment: server.environment,
    });
    assert.equal(set.code, 0, set.stderr);
    const token = await machine.token();
    const upload = (): Promise<unknown> => askUpload(server, token, { size_bytes: 100_000 });
    await eventually("an upload to be refused", async () =>
      (await askUpload(server, token, { size_bytes: 100_000 })).status === 413 ? true : null,
    );
    return repeat(upload, 500);
  },
  cured: async (machine) => {
    await uploaded(machine.server, await machine.token(), {}, "x".repeat(10_000));
  },
};

/** Accepts requests, and answers them after a restart only. */
const receiver = (() => {
  let answers = false;
  let server: Server | undefined;
  return {
    open: async () => {
      server = createServer((_request, response) => void (answers && response.end())).listen(0, "127.0.0.1");
      await once(server, "listening");
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    },
    start: async () => void (answers = true),
    stop: async () => server?.closeAllConnections(),
    close: () => {
      server?.closeAllConnections();
      server?.close();
    },
  };
})();

const EVENTS = 6;

const deliveriesStuck: Fault = {
  name: "deliveries stuck",
  alert: "MooringDeliveriesStuck",
  words: /A destination of a webhook accepts nothing/,
  page: "deliveries-stuck",
  cause: async (machine) => {
    const url = await receiver.open();
    const token = await machine.token();
    const webhook = await newWebhook(machine.server, token);
    await newDestination(machine.server, token, webhook.id, { url });
    for (let i = 0; i < EVENTS; i++) await acceptedEvent(webhook.url, `{"event":${i}}`);
    return receiver.close;
  },
  cured: async () => {},
};

playFaults(
  () => ({
    settings: { rate_limit_per_second: 1000, rate_limit_burst: 1000, webhooks_private_addresses: "allow" },
    services: { receiver },
  }),
  [refusedTelemetry, slowQueries, quotaFull, deliveriesStuck, bruteForce],
);
