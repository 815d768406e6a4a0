import { lookup, Resolver } from "node:dns/promises";

/** Returns the addresses of a name, or none when it does not exist. Rejects when no name server answered. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 1500;
const QUERY_TRIES = 2;
const ABSENT = new Set(["ENOTFOUND", "ENODATA"]);

/**
 * Asks the system's name servers directly. The system library would take threads of a small pool that also writes
 * files, so slow names would block everything. `hosts`: asks the library for names that the servers do not know,
 * because it reads the hosts file.
 */
export function systemResolve(options: { hosts: boolean; servers?: readonly string[] }): Resolve {
  return async (name, signal) => {
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
    if (options.servers !== undefined) resolver.setServers(options.servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const found = await addressesOf(resolver, name);
      return found.length === 0 && options.hosts ? await fromHosts(name) : found;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  };
}

const REMEMBERED_NAMES_MAX = 1000;

/**
 * Caches the addresses for `forMs`, so that a destination with thousands of requests per second is not looked up for
 * each.
 */
export function remembering(resolve: Resolve, forMs: number): Resolve {
  const known = new Map<string, { readonly addresses: readonly string[]; readonly untilMs: number }>();
  return async (name, signal) => {
    const found = known.get(name);
    if (found !== undefined && found.untilMs > performance.now()) return found.addresses;
    const addresses = await resolve(name, signal);
    if (known.size >= REMEMBERED_NAMES_MAX) known.clear();
    if (addresses.length === 0) known.delete(name);
    else known.set(name, { addresses, untilMs: performance.now() + forMs });
    return addresses;
  };
}

async function addressesOf(resolver: Resolver, name: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (found.length > 0) return found;
  for (const answer of answers) {
    if (answer.status === "rejected" && !ABSENT.has((answer.reason as NodeJS.ErrnoException).code ?? ""))
      throw answer.reason;
  }
  return [];
}

async function fromHosts(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
