/** What a restore takes from a backup, as a person names it. */
export interface PartName {
  readonly kind: "organization" | "project" | "bucket" | "file";
  /** The slug of the organization in the backup. Null for a file. */
  readonly organization: string | null;
  /** The id or slug of the project, the name of the bucket, or the id of the file. Null for an organization. */
  readonly name: string | null;
}

/** Returns the words that name the part on a command line. */
export function partWords({ kind, organization, name }: PartName): string[] {
  if (kind === "organization") return ["--org", organization ?? ""];
  return [`--${kind}`, organization === null ? (name ?? "") : `${organization}/${name ?? ""}`];
}
