import { organizationBySlug } from "#domain/organizations/index.ts";
import { setStoredQuota, storedQuotaOf, storedQuotas } from "#domain/quotas/index.ts";
import { allPolicies, quotaOf, setQuota, type Quota } from "#domain/telemetry/index.ts";
import { NO_LIMIT } from "#kernel/no-limit.ts";
import { systemClock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import {
  CommandError,
  LOCAL_OPTIONS,
  command,
  configOf,
  noMore,
  textOption,
  UsageError,
  type Option,
  type Parsed,
} from "./command.ts";
import { withMetadata } from "./stores.ts";
import { textTable } from "./table.ts";

const USAGE = `
Usage: mooring quota [--data-dir DIR]
       mooring quota ORG [--stored BYTES] [--rate BYTES] [--burst BYTES] [--files BYTES] [--images BYTES]
                    [--data-dir DIR]

Lists the quotas that differ from the settings; with ORG and an option, sets a quota of that organization. BYTES is a number, also with
KiB, MiB, GiB or TiB; none: no limit; default: the setting. A running server applies it within seconds.

  mooring quota acme --stored 50GiB --rate 2MiB --data-dir ./data
  mooring quota acme --stored default --rate none --files 1TiB
`;

const OPTIONS: readonly Option[] = [
  {
    name: "stored",
    value: "BYTES",
    description: "telemetry on each server's disk: Parquet, and rows not yet in Parquet",
  },
  { name: "rate", value: "BYTES", description: "bytes of rows per second, sustained" },
  { name: "burst", value: "BYTES", description: "bytes of rows at once" },
  { name: "files", value: "BYTES", description: "bytes of all files" },
  { name: "images", value: "BYTES", description: "bytes of all container images, each content once" },
  { name: "json", description: "print JSON" },
  ...LOCAL_OPTIONS,
];

const COLUMN_OF = {
  stored: "stored_bytes_max",
  rate: "ingest_bytes_per_second",
  burst: "ingest_bytes_burst",
  files: "files_stored_bytes_max",
  images: "images_stored_bytes_max",
} as const satisfies Record<string, keyof Limits>;

/** The quotas other than those of telemetry. */
interface Contents {
  readonly files_stored_bytes_max: number | null;
  readonly images_stored_bytes_max: number | null;
}

const BY_SYSTEM = { actor: { kind: "system", id: null }, ip: null, requestId: null } as const;

type Limits = Quota & Contents;
type Line = { readonly organization: string } & Limits;

export const quota = command(USAGE, OPTIONS, async (parsed) => {
  const [slug, ...rest] = parsed.positionals;
  noMore(rest);
  const change = changeOf(parsed);
  if (slug === undefined && Object.keys(change).length > 0) throw new UsageError("name the organization");
  const lines = await withMetadata(configOf(parsed), async (metadata) => {
    if (slug !== undefined) return [await ofOne(metadata, slug, change)];
    return ofAll(metadata);
  });
  process.stdout.write(parsed.values["json"] === true ? `${JSON.stringify(lines)}\n` : readable(lines));
});

async function ofOne(metadata: MetadataStore, slug: string, change: Partial<Limits>): Promise<Line> {
  const organization = await organizationBySlug(metadata.read, slug);
  if (organization === undefined) throw new CommandError(`cannot set a quota: there is no organization ${slug}`);
  const deps = { metadata, clock: systemClock };
  const { files_stored_bytes_max: files, images_stored_bytes_max: images, ...telemetry } = change;
  if (Object.keys(telemetry).length > 0) await setQuota(deps, BY_SYSTEM, organization.id, telemetry);
  if (files !== undefined) await setStoredQuota(deps, "files", organization.id, files);
  if (images !== undefined) await setStoredQuota(deps, "images", organization.id, images);
  return {
    organization: slug,
    ...(await quotaOf(deps, organization.id)),
    files_stored_bytes_max: await storedQuotaOf(metadata.read, "files", organization.id),
    images_stored_bytes_max: await storedQuotaOf(metadata.read, "images", organization.id),
  };
}

/** Lists the quotas that differ from the settings, by organization. */
async function ofAll(metadata: MetadataStore): Promise<Line[]> {
  const lines = new Map<string, Line>();
  for (const row of await allPolicies(metadata.read)) lines.set(row.slug, { ...nothingOwn(row.slug), ...quotaIn(row) });
  for (const { slug, stored_bytes_max } of await storedQuotas(metadata.read, "files"))
    lines.set(slug, { ...(lines.get(slug) ?? nothingOwn(slug)), files_stored_bytes_max: stored_bytes_max });
  for (const { slug, stored_bytes_max } of await storedQuotas(metadata.read, "images"))
    lines.set(slug, { ...(lines.get(slug) ?? nothingOwn(slug)), images_stored_bytes_max: stored_bytes_max });
  return [...lines.values()].filter(hasOwn).toSorted((a, b) => (a.organization < b.organization ? -1 : 1));
}

function nothingOwn(organization: string): Line {
  const none = { stored_bytes_max: null, ingest_bytes_per_second: null, ingest_bytes_burst: null };
  return { organization, ...none, files_stored_bytes_max: null, images_stored_bytes_max: null };
}

function quotaIn({ stored_bytes_max, ingest_bytes_per_second, ingest_bytes_burst }: Quota): Quota {
  return { stored_bytes_max, ingest_bytes_per_second, ingest_bytes_burst };
}

function hasOwn({ organization: _organization, ...own }: Line): boolean {
  return Object.values(own).some((value) => value !== null);
}

function changeOf(parsed: Parsed): Partial<Limits> {
  const change: Partial<Record<keyof Limits, number | null>> = {};
  for (const [option, column] of Object.entries(COLUMN_OF)) {
    const text = textOption(parsed, option);
    if (text !== undefined) change[column] = bytesOf(option, text);
  }
  return change;
}

const UNITS: Readonly<Record<string, number>> = { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

function bytesOf(option: string, text: string): number | null {
  if (text === "default") return null;
  if (text === "none") return NO_LIMIT;
  const [, digits = "", unit = ""] = /^(\d{1,15}) ?(KiB|MiB|GiB|TiB|)$/.exec(text) ?? [];
  const bytes = Number(digits) * (UNITS[unit] ?? 1);
  const least = ["stored", "files", "images"].includes(option) ? 0 : 1;
  if (digits === "" || !Number.isSafeInteger(bytes) || bytes < least)
    throw new UsageError(
      `--${option} must be a number of bytes (500MiB), none or default; not ${JSON.stringify(text)}`,
    );
  return bytes;
}

function readable(lines: readonly Line[]): string {
  if (lines.length === 0) return "Every organization has the quotas of the settings.\n";
  const names = ["organization", ...Object.values(COLUMN_OF)];
  const rows = lines.map(({ organization, ...own }) => ({
    organization,
    ...Object.fromEntries(Object.values(COLUMN_OF).map((column) => [column, shown(own[column])])),
  }));
  return textTable(names, rows);
}

function shown(value: number | null): string {
  if (value === null) return "default";
  return value === NO_LIMIT ? "none" : String(value);
}
