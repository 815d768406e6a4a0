import { existsSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countUnverified } from "#domain/accounts/index.ts";
import { systemClock } from "#kernel/time.ts";
import { createQueryEngine, defaultQuerySettings, type SandboxLayer } from "#stores/telemetry/query/index.ts";
import { hasExternalKey } from "../../master-keys.ts";
import { databaseNowMs, latestRecordMs, listOrganizations } from "../store.ts";
import { presentAddresses, withIdentity, withMetadata } from "../stores.ts";
import { fail, ok, warn, type Check, type CheckContext, type Found } from "./finding.ts";

const CLOCK_DRIFT_MS_MAX = 2000;
const FUTURE_MS_MAX = 60_000;

/** Checks of the stored data and its keys. */
export const RECORD_CHECKS: readonly Check[] = [
  {
    name: "records",
    mend: "start the database or correct database_url; restore a damaged file from a backup",
    run: records,
  },
  { name: "accounts", mend: "open the records first", run: accounts },
  { name: "master key", mend: "open the records first, then set the master key of these records", run: masterKey },
  { name: "telemetry", mend: "let the user that runs the server read the data directory", run: telemetry },
  { name: "query sandbox", mend: "install util-linux, and allow unprivileged user namespaces", run: sandbox },
];

type Config = CheckContext["config"];

/** Whether there are records. A SQLite file exists only after the first start. */
function haveRecords(config: Config): boolean {
  return config.database_url !== null || existsSync(join(config.data_dir, "mooring.db"));
}

async function records({ config }: CheckContext): Promise<Found[]> {
  if (!haveRecords(config)) return [ok("none yet; the first start creates them")];
  return withMetadata(config, async (metadata) => {
    const organizations = await listOrganizations(metadata.read);
    const findings = [ok(`${metadata.dialect} opens, its schema is up to date, ${organizations.length} organizations`)];
    const nowMs = systemClock.nowMs();
    const latestMs = await latestRecordMs(metadata.read);
    if (latestMs > nowMs + FUTURE_MS_MAX) {
      findings.push(
        warn(
          "the newest record is in the future: the clock was set back",
          "set the clock (NTP); tokens may be refused until then",
        ),
      );
    }
    if (metadata.dialect === "sqlite") return findings;
    const askedMs = systemClock.nowMs();
    const theirsMs = await databaseNowMs(metadata.read);
    const driftMs = Math.round(Math.max(askedMs - theirsMs, theirsMs - systemClock.nowMs(), 0));
    const agrees = driftMs <= CLOCK_DRIFT_MS_MAX;
    findings.push(
      agrees
        ? ok("the database's clock agrees")
        : warn(`the database's clock differs by ${driftMs} ms`, "synchronise the clocks (NTP)"),
    );
    return findings;
  });
}

/** An account with an unverified address may belong to somebody else than the owner of the address. */
async function accounts({ config }: CheckContext): Promise<Found[]> {
  if (!haveRecords(config)) return [ok("none yet")];
  const count = await withMetadata(config, (metadata) => countUnverified(metadata.read));
  if (count === 0) return [ok("every address is verified")];
  return [
    warn(
      `${count} ${count === 1 ? "account has an address" : "accounts have addresses"} that nobody has verified`,
      "mooring account list --unverified lists them; a mailed link, a single sign-on or mooring account reset verifies them",
    ),
  ];
}

async function masterKey({ config }: CheckContext): Promise<Found[]> {
  const path = join(config.data_dir, "master.key");
  const inFile = !hasExternalKey(config);
  if (inFile) {
    const file = await stat(path).catch(() => null);
    if (file === null && !haveRecords(config)) return [ok("none yet; the first start creates it")];
    if (file === null)
      return [fail(`${path} is missing`, "restore it from a backup: without it no stored secret can be read")];
    if ((file.mode & 0o077) !== 0) return [fail(`other users can read ${path}`, `chmod 600 ${path}`)];
  }
  if (!haveRecords(config)) return [ok("present; there are no stored keys yet")];
  // Opening the keys proves that this master key sealed them.
  await withIdentity(config, await presentAddresses(config), async () => {});
  return [
    ok(
      inFile
        ? `${path} opens the stored keys; keep a copy of it elsewhere`
        : "the configured key, or its service, opens the stored keys",
    ),
  ];
}

async function telemetry({ config, running }: CheckContext): Promise<Found[]> {
  const path = join(config.data_dir, "telemetry");
  const found = await stat(path).catch(() => null);
  if (found === null) return [ok("none yet; the first start creates the directory")];
  if (!found.isDirectory())
    return [fail(`${path} is not a directory`, "move it away, or restore the directory from a backup")];
  return [ok(running === null ? `${path}; the next start reads its log` : `${path} is open in the running server`)];
}

async function sandbox({ config }: CheckContext): Promise<Found[]> {
  const path = join(config.data_dir, "telemetry");
  const present = existsSync(path);
  const directory = present ? path : await mkdtemp(join(tmpdir(), "mooring-doctor-"));
  try {
    const layers = await sandboxLayers(directory, present ? config.data_dir : undefined);
    const missing = layers.filter((layer) => !layer.active && (present || layer.name !== "hidden data"));
    const active = layers.filter((layer) => layer.active).map((layer) => layer.name);
    const findings = [ok(`active: ${active.join(", ")}`)];
    for (const layer of missing)
      findings.push(
        warn(`${layer.name}: ${layer.detail}`, "queries run without this layer; the other layers still protect"),
      );
    return findings;
  } finally {
    if (!present) await rm(directory, { recursive: true, force: true });
  }
}

/** Lists the sandbox layers that an engine on this machine would use for its children. */
async function sandboxLayers(telemetryDir: string, dataDir: string | undefined): Promise<readonly SandboxLayer[]> {
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const engine = createQueryEngine({
    snapshot: () => Promise.reject(new Error("the doctor runs no query")),
    settings: {
      ...defaultQuerySettings(telemetryDir),
      ...(dataDir === undefined ? {} : { dataDir }),
      spareChildren: 0,
    },
    log: silent,
    clock: systemClock,
  });
  try {
    return await engine.sandbox();
  } finally {
    await engine.close();
  }
}
