import type { CheckpointSending } from "#domain/organizations/index.ts";
import type { Clock } from "#kernel/time.ts";
import { isBucketPlace, openBackupPlace } from "./backup/index.ts";
import type { Config } from "./config.ts";
import { outboundFor } from "./outbound.ts";

/** Enough digits for every number of an entry, so that names sort by number. */
const SIZE_DIGITS = 15;

/** Returns the function that sends a checkpoint to the receiver of the configuration: an address, or a bucket. */
export function checkpointSender(config: Config, clock: Clock, url: string): CheckpointSending["send"] {
  if (isBucketPlace(url)) return (checkpoint) => keepInBucket(config, url, checkpoint);
  const outbound = outboundFor("messages", config, clock);
  const headers = { "content-type": "text/plain; charset=utf-8" };
  return async ({ note }, signal) => {
    const { status } = await outbound.post({ url, headers, body: note, signal });
    if (status < 200 || status > 299) throw new Error(`the receiver of checkpoints answered ${status}`);
  };
}

/** Writes a new object for each checkpoint, and replaces none. So a key that may only create objects is enough. */
async function keepInBucket(
  config: Config,
  place: string,
  { log, size, note }: Parameters<CheckpointSending["send"]>[0],
): Promise<void> {
  const archive = await openBackupPlace(config, place);
  try {
    await archive.create(`${log}/${String(size).padStart(SIZE_DIGITS, "0")}.txt`, Buffer.from(note));
  } finally {
    archive.close();
  }
}
