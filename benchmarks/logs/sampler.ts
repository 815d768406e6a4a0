import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** The resources that a process and its descendants used so far (Linux). */
export interface Usage {
  /** Greatest resident memory of all processes together. Shared pages count several times. */
  readonly rssBytesMax: number;
  /** Greatest memory of all processes together, with shared pages counted once. */
  readonly pssBytesMax: number;
  readonly cpuSeconds: number;
}

export interface Sampler {
  stop(): Promise<Usage>;
}

const SAMPLE_EVERY_MS = 500;
const TICKS_PER_SECOND = 100;

/** Samples a process tree twice a second until it is stopped. Reports its memory and its CPU time. */
export async function sampleTree(pid: number): Promise<Sampler> {
  const begun = await look(pid);
  let rssBytesMax = begun.rssBytes;
  let pssBytesMax = begun.pssBytes;
  let latest = begun;
  let pending: Promise<void> = Promise.resolve();
  const sample = async (): Promise<void> => {
    latest = await look(pid);
    rssBytesMax = Math.max(rssBytesMax, latest.rssBytes);
    pssBytesMax = Math.max(pssBytesMax, latest.pssBytes);
  };
  const timer = setInterval(() => {
    pending = pending.then(sample);
  }, SAMPLE_EVERY_MS).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await pending;
      await sample();
      return { rssBytesMax, pssBytesMax, cpuSeconds: (latest.ticks - begun.ticks) / TICKS_PER_SECOND };
    },
  };
}

interface Look {
  readonly rssBytes: number;
  readonly pssBytes: number;
  readonly ticks: number;
}

async function look(root: number): Promise<Look> {
  const all = await processes();
  const family = [root];
  for (const parent of family) for (const [pid, { ppid }] of all) if (ppid === parent) family.push(pid);
  const memory = await Promise.all(family.map(memoryOf));
  return {
    rssBytes: memory.reduce((sum, { rss }) => sum + rss, 0),
    pssBytes: memory.reduce((sum, { pss }) => sum + pss, 0),
    ticks: family.reduce((sum, pid) => sum + (all.get(pid)?.ticks ?? 0), 0),
  };
}

/** Returns every process with its parent, and the CPU time of the process and its ended children. */
async function processes(): Promise<Map<number, { ppid: number; ticks: number }>> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map(async (pid) => [Number(pid), await read(`/proc/${pid}/stat`)] as const));
  return new Map(
    found.flatMap(([pid, text]) => {
      // The name in parentheses may have any characters. Numbers follow it, after the state.
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      const ticks = fields.slice(11, 15).reduce((sum, figure) => sum + Number(figure), 0);
      return fields.length < 15 ? [] : [[pid, { ppid: Number(fields[1]), ticks }] as const];
    }),
  );
}

async function memoryOf(pid: number): Promise<{ rss: number; pss: number }> {
  const text = await read(`/proc/${pid}/smaps_rollup`);
  const bytes = (name: string): number => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0);
  return { rss: bytes("Rss"), pss: bytes("Pss") };
}

/** Returns an empty text when the process is gone. */
async function read(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

/** Returns the bytes on disk of all files under a directory. Does not count files that are deleted meanwhile. */
export async function diskBytes(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}
