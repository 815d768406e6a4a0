import { mkdirSync } from "node:fs";
import { createIdentity, type Identity } from "#domain/identity/index.ts";
import { systemClock } from "#kernel/time.ts";
import { openMetadata, type MetadataStore, type Migrating } from "#stores/metadata/index.ts";
import { addressesOf, type Addresses } from "../addresses.ts";
import type { Config } from "../config.ts";
import { masterKeysOf } from "../master-keys.ts";
import { recordsOf } from "../records.ts";
import { guardBeside } from "../clock.ts";
import { findRunningServer } from "../running.ts";
import { Schedule } from "#stores/jobs/index.ts";

/** Opens the records, with or without a running server, runs `work` and closes them. */
export async function withMetadata<T>(
  config: Config,
  work: (metadata: MetadataStore) => Promise<T>,
  migrating: Migrating = "refuse",
): Promise<T> {
  mkdirSync(config.data_dir, { recursive: true, mode: 0o700 });
  const metadata = await openMetadata({ ...recordsOf(config), clock: systemClock, migrating });
  try {
    return await work(metadata);
  } finally {
    await metadata.close();
  }
}

/** As `withMetadata`, with keys and credentials. It does not register a node, because it accepts no requests. */
export async function withIdentity<T>(
  config: Config,
  addresses: Addresses,
  work: (identity: Identity, metadata: MetadataStore) => Promise<T>,
  migrating: Migrating = "refuse",
): Promise<T> {
  return withMetadata(
    config,
    async (metadata) => {
      const identity = await createIdentity({
        schedule: new Schedule(systemClock),
        metadata,
        clock: await guardBeside(config.data_dir, metadata),
        dataDir: config.data_dir,
        ...masterKeysOf(config),
        issuer: addresses.identity_url,
        audience: addresses.identity_url,
        log: { warn: (_fields, message) => void process.stderr.write(`mooring: ${message}\n`) },
      });
      try {
        return await work(identity, metadata);
      } finally {
        await identity.stop();
      }
    },
    migrating,
  );
}

/** Returns the addresses of the running server, or the addresses from the settings when none runs. */
export async function presentAddresses(config: Config): Promise<Addresses> {
  const running = await findRunningServer(config.data_dir);
  return running?.addresses ?? addressesOf(config, { listen: config.listen, s3Listen: config.s3_listen });
}

/** The log of the parts that a command uses: warnings and errors go to standard error. */
export const stderrLog = {
  info: () => {},
  warn: (_fields: object, message: string) => void process.stderr.write(`mooring: ${message}\n`),
  error: (_fields: object, message: string) => void process.stderr.write(`mooring: ${message}\n`),
};
