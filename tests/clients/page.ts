/** The table of clients in the documentation. Writes it from a run, or compares it with one. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { TRANSPORTS, type Outcome, type Transport } from "./matrix.ts";

export interface ClientRun {
  readonly name: string;
  readonly version: string;
  readonly outcomes: Readonly<Record<Transport, readonly Outcome[]>>;
}

const PAGE = fileURLToPath(new URL("../../docs/reference/s3-clients.md", import.meta.url));
const BEGIN = "<!-- clients: made by npm run full -- clients -->";
const END = "<!-- end of clients -->";

/** Returns the rows of a client: its steps, and their results over each transport. */
export function rowsOf(run: ClientRun): string[] {
  const steps = run.outcomes.http.map(({ step }) => step);
  return steps.map((step) => {
    const cells = TRANSPORTS.map((transport) => {
      const outcome = run.outcomes[transport].find((one) => one.step === step);
      return outcome?.failure === null ? "passes" : "**fails**";
    });
    return `| ${[run.name, step, ...cells].join(" | ")} |`;
  });
}

/** Returns the page's rows of a client, in the form of `rowsOf`. */
export function rowsOnPage(name: string): string[] {
  const rows = tableOf(readFileSync(PAGE, "utf8")).split("\n");
  const ofClient = rows.map((row) => row.replaceAll(/ +/g, " ")).filter((row) => row.startsWith("| "));
  return ofClient.filter((row) => row.split(" | ")[0] === `| ${name}`);
}

/** Replaces the table by the results of these runs. */
export function writePage(runs: readonly ClientRun[]): void {
  const versions = runs.map(({ name, version }) => `${name} ${version}`).join(", ");
  const head = ["| client | does | http | https |", "| --- | --- | --- | --- |"];
  const table = [`Versions in the last run: ${versions}.`, "", ...head, ...runs.flatMap(rowsOf)].join("\n");
  const page = readFileSync(PAGE, "utf8");
  writeFileSync(PAGE, page.replace(tableOf(page), `${BEGIN}\n\n${table}\n\n`));
}

function tableOf(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end === -1)
    throw new Error(`cannot find the table in ${PAGE}: it must be between ${BEGIN} and ${END}`);
  return page.slice(begin, end);
}
