import { onThisOrigin } from "~/api/clients.ts";
import type { DownloadGrant } from "./files.ts";

const CONTENT_PATH = "/v1/content/";

/**
 * Returns the address at which this page may read content: at its own origin. Null: a separate store serves the
 * content.
 */
export function ownContentUrl(downloadUrl: string): string | null {
  return new URL(downloadUrl).pathname.startsWith(CONTENT_PATH) ? onThisOrigin(downloadUrl) : null;
}

/** Downloads a file, like a click on its link. */
export function startDownload({ download_url: url, filename }: DownloadGrant): void {
  const link = document.createElement("a");
  link.href = ownContentUrl(url) ?? url;
  link.download = filename;
  link.rel = "noreferrer";
  link.click();
}
