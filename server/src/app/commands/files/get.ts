import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { systemClock } from "#kernel/time.ts";
import { UnreachableError } from "@mooring/client";
import { CommandError } from "../command.ts";
import { openSink, type Sink } from "../sink.ts";
import { transferProgress } from "./progress.ts";
import type { FilesClient } from "./remote.ts";
import { safeName } from "./safe-name.ts";

export interface Got {
  /** Null: standard output. */
  readonly path: string | null;
  readonly facts: { readonly filename: string; readonly content_type: string; readonly size_bytes: number };
}

/** Downloads a file to `output`, or to its own name. An incomplete or altered download leaves no file. */
export async function getFile(remote: FilesClient, id: string, output: string | undefined): Promise<Got> {
  const { download_url: url, sha256, ...facts } = await remote.download(id);
  const path = output ?? safeName(facts.filename, id);
  if (output === undefined && existsSync(path))
    throw new CommandError(`cannot download ${id}: the file ${path} exists already; name another with --output`);
  const sink = await openSink(path === "-" ? undefined : path);
  try {
    await receive(remote, id, { url, sha256, facts, sink });
    await sink.finish();
  } catch (error) {
    await sink.abandon();
    throw error;
  }
  return { path: path === "-" ? null : path, facts };
}

interface Receiving {
  readonly url: string;
  readonly sha256: string;
  readonly facts: Got["facts"];
  readonly sink: Sink;
}

async function receive(remote: FilesClient, id: string, { url, sha256, facts, sink }: Receiving): Promise<void> {
  const response = await fetched(remote, url);
  if (!response.ok) throw new CommandError(`cannot download ${id}: the server answered ${response.status}`);
  const hash = createHash("sha256");
  const progress = transferProgress(process.stderr, facts.size_bytes, systemClock);
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      await sink.write(chunk);
      progress.add(chunk.length);
    }
  } catch (error) {
    if (error instanceof CommandError || remote.signal.aborted) throw error;
    throw new CommandError(`cannot download ${id}: ${reasonOf(error)}; ${sink.broken}`);
  } finally {
    progress.end();
  }
  if (hash.digest("hex") === sha256) return;
  throw new CommandError(`cannot download ${id}: its content was altered in transit; ${sink.broken}`);
}

async function fetched(remote: FilesClient, url: string): Promise<Response> {
  try {
    // Requests no compression, because the digest is of the uncompressed content.
    return await fetch(url, { redirect: "error", signal: remote.signal, headers: { "accept-encoding": "identity" } });
  } catch (error) {
    if (remote.signal.aborted) throw error;
    throw new UnreachableError("download the file", url, error);
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "EPIPE" ? "the reader closed the pipe" : message;
}
