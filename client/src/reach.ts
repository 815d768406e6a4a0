import { UnreachableError } from "./errors.ts";

/**
 * Calls `fetch`; its error names the address that can't be reached. An abort is not changed. Follows no redirection, so
 * that a token goes to no other address.
 */
export async function reach(purpose: string, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: "error" });
  } catch (error) {
    if (init.signal?.aborted === true && (init.signal.reason as Error).name === "AbortError") throw error;
    throw new UnreachableError(purpose, url, error);
  }
}
