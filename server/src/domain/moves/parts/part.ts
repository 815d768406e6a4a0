/** A part of an organization that a restore takes from a backup. */
export interface MovePart {
  readonly kind: "project" | "bucket" | "file";
  /** The id of the project, of the bucket's app, or of the file. */
  readonly id: string;
  readonly name: string;
}
