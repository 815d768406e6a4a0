import type { ManifestFile } from "../manifest.ts";

/** The description of a Parquet file, without its place. */
export type MovedRow = Omit<ManifestFile, "path">;

/** A Parquet file of an organization that moves to another server. */
export interface MovedFile {
  readonly row: MovedRow;
  /** The absolute path. */
  readonly at: string;
}
