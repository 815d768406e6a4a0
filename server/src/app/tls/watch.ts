import { watch, type FSWatcher } from "node:fs";
import type { Listener } from "#http/index.ts";
import { isoFromMs, type Clock } from "#kernel/time.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import { dateFaultOf, readCertificate, type Certificate, type TlsFiles } from "./certificate.ts";
import { directoriesOf } from "./paths.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The wait between a change and its reading, because certificate and key are replaced one after the other. */
const SETTLE_MS = 300;
const SECOND_LOOK_MS = 3000;

interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface TlsListener {
  readonly files: TlsFiles;
  readonly certificate: Certificate;
  readonly listener: Pick<Listener, "useCertificate">;
}

interface Served {
  readonly files: TlsFiles;
  readonly listener: Pick<Listener, "useCertificate">;
  certificate: Certificate;
  /** The last fault that was logged. */
  fault: string | undefined;
  /** The fault that the last check found. It is logged if the next check finds it again. */
  suspected: string | undefined;
  warnedMs: number;
}

/** Gives listeners their changed certificates. Also reads them once an hour, for file systems that report no changes. */
export class CertificateWatch {
  readonly #served: readonly Served[];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #work: ScheduledWork;
  readonly #watchers = new Map<string, FSWatcher>();

  constructor(listeners: readonly TlsListener[], parts: { clock: Clock; log: Log; schedule: Schedule }) {
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#served = listeners.map((each) => ({
      ...each,
      fault: undefined,
      suspected: undefined,
      warnedMs: Number.NEGATIVE_INFINITY,
    }));
    this.#work = parts.schedule.add("certificates", {
      everyMs: HOUR_MS,
      run: async () => this.#look(),
      failed: (error) => parts.log.error({ err: error }, "cannot check the certificates"),
    });
    this.#watch();
    for (const served of this.#served) this.#warnOfDates(served);
  }

  /** Returns when the certificate of each address expires. Listeners may share one. */
  expiries(): ReadonlyMap<TlsFiles["address"], number> {
    return new Map(this.#served.map(({ files, certificate }) => [files.address, certificate.validToMs]));
  }

  async stop(): Promise<void> {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    await this.#work.stop();
  }

  /** Reads all certificates now. Logs each fault at once, and returns the faults. */
  reload(): readonly string[] {
    for (const served of this.#served) served.fault = served.suspected = undefined;
    this.#look();
    // The second look finds the same files, so it confirms the faults of the first one.
    this.#look();
    return this.#served.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
  }

  #look(): void {
    this.#watch();
    for (const served of this.#served) {
      this.#read(served);
      this.#warnOfDates(served);
    }
  }

  #read(served: Served): void {
    const { files, listener } = served;
    try {
      const found = readCertificate(files);
      served.fault = served.suspected = undefined;
      if (found.cert === served.certificate.cert && found.key === served.certificate.key) return;
      listener.useCertificate(found);
      served.certificate = found;
      served.warnedMs = Number.NEGATIVE_INFINITY;
      this.#log.info(this.#fieldsOf(served), "the certificate was replaced");
    } catch (error) {
      this.#note(served, (error as Error).message);
    }
  }

  /** Logs a fault once, after a second check has found it, too. */
  #note(served: Served, fault: string): void {
    if (served.fault === fault) return;
    if (served.suspected !== fault) {
      served.suspected = fault;
      this.#work.ask(SECOND_LOOK_MS);
      return;
    }
    served.fault = fault;
    this.#log.error({ ...this.#fieldsOf(served), fault }, "cannot use the changed certificate; the old one stays");
  }

  #warnOfDates(served: Served): void {
    const nowMs = this.#clock.nowMs();
    const fault = dateFaultOf(served.certificate, nowMs);
    if (fault === undefined || nowMs - served.warnedMs < DAY_MS) return;
    served.warnedMs = nowMs;
    this.#log.warn({ ...this.#fieldsOf(served), fault }, "a certificate needs to be renewed");
  }

  #fieldsOf({ files, certificate }: Served): object {
    const { names, validToMs } = certificate;
    return { setting: files.address, file: files.cert, names, not_after: isoFromMs(validToMs) };
  }

  /** Watches the directories that the paths lead through now, because a link may have changed since the last check. */
  #watch(): void {
    const paths = this.#served.flatMap(({ files }) => [files.cert, files.key]);
    const wanted = new Set(paths.flatMap((path) => [...directoriesOf(path)]));
    for (const [directory, watcher] of this.#watchers) {
      if (wanted.has(directory)) continue;
      watcher.close();
      this.#watchers.delete(directory);
    }
    for (const directory of wanted) if (!this.#watchers.has(directory)) this.#watchOne(directory);
  }

  #watchOne(directory: string): void {
    try {
      const watcher = watch(directory, { persistent: false }, () => this.#work.ask(SETTLE_MS));
      watcher.on("error", () => this.#forget(directory));
      this.#watchers.set(directory, watcher);
    } catch (error) {
      this.#log.warn({ err: error, directory }, "cannot watch a directory of certificates; they are read once an hour");
    }
  }

  /** Stops watching the directory until the next check. */
  #forget(directory: string): void {
    this.#watchers.get(directory)?.close();
    this.#watchers.delete(directory);
    this.#work.ask(SETTLE_MS);
  }
}
