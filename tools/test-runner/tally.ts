/** One thing that went wrong, for a person to read. */
export interface Failure {
  readonly name: string;
  readonly detail: string;
}

export interface Skip {
  readonly name: string;
  readonly reason: string;
}

export interface FileResult {
  readonly path: string;
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skips: readonly Skip[];
  readonly durationMs: number;
  /** What the file wrote to its two outputs. */
  readonly output: string;
}

/** The part of node:test's `test:pass` and `test:fail` events that counting needs. */
export interface TestEvent {
  readonly name: string;
  readonly nesting: number;
  readonly skip?: string | boolean | undefined;
  readonly todo?: string | boolean | undefined;
  readonly details: { readonly type?: string | undefined; readonly error?: unknown };
}

/**
 * Counts the tests of one process from its events, which come in order: subtests before their parent. A parent is not a test
 * of its own, but counts when it fails by itself. `suites` are names that must each have a test: files that share the process.
 */
export class Tally {
  readonly failures: Failure[] = [];
  readonly skips: Skip[] = [];
  passed = 0;
  readonly #hasChildren: boolean[] = [];
  readonly #empty: Set<string>;

  constructor({ suites = [] }: { readonly suites?: readonly string[] } = {}) {
    this.#empty = new Set(suites);
  }

  /** Of `suites`, those that have shown no test yet. */
  get empty(): readonly string[] {
    return [...this.#empty];
  }

  pass(event: TestEvent): void {
    const isLeaf = this.#enter(event);
    if (event.skip !== undefined)
      this.skips.push({ name: event.name, reason: reasonOf(event.skip, "no reason given") });
    else if (event.todo !== undefined) this.skips.push({ name: event.name, reason: reasonOf(event.todo, "to do") });
    else if (isLeaf) this.passed++;
  }

  fail(event: TestEvent): void {
    this.#enter(event);
    if (event.todo !== undefined) this.skips.push({ name: event.name, reason: reasonOf(event.todo, "to do") });
    else if (failureType(event.details.error) !== "subtestsFailed") {
      this.failures.push({ name: event.name, detail: describeError(event.details.error) });
    }
  }

  /** True when the event is of a test without subtests. */
  #enter(event: TestEvent): boolean {
    const hadChildren = this.#hasChildren[event.nesting + 1] === true;
    if (hadChildren && event.nesting === 0) this.#empty.delete(event.name);
    this.#hasChildren.length = event.nesting + 1;
    this.#hasChildren[event.nesting] = true;
    return !hadChildren && event.details.type !== "suite";
  }
}

function reasonOf(value: string | boolean, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function failureType(error: unknown): unknown {
  return error instanceof Error && "failureType" in error ? error.failureType : undefined;
}

/** node:test wraps what was thrown; the cause is what a person wants to read. */
export function describeError(error: unknown): string {
  const thrown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.stack ?? thrown.message;
}
