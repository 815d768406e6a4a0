import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { childEnvironment } from "#kernel/child-environment.ts";
import { CONTROL_FRAME_BYTES_MAX, DATA_FRAME_BYTES_MAX, FRAME, frame, FrameReader } from "./frames.ts";
import type { ChildAsk, ChildEnd, ChildFailure, ChildFiles, ChildQuery } from "./protocol.ts";
import { readAsk, readEnd, readFailure } from "./payloads.ts";
import type { Sandbox } from "./sandbox.ts";

/** The receiver of a child's frames for one query. */
export interface RunSink {
  /** The statement was admitted and needs its files. Called at most once. */
  ask(ask: ChildAsk): void;
  data(bytes: Buffer): void;
  end(end: ChildEnd): void;
  fail(failure: ChildFailure): void;
  /** The child has finished the query and can take another one. */
  idle(): void;
  /** The child has ended, and all of its data was passed on. `whole` is true when it ended between two frames. */
  gone(signal: NodeJS.Signals | null, whole: boolean): void;
}

type State = "starting" | "idle" | "running" | "ended" | "spent" | "gone";

/** A child as the engine sees it. An unexpected frame ends the child. */
export class QueryProcess {
  /** Resolves when the child can take a query. Rejects when it ended before. */
  readonly ready: Promise<void>;
  /** The organization that the child serves. It never serves another one. */
  orgId: string | undefined;
  queries = 0;
  readonly #process: ChildProcess;
  readonly #socket: Socket;
  readonly #reader: FrameReader;
  readonly #onGone: (child: QueryProcess) => void;
  #state: State = "starting";
  #doomed = false;
  #sink: RunSink | undefined;
  #asked = false;
  #signal: NodeJS.Signals | null = null;
  #settleReady: { resolve: () => void; reject: (error: Error) => void } | undefined;

  constructor(sandbox: Sandbox, onGone: (child: QueryProcess) => void) {
    this.#onGone = onGone;
    this.#process = spawn(sandbox.file, [...sandbox.args], {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      env: childEnvironment(),
      cwd: "/",
      detached: true, // Ctrl-C must reach only the server, which lets running queries finish and then ends its children
    });
    this.#socket = this.#process.stdio[3] as Socket;
    this.#reader = new FrameReader({
      limit: (kind) => this.#limit(kind),
      streamed: (kind) => kind === FRAME.data,
      piece: (bytes) => this.#sink?.data(bytes),
      frame: (kind, payload) => {
        this.#frame(kind, payload);
      },
    });
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    this.ready.catch(() => undefined); // `acquire` handles the rejection; nobody waits for a spare child
    this.#listen();
  }

  /** The signal that ended the child, or null when it exited. */
  get signal(): NodeJS.Signals | null {
    return this.#signal;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** True if the child can take queries, now or after its start. */
  get usable(): boolean {
    return !this.#doomed && (this.#state === "starting" || this.#state === "idle");
  }

  run(query: ChildQuery, sink: RunSink): void {
    if (this.#state !== "idle") throw new Error(`cannot run a query: the child is ${this.#state}`);
    this.#state = "running";
    this.#sink = sink;
    this.#asked = false;
    this.queries++;
    this.#socket.write(frame(FRAME.query, JSON.stringify(query)));
  }

  /** Sends the files that the child asked for. */
  files(files: ChildFiles): void {
    if (this.#state === "running" && this.#socket.writable)
      this.#socket.write(frame(FRAME.files, JSON.stringify(files)));
  }

  /** Asks the child to stop its query. It answers with `fail` or `end`, and is then idle. */
  cancel(): void {
    if (this.#state === "running" && this.#socket.writable) this.#socket.write(frame(FRAME.cancel));
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  kill(): void {
    this.#doomed = true;
    this.#process.kill("SIGKILL");
    this.#socket.resume(); // a paused socket would hide the end of the process
  }

  #listen(): void {
    let open = 2; // Both the socket and the process must have ended.
    const part = (): void => {
      this.#doomed = true;
      if (--open === 0) this.#end();
    };
    this.#process.once("exit", (_code, by) => {
      this.#signal = by;
      part();
    });
    this.#process.once("error", () => {
      // without a process there is no exit event
      if (this.#process.pid === undefined) part();
    });
    this.#socket.once("close", part);
    this.#socket.on("error", () => undefined); // a close event follows
    this.#socket.on("data", (bytes: Buffer) => {
      this.#read(bytes);
    });
  }

  #read(bytes: Buffer): void {
    try {
      this.#reader.push(bytes);
    } catch {
      // The child has sent an unexpected frame, so it is no longer trusted.
      this.kill();
    }
  }

  #limit(kind: number): number | undefined {
    if (kind === FRAME.spent) return this.#state === "ended" ? 0 : undefined;
    if (kind === FRAME.ready) return this.#state === "starting" || this.#state === "ended" ? 0 : undefined;
    if (this.#state !== "running") return undefined;
    if (kind === FRAME.ask) return this.#asked ? undefined : CONTROL_FRAME_BYTES_MAX;
    if (kind === FRAME.data) return DATA_FRAME_BYTES_MAX;
    return kind === FRAME.end || kind === FRAME.fail ? CONTROL_FRAME_BYTES_MAX : undefined;
  }

  #frame(kind: number, payload: Buffer): void {
    if (kind === FRAME.ready || kind === FRAME.spent) {
      this.#state = kind === FRAME.ready ? "idle" : "spent";
      const sink = this.#sink;
      this.#sink = undefined;
      this.#settleReady?.resolve();
      sink?.idle();
    } else if (kind === FRAME.ask) {
      this.#asked = true;
      this.#sink?.ask(readAsk(payload));
    } else if (kind !== FRAME.data) {
      this.#state = "ended";
      if (kind === FRAME.end) this.#sink?.end(readEnd(payload));
      else this.#sink?.fail(readFailure(payload));
    }
  }

  #end(): void {
    this.#state = "gone";
    this.#settleReady?.reject(new Error("cannot start a query process: it ended at once"));
    this.#onGone(this);
    this.#sink?.gone(this.#signal, this.#reader.atBoundary);
    this.#sink = undefined;
  }
}
