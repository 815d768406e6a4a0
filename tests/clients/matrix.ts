/** Runs every client against servers over http and https, and returns the results. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client, Place } from "./client.ts";

export type Transport = "http" | "https";
export const TRANSPORTS: readonly Transport[] = ["http", "https"];

/** The place of the work, without the bucket and the directory. */
export type Endpoint = Omit<Place, "bucket" | "directory">;

export interface Outcome {
  readonly step: string;
  /** Null if the step passed. */
  readonly failure: string | null;
}

/**
 * Runs all steps of a client against one endpoint, in a separate bucket and directory. A failed step does not stop the
 * others.
 */
export async function runClient(client: Client, endpoint: Endpoint): Promise<Outcome[]> {
  const directory = mkdtempSync(join(tmpdir(), "mooring-client-"));
  const bucket = client.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const place: Place = { ...endpoint, bucket, directory };
  const outcomes: Outcome[] = [];
  try {
    for (const step of client.steps) {
      const failure = await step.run(place).then(() => null, messageOf);
      outcomes.push({ step: step.name, failure });
    }
    return outcomes;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
