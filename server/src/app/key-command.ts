import { spawn } from "node:child_process";
import type { KeyService } from "#domain/identity/index.ts";
import { decodeBase64 } from "#kernel/decoding.ts";

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 64 * 1024;
const KEY_ID_CHARS_MAX = 200;

type Answer = Readonly<Record<string, unknown>>;

/**
 * A key service that is a program: one run for each operation, with a JSON object on standard input and one on standard
 * output. Standard error goes to the server's. docs/how-to/rotate-the-master-key.md describes the objects.
 */
export function keyCommand(path: string): KeyService {
  const ask = (request: object): Promise<Answer> => run(path, JSON.stringify(request));
  return {
    status: async () => {
      const { key_id: keyId } = await ask({ operation: "status" });
      if (typeof keyId !== "string" || !isKeyId(keyId)) throw wrongAnswer(path, "status", "key_id");
      return { keyId };
    },
    wrap: async (bytes, context) => {
      const { ciphertext } = await ask({ operation: "wrap", plaintext: base64Of(bytes), context });
      return bytesOf(ciphertext) ?? fail(wrongAnswer(path, "wrap", "ciphertext"));
    },
    unwrap: async ({ keyId, bytes }, context) => {
      const { plaintext } = await ask({ operation: "unwrap", key_id: keyId, ciphertext: base64Of(bytes), context });
      return bytesOf(plaintext) ?? fail(wrongAnswer(path, "unwrap", "plaintext"));
    },
  };
}

function isKeyId(text: string): boolean {
  return text.length > 0 && text.length <= KEY_ID_CHARS_MAX && /^[\x21-\x7e]+$/.test(text);
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function bytesOf(value: unknown): Buffer | undefined {
  const bytes = typeof value === "string" ? decodeBase64(value) : undefined;
  return bytes === undefined || bytes.length === 0 ? undefined : bytes;
}

function fail(error: Error): never {
  throw error;
}

function wrongAnswer(path: string, operation: string, member: string): Error {
  return new Error(`cannot use master_key_command: the answer of ${path} to ${operation} has no valid ${member}`);
}

/** Runs the program once. Its answer never appears in an error, because it may be a key. */
async function run(path: string, input: string): Promise<Answer> {
  const child = spawn(path, [], { stdio: ["pipe", "pipe", "inherit"], timeout: TIMEOUT_MS, killSignal: "SIGKILL" });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", (error) => reject(new Error(`cannot run master_key_command ${path}: ${error.message}`)));
    child.once("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`master_key_command ${path} ended with ${code ?? signal}; its standard error says why`));
    });
  });
  child.stdin.on("error", () => undefined); // the program may end without reading
  child.stdin.end(`${input}\n`);
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX) child.kill("SIGKILL");
    else chunks.push(chunk);
  });
  await ended;
  try {
    const answer: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (typeof answer === "object" && answer !== null) return answer as Answer;
  } catch {
    // reported below, without the text
  }
  throw new Error(`cannot use master_key_command: the answer of ${path} is not a JSON object`);
}
