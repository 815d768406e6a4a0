import { readFileSync } from "node:fs";

/** Counters since the start. */
export interface SyslogCounts {
  /** Messages on disk. */
  stored: number;
  /** Messages without a valid key, or that can't be stored. */
  refused: number;
  /** Datagrams that were left out, because too many waited or the organization's quota is used up. */
  dropped: number;
}

export function newCounts(): SyslogCounts {
  return { stored: 0, refused: 0, dropped: 0 };
}

/** Returns the datagrams that the kernel has dropped at a port. 0 where the kernel does not tell. */
export function kernelDrops(address: string): number {
  const port = Number(address.slice(address.lastIndexOf(":") + 1));
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return ["/proc/net/udp", "/proc/net/udp6"].reduce((sum, path) => sum + dropsIn(path, local), 0);
}

/** Reads proc(5), `/proc/net/udp`: the second column is the local address, the last the drops. */
function dropsIn(path: string, local: string): number {
  try {
    const rows = readFileSync(path, "utf8").trimEnd().split("\n").slice(1);
    const columns = rows.map((row) => row.trim().split(/\s+/));
    return columns
      .filter((row) => row[1]?.endsWith(local) === true)
      .reduce((sum, row) => sum + Number(row.at(-1) ?? 0), 0);
  } catch {
    return 0;
  }
}
