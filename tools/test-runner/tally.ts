/** One failure, in words for people. */
export interface Failure {
  readonly name: string;
  readonly detail: string;
}

export interface Skip {
  readonly name: string;
  readonly reason: string;
}

export interface FileResult {
  /** The path of a file, or a name for the whole process if the file is unknown. */
  readonly path: string;
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skips: readonly Skip[];
  readonly durationMs: number;
  /** The output of the file to stdout and stderr. */
  readonly output: string;
}

/** The members of node:test's `test:pass` and `test:fail` events that are needed for counting. */
export interface TestEvent {
  readonly name: string;
  readonly nesting: number;
  readonly skip?: string | boolean | undefined;
  readonly todo?: string | boolean | undefined;
  readonly details: { readonly type?: string | undefined; readonly error?: unknown };
}

/** The current counts of a file whose tests run. */
interface Running {
  passed: number;
  failures: Failure[];
  skips: Skip[];
  output: string;
  startedMs: number;
}

/**
 * Counts the tests of one process from its events, which arrive in order: subtests before their parent. A parent counts
 * as a test only if it fails itself. If several files share the process, each is a suite at the top level, named by its
 * path; the end of the suite is the end of the file.
 */
export class Tally {
  readonly #paths: readonly string[];
  readonly #done: FileResult[] = [];
  readonly #hasChildren: boolean[] = [];
  #running = begin();
  /** The number of failures of the running file when the process was stopped. Later failures come from the stop. */
  #failuresInTime: number | undefined;

  readonly #fileDone: () => void;

  constructor(paths: readonly string[], fileDone: () => void) {
    this.#paths = paths;
    this.#fileDone = fileDone;
  }

  get hasFailed(): boolean {
    return [...this.#done, this.#running].some(({ failures }) => failures.length > 0);
  }

  get isEmpty(): boolean {
    const { passed, failures, skips } = this.#running;
    return this.#done.length === 0 && passed === 0 && failures.length === 0 && skips.length === 0;
  }

  /** Returns a result for each finished file, and one for the whole process if the file is unknown. */
  results(): FileResult[] {
    return this.#done;
  }

  print(text: string): void {
    this.#running.output += text;
  }

  pass(event: TestEvent): void {
    const isLeaf = this.#enter(event);
    if (this.#isFile(event)) return this.#endFile(isLeaf ? "ran no test" : undefined);
    const { skips } = this.#running;
    if (event.skip !== undefined) skips.push({ name: event.name, reason: reasonOf(event.skip, "no reason given") });
    else if (event.todo !== undefined) skips.push({ name: event.name, reason: reasonOf(event.todo, "to do") });
    else if (isLeaf && event.details.type !== "suite") this.#running.passed++;
  }

  fail(event: TestEvent): void {
    this.#enter(event);
    const { skips, failures } = this.#running;
    const isOwn = failureType(event.details.error) !== "subtestsFailed";
    if (this.#isFile(event)) return this.#endFile(isOwn ? describeError(event.details.error) : undefined);
    if (event.todo !== undefined) skips.push({ name: event.name, reason: reasonOf(event.todo, "to do") });
    else if (isOwn) failures.push({ name: event.name, detail: describeError(event.details.error) });
  }

  /** Notes that the process will be ended from outside. */
  stop(): void {
    this.#failuresInTime = this.#running.failures.length;
  }

  /** Notes that the process has ended, and that there is no time for its remaining tests. */
  skipRest(reason: string): void {
    if (this.#done.length === this.#paths.length) return;
    this.#running.failures.splice(this.#failuresInTime ?? 0);
    this.#running.skips.push({ name: "the rest of it", reason });
    this.#endFile(undefined);
  }

  /**
   * Notes the end of the process. If several files share it, the current one has no result.
   * @param verdict the fault of the whole process
   */
  end(verdict: string | undefined): void {
    const isDone = this.#done.length === this.#paths.length;
    if (isDone ? verdict !== undefined : this.#paths.length === 1) this.#endFile(verdict);
  }

  /** Returns true when the event belongs to a test without subtests. */
  #enter(event: TestEvent): boolean {
    const hadChildren = this.#hasChildren[event.nesting + 1] === true;
    this.#hasChildren.length = event.nesting + 1;
    this.#hasChildren[event.nesting] = true;
    return !hadChildren;
  }

  #isFile(event: TestEvent): boolean {
    return this.#paths.length > 1 && event.nesting === 0 && event.name === this.#paths[this.#done.length];
  }

  #endFile(problem: string | undefined): void {
    const { startedMs, ...counted } = this.#running;
    const current = this.#paths[this.#done.length];
    const path = current ?? nameOf(this.#paths);
    // The reason of a fault of the whole process may be in the output of any file.
    if (current === undefined) counted.output = this.#done.map(({ output }) => output).join("") + counted.output;
    if (problem !== undefined) counted.failures.push({ name: "the file itself", detail: problem });
    this.#done.push({ ...counted, path, durationMs: performance.now() - startedMs });
    this.#running = begin();
    this.#fileDone();
  }
}

function begin(): Running {
  return { passed: 0, failures: [], skips: [], output: "", startedMs: performance.now() };
}

/** Returns the name of the files for lines and failures. */
function nameOf(paths: readonly string[]): string {
  const [first = ""] = paths;
  return paths.length === 1 ? first : `${first} and ${paths.length - 1} others in its process`;
}

function reasonOf(value: string | boolean, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function failureType(error: unknown): unknown {
  return error instanceof Error && "failureType" in error ? error.failureType : undefined;
}

/** node:test wraps thrown errors. The cause has the original message. */
export function describeError(error: unknown): string {
  const thrown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.stack ?? thrown.message;
}
