import { createHash, type Hash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { basename } from "node:path";
import { text } from "node:stream/consumers";
import { systemClock } from "#kernel/time.ts";
import { UnreachableError } from "@mooring/client";
import { CommandError, UsageError } from "../command.ts";
import { typeOfName } from "./media-types.ts";
import { transferProgress } from "./progress.ts";
import type { FileFacts, FilesClient } from "./remote.ts";

export interface Put {
  /** `-`: standard input. */
  readonly path: string;
  readonly name: string | undefined;
  readonly type: string | undefined;
  readonly project: string | undefined;
}

/** Uploads a file. If the upload is refused or altered, it throws, and the file does not exist. */
export async function putFile(remote: FilesClient, { path, name, type, project }: Put): Promise<FileFacts> {
  if (path === "-" && name === undefined) throw new UsageError("name the file for standard input: --name NAME");
  const filename = name ?? basename(path);
  const contentType = type ?? typeOfName(filename);
  const size = path === "-" ? undefined : await sizeOf(path);
  const grant = await remote.grant({ filename, content_type: contentType, size_bytes: size, project });
  const progress = transferProgress(process.stderr, size ?? null, systemClock);
  const hash = createHash("sha256");
  try {
    const input = path === "-" ? process.stdin : createReadStream(path, { highWaterMark: 1024 * 1024 });
    const counted = counting(input as AsyncIterable<Buffer>, hash, (bytes) => progress.add(bytes));
    const told = await send(remote, { url: grant.upload_url, contentType, size }, counted);
    const file = told ?? (await arrived(remote, grant.file_id, filename));
    if (file.sha256 === hash.digest("hex")) return file;
  } finally {
    progress.end();
  }
  await remote.remove(grant.file_id, { permanent: true });
  throw new CommandError(
    `cannot upload ${path}: the content changed in transit and was deleted on the server; upload it again`,
  );
}

/** Requests the file, because an upstream store does not report uploads. The server then finds the uploaded content. */
async function arrived(remote: FilesClient, id: string, filename: string): Promise<FileFacts> {
  await remote.download(id);
  const file = await remote.find(id, filename);
  if (file === undefined) throw new CommandError(`cannot upload ${filename}: it was deleted meanwhile`);
  return file;
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Error("it is a directory; pack it first, for example with tar");
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    throw new CommandError(`cannot upload ${path}: ${(error as Error).message}`);
  }
}

async function* counting(
  input: AsyncIterable<Buffer>,
  hash: Hash,
  sent: (bytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of input) {
    hash.update(chunk);
    yield chunk;
    sent(chunk.length);
  }
}

interface Target {
  readonly url: string;
  readonly contentType: string;
  readonly size: number | undefined;
}

/** Does not use fetch, because a refusal may come during the upload, and the content has a known size. */
async function send(
  remote: FilesClient,
  target: Target,
  content: AsyncIterable<Buffer>,
): Promise<FileFacts | undefined> {
  const { url, contentType, size } = target;
  const headers = { "content-type": contentType, ...(size === undefined ? {} : { "content-length": size }) };
  const make = url.startsWith("https:") ? httpsRequest : httpRequest;
  const request = make(url, { method: "PUT", headers, signal: remote.signal });
  const answered = once(request, "response") as Promise<[IncomingMessage]>;
  answered.catch(() => {}); // awaited below
  try {
    await write(request, content, answered);
    const [response] = await answered;
    return await accepted(response);
  } catch (error) {
    request.destroy();
    if (error instanceof CommandError || remote.signal.aborted) throw error;
    throw new UnreachableError("upload the file", url, error);
  }
}

/** Stops when the answer comes early, because then it is a refusal. */
async function write(
  request: ClientRequest,
  content: AsyncIterable<Buffer>,
  answered: Promise<unknown>,
): Promise<void> {
  let isAnswered = false;
  const early = answered.then(() => void (isAnswered = true));
  for await (const chunk of reading(content)) {
    if (isAnswered) return;
    if (!request.write(chunk)) await Promise.race([once(request, "drain"), early]);
  }
  request.end();
}

async function* reading(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* content;
  } catch (error) {
    throw new CommandError(`cannot read the file to upload: ${(error as Error).message}`);
  }
}

async function accepted(response: IncomingMessage): Promise<FileFacts | undefined> {
  const body = await text(response);
  const isOurs = response.headers["content-type"]?.startsWith("application/json") === true;
  if (response.statusCode === 200) return isOurs ? (JSON.parse(body) as { data: FileFacts }).data : undefined;
  throw new CommandError(`cannot upload the file: ${detailIn(body)} (${response.statusCode})`);
}

function detailIn(body: string): string {
  const unknown = "no reason was given";
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    return typeof detail === "string" ? detail : unknown;
  } catch {
    return /<Message>([^<]*)<\/Message>/.exec(body)?.[1] ?? unknown; // the answer of an upstream store
  }
}
