import type { PartName } from "../../backup/index.ts";
import { textOption, UsageError, type Option, type Parsed } from "../command.ts";

/** Options that name a part of a backup. */
export const PART_OPTIONS: readonly Option[] = [
  { name: "org", value: "ORG", description: "an organization, by its slug in the backup" },
  { name: "project", value: "ORG/PROJECT", description: "a project, by its slug or id" },
  { name: "bucket", value: "ORG/BUCKET", description: "the objects of a bucket" },
  { name: "file", value: "FILE", description: "a file, by its id" },
];

/** Returns the part that the options name, or null if they name none. @throws UsageError */
export function partOf(parsed: Parsed): PartName | null {
  const named = PART_OPTIONS.map(({ name }) => ({ name, value: textOption(parsed, name) })).filter(
    (each): each is { name: string; value: string } => each.value !== undefined,
  );
  const [part, ...others] = named;
  if (part === undefined) return null;
  if (others.length > 0) throw new UsageError(`name one of ${PART_OPTIONS.map(({ name }) => `--${name}`).join(", ")}`);
  const { name, value } = part;
  if (name === "org") return { kind: "organization", organization: value, name: null };
  if (name === "file") return { kind: "file", organization: null, name: value };
  const [organization = "", ...rest] = value.split("/");
  if (organization === "" || rest.join("/") === "") throw new UsageError(`--${name} is ORG/NAME, not ${value}`);
  return { kind: name === "project" ? "project" : "bucket", organization, name: rest.join("/") };
}
