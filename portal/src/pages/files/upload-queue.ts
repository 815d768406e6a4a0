/** The state of an upload. A `failed` one can be resumed: the server keeps the received bytes for a day. */
export type UploadState = "waiting" | "sending" | "paused" | "failed" | "done";

export interface UploadView {
  readonly id: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sentBytes: number;
  readonly state: UploadState;
  readonly error: Error | null;
  /** The id of the resulting file. */
  readonly fileId: string | null;
  /** The recent speed; null: not known yet. */
  readonly bytesPerSecond: number | null;
}

/** The number of uploads at a time. More would only share the same bandwidth. */
export const SENDING_MAX = 3;

/** Returns the waiting uploads to start now, oldest first. */
export function nextToSend(uploads: readonly Pick<UploadView, "id" | "state">[]): number[] {
  const free = SENDING_MAX - uploads.filter(({ state }) => state === "sending").length;
  return uploads
    .filter(({ state }) => state === "waiting")
    .slice(0, Math.max(0, free))
    .map(({ id }) => id);
}

/** Summarizes all uploads in one line, for screen readers. */
export function summaryOf(uploads: readonly UploadView[]): string {
  const count = (state: UploadState): number => uploads.filter((upload) => upload.state === state).length;
  const parts = (["sending", "waiting", "paused", "failed", "done"] as const)
    .filter((state) => count(state) > 0)
    .map((state) => `${count(state)} ${state}`);
  return parts.length === 0 ? "nothing to upload" : parts.join(", ");
}

/** Returns the progress in percent. An empty file has 100 when it is done. */
export function percentOf({ sentBytes, sizeBytes, state }: UploadView): number {
  if (state === "done") return 100;
  return sizeBytes === 0 ? 0 : Math.floor((sentBytes / sizeBytes) * 100);
}

/** Returns the remaining time at the recent speed, or null while it is unknown. */
export function remainingMs({ sentBytes, sizeBytes, state, bytesPerSecond }: UploadView): number | null {
  if (state !== "sending" || bytesPerSecond === null || bytesPerSecond <= 0) return null;
  return ((sizeBytes - sentBytes) / bytesPerSecond) * 1000;
}

/** Returns the fingerprint that identifies an upload, also after a reload: the person, the place and the file. */
export function fingerprintOf(
  place: string,
  { name, type, size, lastModified }: { name: string; type: string; size: number; lastModified: number },
): string {
  return `${place}${JSON.stringify([name, type, size, lastModified])}`;
}
