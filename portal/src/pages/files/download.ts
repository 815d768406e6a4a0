import { onThisOrigin } from "~/api/clients.ts";
import type { DownloadGrant } from "./files.ts";

const CONTENT_PATH = "/v1/content/";

/** The address where this page may read content: its own origin; null where a separate store serves the content. */
export function ownContentUrl(downloadUrl: string): string | null {
  return new URL(downloadUrl).pathname.startsWith(CONTENT_PATH) ? onThisOrigin(downloadUrl) : null;
}

/** Has the browser save a file, as a click on its link does. */
export function startDownload({ download_url: url, filename }: DownloadGrant): void {
  const link = document.createElement("a");
  link.href = ownContentUrl(url) ?? url;
  link.download = filename;
  link.rel = "noreferrer";
  link.click();
}
