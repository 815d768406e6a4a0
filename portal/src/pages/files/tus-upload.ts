import type { ChosenFile } from "~/kit/dropped.ts";
import { ApiError, UnreachableError, type Tokens } from "@mooring/client";
import {
  defaultOptions,
  DefaultHttpStack,
  DetailedError,
  Upload,
  type HttpRequest,
  type HttpResponse,
  type HttpStack,
  type UploadOptions,
} from "tus-js-client";
import { onThisOrigin } from "~/api/clients.ts";
import { fingerprintOf } from "./upload-queue.ts";

/** Where uploads go, and for whom. */
export interface UploadPlace {
  readonly tokens: Tokens;
  /** The prefix of fingerprints: person and organization. */
  readonly owner: string;
  readonly project: string | undefined;
}

interface Events {
  readonly onProgress: (sentBytes: number) => void;
  readonly onDone: () => void;
  readonly onFailed: (error: Error) => void;
}

/** Retries for about five minutes without an answer. Then the upload fails, and the person can resume it. */
const RETRY_DELAYS_MS = [0, 1000, 3000, 5000, 10_000, 20_000, 30_000, 60_000, 60_000, 60_000, 60_000];

const browserStack = new DefaultHttpStack({});

/** The server names an upload by its public address, but the page may connect only to its own origin. */
const sameOrigin: HttpStack = {
  createRequest: (method, url) => browserStack.createRequest(method, onThisOrigin(url)),
  getName: () => "same origin",
};

/** Returns options for tus requests to this origin, each with a valid token. */
export function tusOptions(tokens: Tokens): UploadOptions {
  let sent = "";
  let refused: string | undefined;
  let refusals = 0;
  return {
    ...defaultOptions,
    endpoint: `${location.origin}/v1/uploads`,
    httpStack: sameOrigin,
    retryDelays: RETRY_DELAYS_MS,
    removeFingerprintOnSuccess: true,
    onBeforeRequest: async (request) => {
      sent = await tokens.get(refused);
      refused = undefined;
      request.setHeader("Authorization", `Bearer ${sent}`);
    },
    onAfterResponse: (request, response) => {
      const isRefused = response.getStatus() === 401;
      refusals = isRefused ? refusals + 1 : 0;
      if (isRefused) refused = sent;
      requirePlace(request, response);
    },
    // A refused token is retried once with a new token.
    onShouldRetry: (error) => isWorthAnother(statusOf(error)) || refusals === 1,
  };
}

/** Creates a resumable upload, which continues an earlier one of the same file. */
export function tusUpload({ file, name }: ChosenFile, place: UploadPlace, events: Events): Upload {
  const { type, size, lastModified } = file;
  const fingerprint = fingerprintOf(`${place.owner}${place.project ?? ""}:`, { name, type, size, lastModified });
  return new Upload(file, {
    ...tusOptions(place.tokens),
    metadata: {
      filename: name,
      ...(type === "" ? {} : { filetype: type }),
      ...(place.project === undefined ? {} : { project: place.project }),
    },
    fingerprint: async () => fingerprint,
    onProgress: events.onProgress,
    onSuccess: events.onDone,
    onError: (error) => events.onFailed(uploadError(error)),
  });
}

/**
 * If a request for an upload's offset is refused, the library starts again from the first byte. That is right only if
 * the server has deleted the upload, so other failures throw and are retried.
 * @throws ApiError
 */
function requirePlace(request: HttpRequest, response: HttpResponse): void {
  const status = response.getStatus();
  if (request.getMethod() !== "HEAD" || status < 400 || status === 404 || status === 410) return;
  const requestId = response.getHeader("Request-Id") ?? null;
  const problem = {
    code: "unknown",
    detail: "the server does not report how many bytes have arrived",
    requestId,
    errors: [],
  };
  throw new ApiError("resume the upload", status, problem, null);
}

/**
 * Whether to retry after this status: no answer, a rate limit, or a temporary failure. The upload then asks for its
 * offset and continues.
 */
function isWorthAnother(status: number): boolean {
  return status === 0 || status === 408 || status === 409 || status === 423 || status === 429 || status >= 500;
}

function statusOf(error: DetailedError | Error): number {
  if (!(error instanceof DetailedError)) return 0;
  if (error.causingError instanceof ApiError) return error.causingError.status;
  return error.originalResponse?.getStatus() ?? 0;
}

/** Converts an error of the library into the portal's form. */
function uploadError(error: Error): Error {
  if (!(error instanceof DetailedError)) return error;
  if (error.causingError instanceof ApiError) return error.causingError;
  const response = error.originalResponse;
  if (response === null) return new UnreachableError("upload", location.origin, new Error("the connection broke"));
  const problem = problemIn(response.getBody());
  const requestId = response.getHeader("Request-Id") ?? null;
  return new ApiError("upload", response.getStatus(), { ...problem, requestId, errors: [] }, null);
}

function problemIn(body: string): { code: string; detail: string } {
  try {
    const { code, detail } = JSON.parse(body) as Record<string, unknown>;
    if (typeof code === "string" && typeof detail === "string") return { code, detail };
  } catch {
    // A proxy answered instead of the server.
  }
  return { code: "unknown", detail: "no reason was given" };
}
