import { Problem } from "#kernel/problem.ts";
import type { RequestHead } from "../protocol.ts";

/**
 * What clients and agents ask before they send: Beats, Logstash, Vector, Fluent Bit, winston-elasticsearch and the
 * clients of Elastic. They want to know that templates and policies are there, and create them otherwise. So every one
 * is there, and a new one is accepted and forgotten.
 */

/** A Beat refuses a server that is older than itself, so it gets its own version. */
const BEAT = /^Elastic-[a-z]+\/(\d+\.\d+\.\d+)/i;
const VERSION = "8.19.0";
const UUID = "mooring";
/** 2100-01-01 */
const EXPIRY_MS = 4_102_444_800_000;

const ACKNOWLEDGED = { acknowledged: true };

/** The answers by path, the first match. Absent for a method: 404. */
const ANSWERS: readonly {
  readonly path: RegExp;
  readonly get?: (head: RequestHead) => object;
  readonly put?: object;
}[] = [
  { path: /^$/, get: root },
  { path: /^_license$/, get: () => ({ license: LICENSE }) },
  { path: /^_xpack$/, get: () => ({ build: {}, license: LICENSE, features: {} }) },
  { path: /^_cluster\/health(\/|$)/, get: () => HEALTH },
  { path: /^_cat\/health$/, get: () => [{ cluster: "mooring", status: "green" }] },
  {
    path: /^_nodes(\/|$)/,
    get: () => ({ _nodes: { total: 1, successful: 1, failed: 0 }, cluster_name: "mooring", nodes: {} }),
  },
  {
    path: /^(_ilm\/policy|_index_template|_component_template|_template|_data_stream|_ingest\/pipeline|_logstash\/pipeline|_alias)(\/|$)/,
    get: () => ({}),
    put: ACKNOWLEDGED,
  },
  { path: /^[^_][^/]*$/, get: () => ({}), put: { ...ACKNOWLEDGED, shards_acknowledged: true } },
];

const LICENSE = { status: "active", type: "basic", mode: "basic", uid: UUID, expiry_date_in_millis: EXPIRY_MS };
const HEALTH = {
  cluster_name: "mooring",
  status: "green",
  timed_out: false,
  number_of_nodes: 1,
  number_of_data_nodes: 1,
  active_primary_shards: 1,
  active_shards: 1,
};

/** Returns the body of the answer. @throws Problem `invalid_request` for a search, `not_found` */
export function handshakeOf(head: RequestHead): object {
  const path = (head.params["*"] ?? "").replace(/\/+$/, "");
  if (/(^|\/)_(search|msearch|count|sql|query|scroll|async_search|eql)(\/|$)/.test(path)) {
    throw new Problem(
      "invalid_request",
      "Searching is not offered here. POST /v1/query takes SQL over the table logs.",
    );
  }
  const known = ANSWERS.find((each) => each.path.test(path));
  const isRead = head.method === "GET" || head.method === "HEAD";
  const answer = isRead ? known?.get?.(head) : known?.put;
  if (answer === undefined)
    throw new Problem("not_found", `no handler found for uri [/${path}] and method [${head.method}]`);
  return answer;
}

function root({ headers }: RequestHead): object {
  const number = BEAT.exec(headers["user-agent"] ?? "")?.[1] ?? VERSION;
  return {
    name: "mooring",
    cluster_name: "mooring",
    cluster_uuid: UUID,
    version: {
      number,
      build_flavor: "default",
      build_type: "docker",
      build_hash: UUID,
      build_date: "2026-01-01T00:00:00.000Z",
      build_snapshot: false,
      lucene_version: "9.12.0",
      minimum_wire_compatibility_version: "7.17.0",
      minimum_index_compatibility_version: "7.0.0",
    },
    tagline: "You Know, for Search",
  };
}
