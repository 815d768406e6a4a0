import type { Cutoff } from "#kernel/deletions.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { BlobDriver } from "../driver.ts";

/** A column that holds blobs: one link for each row in which it is not null. */
export interface ReferenceColumn {
  readonly table: string;
  readonly column: string;
  /** The column that says whose the blobs are, or whose all of them are. */
  readonly orgColumn?: string;
  readonly owner?: string;
}

export type FindingKind =
  /** Bytes of a blob are missing, or there are more or fewer than before. */
  | "missing"
  /** The bytes are not those that were written. */
  | "altered"
  /** Parts don't make up the blob that they are of. */
  | "parts"
  /** More or fewer rows hold a blob than it counts: it would be deleted too soon, or never. */
  | "count"
  /** A row holds a blob that is not there. */
  | "dangling"
  /** Bytes that no record knows of. */
  | "orphan"
  /** Kept in a directory or bucket that is not this one. */
  | "elsewhere";

export interface Finding {
  readonly kind: FindingKind;
  /** The blob, or the path of another file. */
  readonly what: string;
  readonly orgId: string | null;
  readonly detail: string;
}

export interface ScrubProgress {
  /** Checked blobs, and their bytes; rows of other tables that reference blobs. */
  blobs: number;
  bytes: number;
  references: number;
  stored: number;
  /** Orphans that were deleted; they are no findings. */
  deleted: number;
  findings: number;
}

export interface ScrubOptions {
  readonly metadata: MetadataStore;
  readonly driver: BlobDriver;
  /** Every column that references blobs: a missing column would show as a wrong count. */
  readonly references: readonly ReferenceColumn[];
  /** Compares sizes only, instead of reading every byte. */
  readonly quick: boolean;
  /** Deletes blobs that no record knows of and that were made before this time, in milliseconds since the epoch. */
  readonly deleteOrphansBefore?: Cutoff;
  /** Told of each of them. */
  readonly deleted?: (id: string, bytes: number) => void;
  readonly found: (finding: Finding) => void;
  readonly progress?: (progress: ScrubProgress) => void;
  readonly signal?: AbortSignal;
}
