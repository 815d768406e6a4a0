/**
 * A table that counts what organizations store. It has a row for each key. The numbers of an organization are the sums
 * of its rows.
 */
export interface Shape {
  readonly table: string;
  readonly key: readonly string[];
  readonly columns: readonly string[];
  /** The columns that count bytes on the disk, or bytes reserved there. */
  readonly counted: readonly string[];
}

/** Telemetry is missing here: the store knows the size of its files in memory, and reserves nothing. */
export const KINDS = {
  files: {
    table: "file_usage",
    key: ["org_id", "place"],
    columns: ["files", "bytes", "grants", "reserved", "trashed_files", "trashed_bytes"],
    counted: ["bytes", "reserved", "trashed_bytes"],
  },
  images: {
    table: "registry_usage",
    key: ["org_id"],
    columns: ["bytes", "uploading"],
    counted: ["bytes", "uploading"],
  },
  objects: {
    table: "s3_usage",
    key: ["org_id", "bucket", "shard"],
    columns: ["objects", "bytes", "writes"],
    counted: ["bytes"],
  },
  events: {
    table: "webhook_usage",
    key: ["org_id", "webhook_id"],
    columns: ["events", "bytes", "purged"],
    counted: ["bytes"],
  },
} as const satisfies Readonly<Record<string, Shape>>;

export type Kind = keyof typeof KINDS;

export type Usage<K extends Kind> = { readonly [C in (typeof KINDS)[K]["columns"][number]]: number };

export type Place<K extends Kind> = {
  readonly [C in (typeof KINDS)[K]["key"][number]]: C extends "shard" ? number : string;
};

/** The kinds for which the operator may set a quota of one organization, with their tables. */
export const POLICIES = {
  files: { table: "file_policy", action: "file.quota.update" },
  images: { table: "registry_policy", action: "image.quota.update" },
} as const satisfies Partial<Record<Kind, { readonly table: string; readonly action: string }>>;

export type PolicyKind = keyof typeof POLICIES;
