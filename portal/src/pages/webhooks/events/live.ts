import { ApiError, sentEvents, type Client } from "@mooring/client";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useOrganization } from "~/app/scope.ts";
import type { WebhookEvent } from "./filters.ts";

export type LiveState = "connecting" | "live" | "again" | "paused" | "refused";

const WAIT_MIN_MS = 1000;
const WAIT_MAX_MS = 30_000;
const FLUSH_MS = 250;

interface Handlers {
  /** Called with new events, oldest first. */
  readonly onEvents: (events: readonly WebhookEvent[]) => void;
  /** Called when the stream is open. Earlier events are in the list. */
  readonly onOpen: () => void;
}

/**
 * Follows a webhook's events. It disconnects while paused or while the tab is hidden. Then it continues after the last
 * received event (`Last-Event-ID`), so that no event is missed.
 */
export function useLiveEvents(
  webhookId: string,
  { isPaused, ...handlers }: Handlers & { isPaused: boolean },
): { state: LiveState; error: Error | null } {
  const { client } = useOrganization();
  const isVisible = useVisible();
  const [state, setState] = useState<LiveState>("connecting");
  const [error, setError] = useState<Error | null>(null);
  const latest = useRef<Handlers>(handlers);
  latest.current = handlers;
  const lastId = useRef<string>(undefined);
  useEffect(() => {
    if (isPaused || !isVisible) return undefined;
    const leaving = new AbortController();
    const buffered: WebhookEvent[] = [];
    const flush = (): void => {
      if (buffered.length > 0) latest.current.onEvents(buffered.splice(0));
    };
    const timer = setInterval(flush, FLUSH_MS);
    setState("connecting");
    void follow(client, webhookId, {
      signal: leaving.signal,
      lastId,
      onEvent: (event) => buffered.push(event),
      onOpen: () => latest.current.onOpen(),
      onState: (next, why) => {
        setState(next);
        setError(why);
      },
    });
    return () => {
      leaving.abort();
      clearInterval(timer);
      flush();
    };
  }, [client, webhookId, isPaused, isVisible]);
  return { state: isPaused ? "paused" : state, error };
}

interface Following {
  readonly signal: AbortSignal;
  readonly lastId: { current: string | undefined };
  readonly onEvent: (event: WebhookEvent) => void;
  readonly onOpen: () => void;
  readonly onState: (state: LiveState, error: Error | null) => void;
}

/** Connects again when the connection breaks, at growing intervals. A refusal ends it. */
async function follow(client: Client, webhookId: string, following: Following): Promise<void> {
  const { signal, onState } = following;
  let waitMs = WAIT_MIN_MS;
  while (!signal.aborted) {
    try {
      await stream(client, webhookId, following);
      waitMs = WAIT_MIN_MS;
      onState("again", null);
    } catch (error) {
      if (signal.aborted || !(error instanceof Error)) return;
      const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429;
      onState(isRefused ? "refused" : "again", error);
      if (isRefused) return;
      waitMs = Math.min(waitMs * 2, WAIT_MAX_MS);
    }
    await delay(waitMs, signal);
  }
}

async function stream(client: Client, webhookId: string, following: Following): Promise<void> {
  const { signal, lastId, onEvent, onOpen, onState } = following;
  const response = await client.send({
    purpose: "follow the webhook's events",
    url: `${client.addresses.identity_url}/v1/webhooks/${encodeURIComponent(webhookId)}/stream`,
    headers: {
      accept: "text/event-stream",
      ...(lastId.current === undefined ? {} : { "last-event-id": lastId.current }),
    },
    signal,
  });
  onState("live", null);
  onOpen();
  for await (const { event, data, id } of sentEvents(chunksOf(response.body))) {
    if (id !== undefined) lastId.current = id;
    if (event === "event") onEvent(JSON.parse(data) as WebhookEvent);
  }
}

/** Yields the chunks of a stream. Safari's streams have no async iterator. */
async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function useVisible(): boolean {
  return useSyncExternalStore(
    (listener) => {
      document.addEventListener("visibilitychange", listener);
      return () => document.removeEventListener("visibilitychange", listener);
    },
    () => document.visibilityState === "visible",
  );
}
