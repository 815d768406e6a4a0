import { serveThread } from "#kernel/thread.ts";
import { RegistryError } from "./errors.ts";
import { type ManifestRequest, readManifest } from "./manifest.ts";

/** A thread that reads large manifests. It imports nothing of the records, so that it is small and starts fast. */
serveThread(
  (request: ManifestRequest) => readManifest(request),
  (error) => (error instanceof RegistryError ? { code: error.code, message: error.message } : undefined),
  ({ content }) => [content.buffer],
);
