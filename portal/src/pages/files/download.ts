import { onThisOrigin } from "~/api/clients.ts";

const CONTENT_PATH = "/v1/content/";

/** Where this page may read content from: its own origin; null where content is on a store of its own. */
export function ownContentUrl(downloadUrl: string): string | null {
  return new URL(downloadUrl).pathname.startsWith(CONTENT_PATH) ? onThisOrigin(downloadUrl) : null;
}
