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
  /** One file, or all of a process where none can be named. */
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

/** The counts so far of a file whose tests run. */
interface Running {
  passed: number;
  failures: Failure[];
  skips: Skip[];
  output: string;
  startedMs: number;
}

/**
 * Counts the tests of one process from its events, which come in order: subtests before their parent. A parent is not
 * counted as a test, unless it fails by itself. Where several files share the process, each is a suite at the top with the
 * file's path as its name, and its end is the end of the file.
 */
export class Tally {
  readonly #paths: readonly string[];
  readonly #done: FileResult[] = [];
  readonly #hasChildren: boolean[] = [];
  #running = begin();
  /** How many failures the running file had when the process was stopped; those that follow come of that. */
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

  /** One for each file that was done; and one for all together where none can be named. */
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

  /** The process is about to be ended from outside. */
  stop(): void {
    this.#failuresInTime = this.#running.failures.length;
  }

  /** The process has ended, and what it had not done has no time any more. */
  skipRest(reason: string): void {
    if (this.#done.length === this.#paths.length) return;
    this.#running.failures.splice(this.#failuresInTime ?? 0);
    this.#running.skips.push({ name: "the rest of it", reason });
    this.#endFile(undefined);
  }

  /** The process has ended. Where several files share it, the one at hand has no result. @param verdict the fault of the process as a whole */
  end(verdict: string | undefined): void {
    const isDone = this.#done.length === this.#paths.length;
    if (isDone ? verdict !== undefined : this.#paths.length === 1) this.#endFile(verdict);
  }

  /** True when the event is of something without subtests. */
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
    // A fault of the process as a whole may have written its reason while any of the files ran.
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

/** As lines and failures call files. */
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

/** node:test wraps thrown errors; the cause is more useful to a person. */
export function describeError(error: unknown): string {
  const thrown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.stack ?? thrown.message;
}
