import type { Client } from "@mooring/client";
import { BUCKET_ROUTES } from "@mooring/contract";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { onThisOrigin } from "~/api/clients.ts";
import { useOrganization } from "~/app/scope.ts";
import { gatewayMessage, keyFault } from "./objects.ts";
import { useObjectsChanged } from "./use-objects.ts";

const AT_ONCE = 3;

export interface UploadView {
  readonly id: number;
  readonly key: string;
  readonly sizeBytes: number;
  readonly sentBytes: number;
  readonly state: "waiting" | "sending" | "done" | "failed";
  readonly error: string | null;
}

interface Chosen {
  readonly file: File;
  readonly key: string;
}

/** Uploads files to one bucket, three at a time, while its page is open. */
export class ObjectUploads {
  readonly #client: Client;
  readonly #app: string;
  readonly #onDone: () => void;
  readonly #files = new Map<number, Chosen>();
  readonly #requests = new Map<number, XMLHttpRequest>();
  readonly #listeners = new Set<() => void>();
  #views: readonly UploadView[] = [];
  #last = 0;

  constructor(client: Client, app: string, onDone: () => void) {
    this.#client = client;
    this.#app = app;
    this.#onDone = onDone;
  }

  readonly views = (): readonly UploadView[] => this.#views;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(files: readonly Chosen[]): void {
    const added = files.map((chosen): UploadView => {
      const id = ++this.#last;
      const fault = keyFault(chosen.key);
      this.#files.set(id, chosen);
      const { key, file } = chosen;
      return {
        id,
        key,
        sizeBytes: file.size,
        sentBytes: 0,
        state: fault === undefined ? "waiting" : "failed",
        error: fault ?? null,
      };
    });
    this.#set([...this.#views, ...added]);
    this.#pump();
  }

  retry(id: number): void {
    this.#change(id, { state: "waiting", sentBytes: 0, error: null });
    this.#pump();
  }

  /** Aborts an upload, and removes it from the list. */
  remove(id: number): void {
    this.#requests.get(id)?.abort();
    this.#requests.delete(id);
    this.#files.delete(id);
    this.#set(this.#views.filter((view) => view.id !== id));
    this.#pump();
  }

  forgetDone(): void {
    this.#set(this.#views.filter(({ state }) => state !== "done"));
  }

  stop(): void {
    for (const request of this.#requests.values()) request.abort();
    this.#requests.clear();
    this.#files.clear();
    this.#views = [];
  }

  #pump(): void {
    const sending = this.#views.filter(({ state }) => state === "sending").length;
    const next = this.#views.filter(({ state }) => state === "waiting").slice(0, AT_ONCE - sending);
    for (const { id } of next) void this.#send(id);
  }

  async #send(id: number): Promise<void> {
    const chosen = this.#files.get(id);
    if (chosen === undefined) return;
    this.#change(id, { state: "sending" });
    try {
      const { file, key } = chosen;
      const type = file.type === "" ? {} : { content_type: file.type };
      const grant = await this.#client.call(BUCKET_ROUTES.createObjectUpload, {
        params: { app_id: this.#app },
        body: { key, ...type },
      });
      if (!this.#files.has(id)) return; // removed meanwhile
      await this.#put(id, file, { url: onThisOrigin(grant.same_origin_url), headers: grant.headers });
      this.#change(id, { state: "done", sentBytes: file.size });
      this.#onDone();
    } catch (error) {
      this.#change(id, { state: "failed", error: error instanceof Error ? error.message : "It failed." });
    } finally {
      this.#requests.delete(id);
      this.#pump();
    }
  }

  /** Uses XMLHttpRequest, since fetch reports no upload progress. */
  #put(id: number, file: File, to: { url: string; headers: Readonly<Record<string, string>> }): Promise<void> {
    const request = new XMLHttpRequest();
    this.#requests.set(id, request);
    return new Promise((resolve, reject) => {
      request.upload.addEventListener("progress", ({ loaded }) => this.#change(id, { sentBytes: loaded }));
      request.addEventListener("error", () => reject(new Error("The server can't be reached.")));
      request.addEventListener("abort", () => reject(new Error("Given up.")));
      request.addEventListener("load", () => {
        if (request.status === 200) resolve();
        else reject(new Error(gatewayMessage(request.responseText) ?? `The server answered ${request.status}.`));
      });
      request.open("PUT", to.url);
      for (const [name, value] of Object.entries(to.headers)) request.setRequestHeader(name, value);
      request.send(file);
    });
  }

  #change(id: number, part: Partial<UploadView>): void {
    this.#set(this.#views.map((view) => (view.id === id ? { ...view, ...part } : view)));
  }

  #set(views: readonly UploadView[]): void {
    this.#views = views;
    for (const listener of this.#listeners) listener();
  }
}

/** Returns the uploads of a bucket's page. Leaving the page aborts them, and the browser asks first. */
export function useObjectUploads(app: string): { uploads: ObjectUploads; views: readonly UploadView[] } {
  const { client } = useOrganization();
  const changed = useObjectsChanged();
  const uploads = useMemo(() => new ObjectUploads(client, app, changed), [client, app, changed]);
  const views = useSyncExternalStore(uploads.subscribe, uploads.views);
  useEffect(() => {
    const onLeave = (event: BeforeUnloadEvent): void => {
      if (uploads.views().some(({ state }) => state === "sending" || state === "waiting")) event.preventDefault();
    };
    addEventListener("beforeunload", onLeave);
    return () => {
      removeEventListener("beforeunload", onLeave);
      uploads.stop();
    };
  }, [uploads]);
  return { uploads, views };
}
