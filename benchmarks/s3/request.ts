import { Agent, request as httpRequest } from "node:http";
import type { Readable } from "node:stream";
import { signed, type Access, type Ask } from "./sign.ts";

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export interface Reply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  /** Bytes of the body. `text` is empty if the caller discards the body. */
  readonly bytes: number;
}

/** Sends one signed request. A `content` of any length is sent unsigned; `discard` only counts the bytes of the answer's body. */
export function request(
  access: Access,
  ask: Ask,
  options: { content?: { stream: Readable | Buffer; length: number }; discard?: boolean } = {},
): Promise<Reply> {
  const { target, headers } = signed(access, ask);
  const length = options.content?.length ?? ask.body?.length ?? 0;
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        host: access.host,
        port: access.port,
        method: ask.method,
        path: target,
        agent,
        headers: { ...headers, "content-length": length },
      },
      (answer) => {
        const kept: Buffer[] = [];
        let bytes = 0;
        answer.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (options.discard !== true) kept.push(chunk);
        });
        answer.on("error", reject);
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text: Buffer.concat(kept).toString(),
            bytes,
          }),
        );
      },
    );
    outgoing.on("error", reject);
    const content = options.content?.stream ?? ask.body;
    if (content === undefined || Buffer.isBuffer(content)) outgoing.end(content);
    else content.on("error", reject).pipe(outgoing);
  });
}

/** Sends one signed request. @throws Error unless the answer has the expected status */
export async function requestOk(...[access, ask, options]: Parameters<typeof request>): Promise<Reply> {
  const reply = await request(access, ask, options);
  if (reply.status !== 200) throw new Error(`${ask.method} ${ask.path}: ${reply.status} ${reply.text}`);
  return reply;
}
