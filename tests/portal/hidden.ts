/** A private project with objects of every kind, for people who can't see it. */
import assert from "node:assert/strict";
import { uploaded } from "../fixtures/files.ts";
import type { Json, Shared } from "../fixtures/server.ts";
import { ingested } from "../fixtures/telemetry.ts";

/** The position of an object's ID in an address, below its project; `NAME` replaces the ID. */
export interface Named {
  readonly page: string;
  /** The ID of an object that the reader can't see; null if no object of the kind can be hidden. */
  readonly hidden: string | null;
  /** An ID of the same form without an object. */
  readonly invented: string;
}

export interface Vault {
  readonly project: { readonly id: string; readonly slug: string };
  readonly things: readonly Named[];
}

const NONE = "0".repeat(25);

/** `token` belongs to a person, who becomes the project's maintainer. */
export async function makeVault({ server, home }: Shared, token: string): Promise<Vault> {
  const make = async (path: string, json: object): Promise<Json> => {
    const answer = await server.call("POST", path, { token, json });
    assert.equal(answer.status, 201, `${path}: ${answer.text}`);
    return answer.body;
  };
  const idOf = async (path: string, json: object): Promise<string> => String((await make(path, json))["id"]);
  const project = "vault";
  const projectId = await idOf("/v1/projects", { slug: project, name: "Vault", visibility: "private" });
  const query = await idOf("/v1/query/saved", { name: "hidden", sql: "SELECT count(*) AS n FROM logs", project });
  const credential = await idOf("/v1/credentials", { name: "hidden", scopes: ["telemetry:write"], project });
  const app = await make("/v1/apps", { slug: "strongbox", project });
  const ids = {
    app: String(app["slug"]),
    file: (await uploaded(server, token, { filename: "hidden.txt", project })).id,
    webhook: await idOf("/v1/webhooks", { name: "hidden", project }),
    ingestKey: await idOf("/v1/ingest-keys", { name: "hidden", project }),
    key: await idOf("/v1/s3/keys", { name: "hidden", scopes: ["s3:read"], project }),
    trust: await idOf(`/v1/credentials/${credential}/trusts`, {
      name: "hidden",
      issuer: "https://token.actions.githubusercontent.com",
      subject: "repo:acme/vault:ref:refs/heads/main",
    }),
    alert: await idOf("/v1/alerts", {
      name: "hidden",
      query_id: query,
      url: "https://example.org/alert",
      every_s: 3600,
      condition: { operator: ">", threshold: 9999 },
    }),
  };
  const trace = await hiddenTrace({ server, token, project, projectId });
  const { webhook, app: seen } = home;
  return {
    project: { id: projectId, slug: project },
    things: [
      { page: "webhooks/NAME", hidden: ids.webhook, invented: `hook_${NONE}` },
      { page: "buckets/NAME", hidden: ids.app, invented: "no-such-bucket" },
      { page: "images/NAME", hidden: ids.app, invented: "no-such-app" },
      { page: "files?file=NAME", hidden: ids.file, invented: `file_${NONE}` },
      { page: "buckets?bucket=NAME", hidden: ids.app, invented: "no-such-bucket" },
      { page: "buckets?tab=events&destination=NAME", hidden: null, invented: `dest_${NONE}` },
      { page: "credentials?credential=NAME", hidden: credential, invented: `cred_${NONE}` },
      { page: "ingest-keys?key=NAME", hidden: ids.ingestKey, invented: `cred_${NONE}` },
      { page: "s3-keys?key=NAME", hidden: ids.key, invented: `key_${NONE}` },
      { page: "trusts?trust=NAME", hidden: ids.trust, invented: `trust_${NONE}` },
      { page: "alerts?alert=NAME", hidden: ids.alert, invented: `alert_${NONE}` },
      { page: "sql?saved=NAME", hidden: query, invented: `query_${NONE}` },
      { page: "projects?open=NAME", hidden: projectId, invented: `proj_${NONE}` },
      { page: "traces?trace=NAME", hidden: trace.id, invented: "c".repeat(32) },
      { page: "explore?entry=NAME", hidden: `${trace.at}~abc`, invented: "2026-01-02T03:04:05.000Z~abc" },
      { page: "members?person=NAME", hidden: null, invented: `user_${NONE}` },
      { page: "audit?entry=NAME", hidden: null, invented: `aud_${NONE}` },
      { page: "settings?tab=erasures&erasure=NAME", hidden: null, invented: `erase_${NONE}` },
      { page: `webhooks/${webhook.id}?event=NAME`, hidden: null, invented: `evt_${NONE}` },
      { page: `webhooks/${webhook.id}?tab=destinations&destination=NAME`, hidden: null, invented: `dest_${NONE}` },
      { page: `webhooks/${webhook.id}?tab=rejections&rejection=NAME`, hidden: null, invented: `rej_${NONE}` },
      { page: `buckets/${seen.slug}?object=/NAME`, hidden: null, invented: "no/such/object" },
      { page: `images/${seen.slug}?ref=tag:NAME`, hidden: null, invented: "no-such-tag" },
    ],
  };
}

/** Sends a trace and a log entry with the project's own credential. */
async function hiddenTrace(of: {
  server: Shared["server"];
  token: string;
  project: string;
  projectId: string;
}): Promise<{ id: string; at: string }> {
  const { server, token, project } = of;
  const json = { name: "sender", scopes: ["telemetry:write"], project };
  const made = await server.call("POST", "/v1/credentials", { token, json });
  assert.equal(made.status, 201, made.text);
  const sender = await server.token(made.body as { client_id: string; client_secret: string });
  const at = new Date(Date.now() - 60_000).toISOString();
  const id = "d".repeat(32);
  const span = { timestamp: at, trace_id: id, span_id: "e".repeat(16), name: "hidden", duration_ms: 1, status: "ok" };
  await ingested(server, sender, "traces", [span]);
  await ingested(server, sender, "logs", [{ timestamp: at, level: "info", message: "hidden" }]);
  return { id, at };
}
