import type { Cutoff } from "#kernel/deletions.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { BlobDriver } from "../driver.ts";

/** A column with references to blobs: one for each row in which it is not null. */
export interface ReferenceColumn {
  readonly table: string;
  readonly column: string;
  /** The column with the owner of the blobs, or one owner for all. */
  readonly orgColumn?: string;
  readonly owner?: string;
}

export type FindingKind =
  /** Bytes of the blob are missing, or its size has changed. */
  | "missing"
  /** The bytes differ from the written ones. */
  | "altered"
  /** The parts do not fit the composed blob. */
  | "parts"
  /** The reference count is wrong, so the blob would be deleted too early or never. */
  | "count"
  /** A row references a blob that does not exist. */
  | "dangling"
  /** Bytes without a record. */
  | "orphan"
  /** Stored in another directory or bucket. */
  | "elsewhere";

export interface Finding {
  readonly kind: FindingKind;
  /** The id of the blob, or the path of another file. */
  readonly what: string;
  readonly orgId: string | null;
  readonly detail: string;
}

export interface ScrubProgress {
  /** Checked blobs, their bytes, and rows of other tables that reference blobs. */
  blobs: number;
  bytes: number;
  references: number;
  stored: number;
  /** Deleted orphans. They are not in the findings. */
  deleted: number;
  findings: number;
}

export interface ScrubOptions {
  readonly metadata: MetadataStore;
  readonly driver: BlobDriver;
  /** All columns that reference blobs. If one is missing, the counts of blobs are reported as wrong. */
  readonly references: readonly ReferenceColumn[];
  /** Compares only sizes, without reading the content. */
  readonly quick: boolean;
  /** Deletes blobs without a record that were created before this time, in milliseconds since the epoch. */
  readonly deleteOrphansBefore?: Cutoff;
  /** Called for each deleted orphan. */
  readonly deleted?: (id: string, bytes: number) => void;
  readonly found: (finding: Finding) => void;
  readonly progress?: (progress: ScrubProgress) => void;
  readonly signal?: AbortSignal;
}
