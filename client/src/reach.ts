import { UnreachableError } from "./errors.ts";

/** `fetch` with an error that says what could not be reached; an abort passes as it is. Follows no redirection: a token goes to no other place. */
export async function reach(purpose: string, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: "error" });
  } catch (error) {
    if (init.signal?.aborted === true && (init.signal.reason as Error).name === "AbortError") throw error;
    throw new UnreachableError(purpose, url, error);
  }
}
