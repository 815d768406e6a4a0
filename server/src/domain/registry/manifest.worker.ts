import { serveThread } from "#kernel/thread.ts";
import { RegistryError } from "./errors.ts";
import { type ManifestRequest, readManifest } from "./manifest.ts";

/** A thread that reads large manifests. It knows nothing of records, so that it starts at once and is small. */
serveThread(
  (request: ManifestRequest) => readManifest(request),
  (error) => (error instanceof RegistryError ? { code: error.code, message: error.message } : undefined),
  ({ content }) => [content.buffer],
);
