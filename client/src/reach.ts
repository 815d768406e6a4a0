import { UnreachableError } from "./errors.ts";

/**
 * Calls `fetch`. The error names the address that can't be reached; an abort keeps its error. It follows no redirect,
 * so that a token never reaches another address.
 */
export async function reach(purpose: string, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: "error" });
  } catch (error) {
    if (init.signal?.aborted === true && (init.signal.reason as Error).name === "AbortError") throw error;
    throw new UnreachableError(purpose, url, error);
  }
}
