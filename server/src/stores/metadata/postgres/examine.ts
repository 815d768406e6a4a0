import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import { clientSettings } from "./pool.ts";
import { isPooled, withClient } from "./requirements.ts";

/** What an operator should know about a database. */
export interface DatabaseFacts {
  readonly version: string;
  /** Whether a pooler in session mode is between. Other modes refuse to open. */
  readonly isPooled: boolean;
  /** The protocol, or null without TLS. */
  readonly tls: string | null;
  /** Whether the connection does not leave this machine. */
  readonly isLocal: boolean;
  /** How many connections a role without the rights of a superuser can have. */
  readonly connectionsMax: number;
  readonly synchronousCommit: string;
  readonly isSuperuser: boolean;
  /** Whether the role can create tables, which migrations do. */
  readonly canCreate: boolean;
  /** Whether a notification came back in time. */
  readonly isNotified: boolean;
}

const NOTIFIED_MS_MAX = 1_000;

const FACTS = `
select current_setting('server_version') as version,
  (select version from pg_stat_ssl where pid = pg_backend_pid() and ssl) as tls,
  coalesce(inet_client_addr() <<= '127.0.0.0/8'::inet or inet_client_addr() = '::1'::inet, true) as "isLocal",
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as "connectionsMax",
  current_setting('synchronous_commit') as "synchronousCommit",
  (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
  has_schema_privilege(current_schema(), 'create') as "canCreate"`;

/** Asks the database over a separate connection. */
export async function examinePostgres(url: string): Promise<DatabaseFacts> {
  return withClient(clientSettings(url, "mooring-doctor"), async (client) => {
    const { rows } = await client.query<Omit<DatabaseFacts, "isPooled" | "isNotified">>(FACTS);
    const [facts] = rows;
    if (facts === undefined) throw new Error("the database returned no row");
    return { ...facts, isPooled: await isPooled(client), isNotified: await isNotified(client) };
  });
}

/** Sends a notification to this connection, and waits for it. */
async function isNotified(client: Client): Promise<boolean> {
  const channel = `doctor_${randomUUID().replaceAll("-", "")}`;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), NOTIFIED_MS_MAX);
  client.on("notification", (notification) => {
    if (notification.channel === channel) resolve(true);
  });
  await client.query(`listen ${channel}`);
  await client.query(`notify ${channel}`);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
