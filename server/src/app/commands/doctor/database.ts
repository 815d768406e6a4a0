import { examinePostgres, type DatabaseFacts } from "#stores/metadata/index.ts";
import type { Config } from "../../config.ts";
import { fail, ok, warn, type Check, type CheckContext, type Found } from "./finding.ts";

/** Connections other than those of the nodes: three for commands, and five to spare, for example for backups. */
const OTHER_CONNECTIONS = 8;

export const DATABASE_CHECKS: readonly Check[] = [
  { name: "database", mend: "start the database or correct database_url", run: database },
];

async function database({ config }: CheckContext): Promise<Found[]> {
  if (config.database_url === null) return [ok("the records are in SQLite")];
  const facts = await examinePostgres(config.database_url);
  return [
    ok(`PostgreSQL ${facts.version}${facts.isPooled ? ", behind a pooler" : ""}`),
    connections(facts, config),
    tls(facts),
    ...rights(facts),
    facts.isNotified
      ? ok("a notification arrives within a second")
      : fail("a notification did not arrive within a second", "connect directly, or let the pooler keep sessions"),
    facts.synchronousCommit === "off"
      ? warn(
          "synchronous_commit is off: a crash of the database loses acknowledged changes",
          "set synchronous_commit to on for the role",
        )
      : ok(`synchronous_commit is ${facts.synchronousCommit}`),
  ];
}

/** A node has its pools and one connection that listens. */
function connections({ connectionsMax }: DatabaseFacts, config: Config): Found {
  const { database_read_connections: read, database_write_connections: write } = config;
  const each = read + write + 1;
  const nodes = Math.max(0, Math.floor((connectionsMax - OTHER_CONNECTIONS) / each));
  const detail = `${connectionsMax} connections are enough for ${nodes} ${nodes === 1 ? "node" : "nodes"} of ${each}, and ${OTHER_CONNECTIONS} others`;
  if (nodes > 0) return ok(detail);
  return warn(
    detail,
    `raise max_connections of PostgreSQL to nodes × ${each} + ${OTHER_CONNECTIONS}, or lower database_read_connections and database_write_connections`,
  );
}

function tls({ tls: protocol, isLocal }: DatabaseFacts): Found {
  if (protocol !== null) return ok(`the connection uses ${protocol}`);
  if (isLocal) return ok("the connection stays on this machine");
  return warn(
    "the connection is not encrypted",
    "add sslmode=verify-full to database_url, and sslrootcert for your own CA",
  );
}

function rights({ isSuperuser, canCreate }: DatabaseFacts): Found[] {
  const found = canCreate
    ? ok("the role can create tables")
    : fail(
        "the role can't create tables, which upgrades do",
        "let the role own the database, or grant create on its schema",
      );
  if (!isSuperuser) return [found];
  return [found, warn("the role is a superuser", "use a role that only owns this database")];
}
