import { ORPHANS, type Effects, type Orphans } from "@mooring/contract";
import { choiceOption, type Option, type Parsed } from "./command.ts";
import { printable } from "./printable.ts";
import { textTable } from "./table.ts";

/** The options of the commands that revoke. */
export const REVOCATION_OPTIONS: readonly Option[] = [
  {
    name: "orphans",
    value: "adopt|revoke",
    description: "whether you adopt the credentials for which it is responsible, or they end with it (default)",
  },
  { name: "reason", value: "leak", description: "its secret leaked: nobody can adopt what ends with it" },
  { name: "dry-run", description: "show the effects, and change nothing" },
  { name: "if-match", value: "ETAG", description: "the etag of a dry run: refuse it if the effects differ" },
];

/** The query and the header fields of a revocation. */
export function revocationOf(parsed: Parsed): {
  readonly query: { readonly orphans?: Orphans; readonly reason?: "leak"; readonly dry_run?: boolean };
  readonly headers?: { readonly "If-Match": string };
} {
  const orphans = choiceOption(parsed, "orphans", ORPHANS);
  const reason = choiceOption(parsed, "reason", ["leak"]);
  const etag = parsed.values["if-match"];
  return {
    query: {
      ...(orphans === undefined ? {} : { orphans }),
      ...(reason === undefined ? {} : { reason }),
      ...(parsed.values["dry-run"] === true ? { dry_run: true } : {}),
    },
    ...(typeof etag === "string" ? { headers: { "If-Match": etag } } : {}),
  };
}

const COLUMNS = ["kind", "id", "name", "last_used_at", "requests_24h", "loses", "reason"];

/** Renders the effects of a dry run for people. */
export function effectsText({ stops, adopts, projects, etag }: Effects): string {
  const rows = stops.map((stop) => ({
    ...stop,
    last_used_at: stop.last_used_at ?? "never",
    loses: stop.loses.join(" "),
  }));
  const lines = [
    stops.length === 0 ? "No credential or key loses permissions.\n" : textTable(COLUMNS, rows),
    ...adopts.map(
      ({ id, name }) => `${id} (${printable(name)}) gets another responsible person, and continues to work\n`,
    ),
    ...Object.entries(projects).map(
      ([project, person]) => `${person} becomes maintainer of the private project ${project}\n`,
    ),
    `Nothing was changed. --if-match '${etag}' does it only if the effects are still these.\n`,
  ];
  return lines.join("");
}

export function isEffects(answer: unknown): answer is Effects {
  return typeof answer === "object" && answer !== null && "stops" in answer && "adopts" in answer && "etag" in answer;
}

/** Prints the answer of a dry run. */
export function printEffects(answer: Effects, json: boolean): void {
  process.stdout.write(json ? `${JSON.stringify(answer, null, 2)}\n` : effectsText(answer));
}
