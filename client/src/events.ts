/** A server-sent event, not a comment. */
export interface SentEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/**
 * Yields the events of a stream as they arrive (HTML, "Interpreting an event stream"). Drops text after the last blank
 * line.
 */
export async function* sentEvents(body: AsyncIterable<Uint8Array> | null): AsyncGenerator<SentEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf("\n\n");
    if (end < 0) continue;
    const blocks = text.slice(0, end).split("\n\n");
    text = text.slice(end + 2);
    for (const block of blocks) {
      const event = eventOf(block);
      if (event.data !== "") yield event;
    }
  }
}

function eventOf(block: string): SentEvent {
  let event = "message";
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") event = value;
    else if (name === "data") data.push(value);
    else if (name === "id") id = value;
  }
  return { event, data: data.join("\n"), id };
}
