import type { Addresses } from "./server.ts";

/** The output of bootstrap. */
export interface Bootstrapped {
  readonly org: { readonly id: string; readonly slug: string };
  readonly project: { readonly slug: string };
  readonly app: { readonly slug: string };
  readonly addresses: Addresses;
  readonly credential: { readonly client_id: string; readonly client_secret: string };
  readonly owner: { readonly email: string; readonly setup_url: string | null };
}

/** The context of a stop of the tour. */
export interface DemoContext {
  readonly dataDir: string;
  /** The file with the credential that the first stop creates. */
  readonly credentialsFile: string;
  /** Identifies the rows of this tour. */
  readonly runId: string;
  /** The folder with log files from the command line; null: look for log files. */
  readonly logsDir: string | null;
  readonly print: (text: string) => void;
  /**
   * Runs the command line and returns its output. Errors go to the terminal.
   * @throws Error when the exit code is not 0
   */
  readonly mooring: (args: readonly string[]) => Promise<string>;
  /** A line for the summary at the end. */
  readonly remember: (text: string) => void;
  /** Null until the first stop has run. */
  bootstrapped: Bootstrapped | null;
}

/** One stop of the tour: a separate file, listed in `stops.ts`. */
export interface Stop {
  readonly title: string;
  run(context: DemoContext): Promise<void>;
}

/** Shows a statement, runs it, and shows its answer. */
export async function showQuery(context: DemoContext, sql: string): Promise<void> {
  context.print(indented(sql));
  const args = [
    "query",
    "--credentials",
    context.credentialsFile,
    "--format",
    "table",
    "--param",
    `run=${context.runId}`,
    sql,
  ];
  context.print(indented(await context.mooring(args)));
}

export function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, "  ");
}

export function bootstrappedOf(context: DemoContext): Bootstrapped {
  if (context.bootstrapped === null) throw new Error("cannot continue the tour: its first stop did not run");
  return context.bootstrapped;
}
