import { Client, type ClientConfig } from "pg";

/** The oldest version of PostgreSQL that is supported and tested. */
const POSTGRES_MIN = 15;

const ROUNDS = 5;

/**
 * Checks that the database has a supported version, and that a connection stays the same session.
 * @throws Error with the reason
 */
export async function checkRequirements(settings: ClientConfig): Promise<void> {
  await withClient(settings, async (first) => {
    const { rows } = await first.query<{ server_version_num: string }>("show server_version_num");
    const fault = versionFault(Number(rows[0]?.server_version_num));
    if (fault !== null) throw new Error(fault);
    if (!(await isPooled(first))) return;
    await withClient(settings, async (second) => {
      if (await sharesSessions(first, second))
        throw new Error(
          "a pooler gives each transaction another connection (PgBouncer: pool_mode = transaction), so time limits, locks and notifications would be lost; connect directly, or with pool_mode = session",
        );
    });
  });
}

/** Returns why a version can't be used, or null. */
export function versionFault(versionNumber: number): string | null {
  const major = Math.floor(versionNumber / 10_000);
  if (major >= POSTGRES_MIN) return null;
  return `PostgreSQL ${major} is too old; upgrade it to ${POSTGRES_MIN} or newer`;
}

/** Whether a pooler is between: it gives its clients random keys instead of the ids of PostgreSQL's processes. */
export async function isPooled(client: Client): Promise<boolean> {
  const { processID } = client as unknown as { processID: number | null };
  return (await sessionOf(client)) !== processID;
}

/** Whether the two connections use the same session of PostgreSQL in turn. */
async function sharesSessions(first: Client, second: Client): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const before = await sessionOf(first);
    await second.query("begin");
    try {
      // A pooler gives the session that was used last to the next transaction. Then the first connection gets another one.
      if ((await sessionOf(second)) === before || (await sessionOf(first)) !== before) return true;
    } finally {
      await second.query("rollback");
    }
  }
  return false;
}

async function sessionOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid;
}

/** Runs the work with a separate connection. */
export async function withClient<T>(settings: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(settings);
  client.on("error", () => {}); // The statement that runs reports it.
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
