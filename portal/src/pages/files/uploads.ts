import { UnreachableError, type Tokens } from "@mooring/client";
import { defaultOptions, Upload, type PreviousUpload } from "tus-js-client";
import type { ChosenFile } from "~/kit/dropped.ts";
import { tusOptions, tusUpload } from "./tus-upload.ts";
import { nextToSend, type UploadView } from "./upload-queue.ts";

interface Entry {
  readonly chosen: ChosenFile;
  readonly project: string | undefined;
  view: UploadView;
  /** Null until it starts. */
  tus: Upload | null;
  /** The start of the measurement of the speed. */
  since: { ms: number; bytes: number };
  /** How often it was started or resumed. */
  attempts: number;
}

interface UploadsOptions {
  readonly tokens: Tokens;
  /** The prefix of fingerprints, so that nobody continues another person's uploads. */
  readonly owner: string;
  readonly onDone: () => void;
}

const NOTIFY_MS = 150;
/** The server deletes an unfinished upload a day after its last byte. */
const LEFTOVER_MS = 7 * 86_400_000;

/** The uploads of one person in one organization. They continue while other pages are open. */
export class Uploads {
  readonly #options: UploadsOptions;
  readonly #listeners = new Set<() => void>();
  #entries: Entry[] = [];
  #views: readonly UploadView[] = [];
  #nextId = 1;
  #revision = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: UploadsOptions) {
    this.#options = options;
    addEventListener("online", this.#onOnline);
    addEventListener("beforeunload", this.#onLeave);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  views = (): readonly UploadView[] => this.#views;

  /** Changes when uploads start, end or are removed, but not for every byte. */
  revision = (): number => this.#revision;

  add(files: readonly ChosenFile[], project: string | undefined): void {
    for (const chosen of files) {
      const same = this.#entries.find((entry) => entry.view.state !== "done" && isSame(entry, { chosen, project }));
      if (same !== undefined) {
        // Two uploads of one file would be the same upload on the server.
        if (same.view.state !== "sending") this.resume(same.view.id);
        continue;
      }
      const view: UploadView = {
        id: this.#nextId++,
        name: chosen.name,
        sizeBytes: chosen.file.size,
        sentBytes: 0,
        state: "waiting",
        error: null,
        fileId: null,
        bytesPerSecond: null,
      };
      this.#entries.push({ chosen, project, view, tus: null, since: { ms: 0, bytes: 0 }, attempts: 0 });
    }
    this.#pump();
  }

  pause(id: number): void {
    const entry = this.#find(id);
    if (entry === undefined) return;
    this.#change(entry, { state: "paused", bytesPerSecond: null });
    void entry.tus?.abort();
    this.#pump();
  }

  resume(id: number): void {
    const entry = this.#find(id);
    if (entry === undefined) return;
    this.#change(entry, { state: "waiting", error: null });
    this.#pump();
  }

  /** Cancels an upload, at the server too; a completed one is only removed from the list. */
  cancel(id: number): void {
    const entry = this.#find(id);
    if (entry === undefined) return;
    this.#entries = this.#entries.filter((each) => each !== entry);
    if (entry.view.state !== "done")
      // If this fails, the server deletes the upload after a day.
      void entry.tus
        ?.abort(true)
        .catch(() => undefined)
        .then(() => this.#publish());
    this.#pump();
  }

  forgetDone(): void {
    this.#entries = this.#entries.filter(({ view }) => view.state !== "done");
    this.#publish();
  }

  /** Returns unfinished uploads of earlier visits. Each continues when the same file is chosen again. */
  async leftovers(): Promise<PreviousUpload[]> {
    const all = (await defaultOptions.urlStorage.findAllUploads()).filter(({ urlStorageKey }) =>
      urlStorageKey.startsWith(`tus::${this.#options.owner}`),
    );
    const mine = new Set(this.#entries.map(({ tus }) => tus?.url));
    const present = Date.now();
    const old = all.filter(({ creationTime }) => present - Date.parse(creationTime) > LEFTOVER_MS);
    await Promise.all(old.map(({ urlStorageKey }) => defaultOptions.urlStorage.removeUpload(urlStorageKey)));
    return all.filter((upload) => !old.includes(upload) && !mine.has(upload.uploadUrl));
  }

  async giveUp({ uploadUrl, urlStorageKey }: PreviousUpload): Promise<void> {
    await defaultOptions.urlStorage.removeUpload(urlStorageKey);
    // An upload that the server has already deleted counts as deleted.
    if (uploadUrl !== null) await Upload.terminate(uploadUrl, tusOptions(this.#options.tokens)).catch(() => undefined);
    this.#publish();
  }

  /** Stops all uploads, before another person signs in. */
  dispose(): void {
    removeEventListener("online", this.#onOnline);
    removeEventListener("beforeunload", this.#onLeave);
    for (const { tus } of this.#entries) void tus?.abort();
    this.#entries = [];
    this.#publish();
  }

  #find(id: number): Entry | undefined {
    return this.#entries.find(({ view }) => view.id === id);
  }

  #pump(): void {
    for (const id of nextToSend(this.#entries.map(({ view }) => view))) {
      const entry = this.#find(id);
      if (entry !== undefined) void this.#send(entry);
    }
    this.#publish();
  }

  async #send(entry: Entry): Promise<void> {
    this.#change(entry, { state: "sending", error: null });
    entry.since = { ms: performance.now(), bytes: -1 };
    const attempt = ++entry.attempts;
    if (entry.tus === null) {
      entry.tus = this.#begin(entry);
      const [newest] = (await entry.tus.findPreviousUploads()).toSorted((a, b) =>
        b.creationTime.localeCompare(a.creationTime),
      );
      if (newest !== undefined) entry.tus.resumeFromPreviousUpload(newest);
    }
    // Meanwhile it may have been paused, cancelled, or resumed.
    const isCurrent = entry.attempts === attempt && this.#entries.includes(entry);
    if (isCurrent && entry.view.state === "sending") entry.tus.start();
  }

  #begin(entry: Entry): Upload {
    const { tokens, owner, onDone } = this.#options;
    return tusUpload(
      entry.chosen,
      { tokens, owner, project: entry.project },
      {
        onProgress: (bytes) => this.#progress(entry, bytes),
        onDone: () => {
          const fileId = entry.tus?.url?.split("/").at(-1) ?? null;
          this.#change(entry, { state: "done", sentBytes: entry.view.sizeBytes, fileId });
          onDone();
          this.#pump();
        },
        onFailed: (error) => {
          this.#change(entry, { state: "failed", error, bytesPerSecond: null });
          this.#pump();
        },
      },
    );
  }

  #progress(entry: Entry, sentBytes: number): void {
    const ms = performance.now();
    if (entry.since.bytes < 0) entry.since = { ms, bytes: sentBytes };
    const elapsedMs = ms - entry.since.ms;
    const bytesPerSecond = elapsedMs < 500 ? null : ((sentBytes - entry.since.bytes) / elapsedMs) * 1000;
    this.#change(entry, { sentBytes, bytesPerSecond });
    this.#timer ??= setTimeout(() => this.#tell(), NOTIFY_MS);
  }

  #change(entry: Entry, part: Partial<UploadView>): void {
    entry.view = { ...entry.view, ...part };
  }

  #publish(): void {
    this.#revision++;
    this.#tell();
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#views = this.#entries.map(({ view }) => view);
    for (const listener of this.#listeners) listener();
  }

  #onOnline = (): void => {
    for (const { view } of this.#entries) if (view.error instanceof UnreachableError) this.resume(view.id);
  };

  #onLeave = (event: BeforeUnloadEvent): void => {
    if (this.#entries.some(({ view }) => view.state === "sending" || view.state === "waiting")) event.preventDefault();
  };
}

/** Whether two entries have the same file and place, so that they are the same upload on the server. */
function isSame(one: Pick<Entry, "chosen" | "project">, other: Pick<Entry, "chosen" | "project">): boolean {
  const [a, b] = [one.chosen, other.chosen];
  const isSameFile = a.file.size === b.file.size && a.file.lastModified === b.file.lastModified;
  return a.name === b.name && isSameFile && one.project === other.project;
}
