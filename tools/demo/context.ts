import type { Addresses } from "./server.ts";

/** What bootstrap printed. */
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
  /** File with the credential that the first stop makes, for the command line. */
  readonly credentialsFile: string;
  /** Tells the rows of this tour from those of others. */
  readonly runId: string;
  /** Folder with log files that was asked for; null to look for some. */
  readonly logsDir: string | null;
  readonly print: (text: string) => void;
  /**
   * Runs the command line as a person would and resolves with what it printed; its errors go to the terminal.
   * @throws Error when it ends with another code than 0
   */
  readonly mooring: (args: readonly string[]) => Promise<string>;
  /** A line for the summary at the end. */
  readonly remember: (text: string) => void;
  /** Set by the first stop. */
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
  if (context.bootstrapped === null) throw new Error("cannot go on with the tour: its first stop did not run");
  return context.bootstrapped;
}
