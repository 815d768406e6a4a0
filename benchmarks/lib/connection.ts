import { connect, type Socket } from "node:net";

export interface Answer {
  /** The status code, three digits. */
  readonly status: string;
  /** From the last byte of the request to the end of the answer. */
  readonly ms: number;
}

/**
 * One connection of a client that costs next to nothing, so that the figures show the server. It writes whole requests,
 * and reads only the status line and Content-Length of answers. It sends the next request when `note` returns.
 */
export function drive(
  { host, port }: { readonly host: string; readonly port: number },
  take: () => Buffer | null,
  note: (answer: Answer) => void | Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host, port, noDelay: true });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    let pending = Buffer.alloc(0);
    let sentAt = 0;
    const send = (): void => {
      const request = take();
      if (request === null) {
        socket.end();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(request);
    };
    const answered = async (status: string): Promise<void> => {
      await note({ status, ms: performance.now() - sentAt });
      send();
    };
    socket.on("connect", () => void Promise.resolve().then(send).catch(fail));
    socket.on("error", fail);
    socket.on("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const end = answerEnd(pending);
      if (end === null) return;
      const status = pending.toString("latin1", 9, 12);
      pending = pending.subarray(end);
      answered(status).catch(fail);
    });
  });
}

/** Returns where the first whole answer ends, or null while it is incomplete. */
function answerEnd(bytes: Buffer): number | null {
  const head = bytes.indexOf("\r\n\r\n");
  if (head === -1) return null;
  const text = bytes.toString("latin1", 0, head);
  // 204 never has a body (RFC 9110 section 8.6).
  const length = text.startsWith("HTTP/1.1 204") ? ["", "0"] : /content-length: (\d+)/i.exec(text);
  if (length?.[1] === undefined) throw new Error(`an answer without Content-Length: ${text}`);
  const end = head + 4 + Number(length[1]);
  return bytes.length >= end ? end : null;
}
