/** The table of metrics and a running server: each has exactly the families, labels and values of the other. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { FAMILIES, isListed, type Family } from "../../server/src/kernel/metrics/index.ts";
import { startServer, type Server } from "../fixtures/server.ts";
import { logEntry } from "../fixtures/telemetry.ts";

interface Line {
  readonly family: string;
  readonly labels: ReadonlyMap<string, string>;
}

/** Families that may have no number in an idle server, each with what it waits for. */
const NEED_EVENTS: Readonly<Record<string, string>> = {
  mooring_certificate_expiry_timestamp_seconds: "a listener with TLS",
  mooring_fatal_exit_timestamp_seconds: "a part that has died",
  mooring_ingest_skipped_total: "values that are skipped",
  mooring_job_runs_total: "a job",
};

const TABLE: Readonly<Record<string, Family>> = FAMILIES;

function linesOf(text: string): Line[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", labels = ""] = /^([a-z0-9_]+)(?:\{(.*)\})? -?[\d.e+-]+$/.exec(line) ?? assert.fail(line);
      const isHistogram = TABLE[name.replace(/_(bucket|sum|count)$/, "")]?.type === "histogram";
      const family = isHistogram ? name.replace(/_(bucket|sum|count)$/, "") : name;
      const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)];
      return { family, labels: new Map(pairs.map(([, label = "", value = ""]) => [label, value])) };
    });
}

describe("the table of metrics", () => {
  let server: Server;
  let text: string;
  const backups = mkdtempSync(join(tmpdir(), "mooring-metrics-"));
  before(async () => {
    const syslog = Object.fromEntries(["tcp", "udp"].map((name) => [`syslog_${name}_listen`, "127.0.0.1:0"]));
    server = await startServer({
      database: "sqlite",
      settings: { metrics_listen: "127.0.0.1:0", own_telemetry_organization: "acme", backup_dir: backups, ...syslog },
    });
    const { app, credential } = await server.bootstrap();
    const token = await server.token(credential);
    for (const [path, body] of [
      ["/v1/ingest/logs", { entries: [logEntry("counted")] }],
      ["/v1/query", { sql: "SELECT count(*) FROM logs" }],
      ["/no-such-path", {}],
    ] as const) {
      const answer = await fetch(`${server.origin}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
      assert.ok(answer.status < 500, `${path} ${app.id} ${answer.status} ${await answer.text()}`);
    }
    const url = /^\s*metrics\s+(http:\S+)$/m.exec(server.stdout())?.[1] ?? assert.fail(server.stdout());
    const answer = await fetch(url);
    assert.equal(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    text = await answer.text();
  });
  after(async () => {
    await server?.dispose();
    rmSync(backups, { recursive: true, force: true });
  });

  test("has each family that the server has, and no other, with the same type and help", () => {
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
    assert.deepEqual(
      types,
      Object.entries(TABLE).map(([name, { type }]) => `${name} ${type}`),
    );
    for (const [, name = "", help] of text.matchAll(/^# HELP (\S+) (.+)$/gm))
      assert.equal(help, `${TABLE[name]?.help}.`);
    for (const { family } of linesOf(text)) assert.ok(family in TABLE, family);
  });

  test("has no family that the server never fills", () => {
    const filled = new Set(linesOf(text).map(({ family }) => family));
    assert.deepEqual(
      Object.keys(TABLE).filter((name) => !filled.has(name) && !(name in NEED_EVENTS)),
      [],
    );
    assert.deepEqual(
      Object.keys(NEED_EVENTS).filter((name) => !(name in TABLE)),
      [],
    );
  });

  test("has the labels of each number, with all their values", () => {
    for (const { family, labels } of linesOf(text)) {
      const { labels: listed = {}, type } = TABLE[family] ?? assert.fail(family);
      const names = [...labels.keys()].filter((label) => type !== "histogram" || label !== "le");
      assert.deepEqual(names, Object.keys(listed), family);
      for (const [label, values] of Object.entries(listed))
        if (isListed(values)) assert.ok(values.includes(labels.get(label) ?? ""), `${family} ${labels.get(label)}`);
    }
  });

  test("has the metrics that the portal draws", () => {
    const panels = readFileSync(new URL("../../portal/src/pages/instance/metric-panels.ts", import.meta.url), "utf8");
    const names = [...panels.matchAll(/plot\("\w+", "([a-z_]+)"/g)].map(([, name = ""]) => name);
    assert.ok(names.length > 5);
    assert.deepEqual(
      names.filter((name) => !(name.replace(/_bucket$/, "") in TABLE)),
      [],
    );
  });

  test("bounds the number of values of each label", () => {
    for (const [name, { labels: listed = {} }] of Object.entries(TABLE))
      for (const [label, values] of Object.entries(listed)) {
        const seen = new Set(
          linesOf(text).flatMap(({ family, labels }) => (family === name ? [labels.get(label)] : [])),
        );
        assert.ok(
          seen.size <= (isListed(values) ? values.length : values.max),
          `${name} ${label}: ${[...seen].join()}`,
        );
      }
  });
});
