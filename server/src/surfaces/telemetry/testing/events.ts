/** A received server-sent event. Comments have no name. */
export interface SentEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

export interface EventReader extends AsyncDisposable {
  readonly response: Response;
  readonly events: readonly SentEvent[];
  /** True once the server has ended the stream. */
  readonly ended: boolean;
  /** Resolves with the first matching event, received or to come. @throws Error after ten seconds */
  find(what: string, fits: (event: SentEvent) => boolean): Promise<SentEvent>;
  until(what: string, fits: () => boolean): Promise<void>;
}

const DEADLINE_MS = 10_000;

/** Reads an event stream exactly as specified: fields, blank lines, comments (HTML, "Interpreting an event stream"). */
export async function readEvents(url: string, headers: Record<string, string>): Promise<EventReader> {
  const controller = new AbortController();
  const response = await fetch(url, { headers, signal: controller.signal });
  const events: SentEvent[] = [];
  let ended = false;
  let changed = Promise.withResolvers<void>();
  const tell = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const reading = (async () => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      const blocks = (text + decoder.decode(chunk, { stream: true })).split("\n\n");
      text = blocks.pop() ?? "";
      events.push(...blocks.map(eventOf));
      tell();
    }
  })()
    .catch(() => undefined)
    .finally(() => {
      ended = true;
      tell();
    });
  const until = async (what: string, fits: () => boolean): Promise<void> => {
    const deadline = performance.now() + DEADLINE_MS;
    while (!fits()) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw new Error(`did not get ${what}; got ${JSON.stringify(events).slice(0, 1000)}`);
      const timer = Promise.withResolvers<void>();
      const timeout = setTimeout(timer.resolve, leftMs);
      await Promise.race([changed.promise, timer.promise]);
      clearTimeout(timeout);
    }
  };
  return {
    response,
    events,
    get ended() {
      return ended;
    },
    until,
    find: async (what, fits) => {
      await until(what, () => events.some(fits));
      return events.find(fits) as SentEvent;
    },
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await reading;
    },
  };
}

function eventOf(block: string): SentEvent {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")] as const;
    }),
  );
  return { event: fields.get("event") ?? "", data: fields.get("data") ?? "", id: fields.get("id") };
}

/** Returns the messages of the entries, in order. */
export function messagesOf(events: readonly SentEvent[]): string[] {
  const entries = events.filter(({ event }) => event === "entry");
  return entries.map(({ data }) => (JSON.parse(data) as { message: string }).message);
}
