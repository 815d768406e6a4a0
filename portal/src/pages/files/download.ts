import { onThisOrigin } from "~/api/clients.ts";

const CONTENT_PATH = "/v1/content/";
const REVOKE_MS = 10_000;

/** Where this page may read content from: its own origin; null where content is on a store of its own. */
export function ownContentUrl(downloadUrl: string): string | null {
  return new URL(downloadUrl).pathname.startsWith(CONTENT_PATH) ? onThisOrigin(downloadUrl) : null;
}

/** Saves a text that this page made. */
export function saveText(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_MS);
}
