import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { chunkSigner } from "../auth/chunk-signatures.ts";
import { deriveKey } from "../auth/signature-v4.ts";
import { S3Error } from "#domain/s3/index.ts";
import { AwsChunkedDecoder, type AwsChunkedOptions } from "./aws-chunked.ts";

// The examples of "Transferring Payload in Multiple Chunks" in the Amazon S3 API reference: 66560 bytes of "a".
const scope = { day: "20130524", region: "us-east-1", service: "s3" };
const key = deriveKey("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", scope);
const CONTENT = Buffer.alloc(66_560, "a");
const SEED = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";
const SEED_OF_TRAILER = "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e";
const SIGNATURES = [
  "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
  "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
  "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
];
const SIGNATURES_OF_TRAILER = [
  "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
  "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
  "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
  "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435",
];

interface Chunk {
  readonly data: string;
  readonly signature?: string | undefined;
}

function framed(chunks: readonly Chunk[], end = "\r\n"): string {
  return (
    chunks
      .map(({ data, signature }) => {
        const head = `${data.length.toString(16)}${signature === undefined ? "" : `;chunk-signature=${signature}`}\r\n`;
        return data === "" ? head : `${head}${data}\r\n`;
      })
      .join("") + end
  );
}

const PIECES = ["a".repeat(65_536), "a".repeat(1024), ""];

function signedChunks(signatures: readonly string[] = SIGNATURES): Chunk[] {
  return PIECES.map((data, i) => ({ data, signature: signatures[i] ?? "" }));
}

async function decoded(
  text: string,
  options: Partial<AwsChunkedOptions>,
  pieceBytes = 1000,
): Promise<{ body: Buffer; trailers: ReadonlyMap<string, string> }> {
  const bytes = Buffer.from(text, "latin1");
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  const decoder = new AwsChunkedDecoder({ signer: null, decodedLength: CONTENT.length, trailers: null, ...options });
  const source = Readable.from(pieces);
  source.pipe(decoder);
  return { body: await buffer(decoder), trailers: decoder.trailers };
}

const signer = (seed = SEED): AwsChunkedOptions["signer"] =>
  chunkSigner({ key, date: "20130524T000000Z", scope, seed });
const refusal = (code: string) => (error: unknown) => error instanceof S3Error && error.code === code;

test("accepts the published signed chunks, in pieces of any size", async () => {
  for (const pieceBytes of [1, 7, 65_536, 100_000]) {
    const { body } = await decoded(framed(signedChunks()), { signer: signer() }, pieceBytes);
    assert.ok(body.equals(CONTENT), `pieces of ${pieceBytes}`);
  }
});

function withTrailer(line: string, signature = SIGNATURES_OF_TRAILER[3]): string {
  return framed(signedChunks(SIGNATURES_OF_TRAILER), `${line}\r\nx-amz-trailer-signature:${signature}\r\n\r\n`);
}

test("accepts the published signed trailer", async () => {
  const options = { signer: signer(SEED_OF_TRAILER), trailers: ["x-amz-checksum-crc32c"] };
  const { body, trailers } = await decoded(withTrailer("x-amz-checksum-crc32c:sOO8/Q=="), options);
  assert.ok(body.equals(CONTENT));
  assert.deepEqual([...trailers], [["x-amz-checksum-crc32c", "sOO8/Q=="]]);
});

test("accepts chunks without signatures, with and without a trailer", async () => {
  const chunks = [{ data: "hello" }, { data: " world" }, { data: "" }];
  const { body, trailers } = await decoded(framed(chunks, "X-Amz-Checksum-Crc32: abc=\r\n\r\n"), {
    decodedLength: 11,
    trailers: ["x-amz-checksum-crc32"],
  });
  assert.equal(body.toString(), "hello world");
  assert.equal(trailers.get("x-amz-checksum-crc32"), "abc=");
  assert.equal((await decoded(framed(chunks), { decodedLength: 11 }, 1)).body.toString(), "hello world");
  assert.equal((await decoded("0\r\n\r\n", { decodedLength: 0 })).body.length, 0);
  assert.equal((await decoded("A\r\n0123456789\r\n0\r\n\r\n", { decodedLength: 10 })).body.length, 10);
});

test("refuses chunks whose signature is wrong, missing, moved or repeated", async () => {
  const [first, second, last] = signedChunks() as [Chunk, Chunk, Chunk];
  const wrong = { ...second, signature: SIGNATURES[0] };
  const wrongs: Record<string, [Chunk[], string]> = {
    "wrong signature": [[first, wrong, last], "SignatureDoesNotMatch"],
    "other bytes": [[{ ...first, data: "b".repeat(65_536) }, second, last], "SignatureDoesNotMatch"],
    reordered: [[second, first, last], "SignatureDoesNotMatch"],
    replayed: [[first, first], "IncompleteBody"],
    "wrong last": [[first, second, { data: "", signature: SIGNATURES[1] }], "SignatureDoesNotMatch"],
    "upper case": [[first, second, { data: "", signature: SIGNATURES[2]?.toUpperCase() }], "SignatureDoesNotMatch"],
    "missing signature": [[{ data: first.data }, second, last], "InvalidRequest"],
    "empty signature": [[{ data: first.data, signature: "" }, second, last], "SignatureDoesNotMatch"],
    "no last chunk": [[first, second], "InvalidRequest"],
    "left out": [[first, last], "SignatureDoesNotMatch"],
  };
  for (const [name, [chunks, code]] of Object.entries(wrongs))
    await assert.rejects(decoded(framed(chunks), { signer: signer() }), refusal(code), name);
  await assert.rejects(
    decoded(framed(signedChunks()), { signer: signer("0".repeat(64)) }),
    refusal("SignatureDoesNotMatch"),
  );
  await assert.rejects(
    decoded(framed(signedChunks()), {}),
    refusal("InvalidRequest"),
    "signed, but not declared as signed",
  );
});

test("refuses trailers that are wrong, missing, unannounced, too many or unsigned", async () => {
  const trailers = ["x-amz-checksum-crc32c"];
  const right = "x-amz-checksum-crc32c:sOO8/Q==";
  const of = (text: string, options: Partial<AwsChunkedOptions> = {}): Promise<unknown> =>
    decoded(text, { signer: signer(SEED_OF_TRAILER), trailers, ...options });
  const chunks = signedChunks(SIGNATURES_OF_TRAILER);
  await assert.rejects(of(withTrailer("x-amz-checksum-crc32c:AAAAAA==")), refusal("SignatureDoesNotMatch"));
  await assert.rejects(of(withTrailer(right, "0".repeat(64))), refusal("SignatureDoesNotMatch"));
  await assert.rejects(of(framed(chunks, `${right}\r\n\r\n`)), refusal("MalformedTrailerError"), "no signature");
  await assert.rejects(of(framed(chunks)), refusal("MalformedTrailerError"), "none");
  await assert.rejects(of(withTrailer(right), { trailers: null }), refusal("MalformedTrailerError"), "not announced");
  await assert.rejects(
    of(withTrailer(right), { trailers: ["x-amz-checksum-crc32"] }),
    refusal("MalformedTrailerError"),
  );
  await assert.rejects(of(withTrailer(`${right}\r\nx-other: 1`)), refusal("MalformedTrailerError"), "one more");
  await assert.rejects(of(withTrailer(`${right}\r\n${right}`)), refusal("MalformedTrailerError"), "twice");
  await assert.rejects(of(withTrailer("no colon")), refusal("MalformedTrailerError"));
  const long = `x-amz-checksum-crc32c:${"a".repeat(17_000)}`;
  await assert.rejects(of(withTrailer(long)), refusal("InvalidRequest"), "a line that is too long");
  const many = Array.from({ length: 300 }, (_, i) => `x-${i}:${"a".repeat(100)}`).join("\r\n");
  await assert.rejects(of(withTrailer(many)), refusal("MalformedTrailerError"), "too many");
});

test("refuses framing that is not exact", async () => {
  const wrongs: Record<string, [text: string, code: string, decodedLength?: number]> = {
    "one byte fewer than declared": ["4\r\nhell\r\n0\r\n\r\n", "IncompleteBody", 5],
    "one byte more than declared": ["6\r\nhello!\r\n0\r\n\r\n", "IncompleteBody", 5],
    "size of 2^63": ["8000000000000000\r\nhello", "IncompleteBody"],
    "size of 17 digits": ["10000000000000005\r\nhello", "InvalidRequest"],
    "negative size": ["-5\r\nhello", "InvalidRequest"],
    "no size": ["\r\nhello", "InvalidRequest"],
    "no CR": ["5\nhello\n0\n\n", "InvalidRequest"],
    "longer than its header says": ["4\r\nhello\r\n0\r\n\r\n", "InvalidRequest"],
    "bytes after the end": ["5\r\nhello\r\n0\r\n\r\nmore", "InvalidRequest"],
    "a second end": ["5\r\nhello\r\n0\r\n\r\n0\r\n\r\n", "InvalidRequest"],
    "endless head": [`5;${"x".repeat(300)}`, "InvalidRequest"],
    "other extension": ["5;name=value\r\nhello\r\n0\r\n\r\n", "InvalidRequest"],
    "cut in the data": ["5\r\nhel", "IncompleteBody"],
    "cut before the last chunk": ["5\r\nhello\r\n", "IncompleteBody"],
    "cut before the last line": ["5\r\nhello\r\n0\r\n", "IncompleteBody"],
    nothing: ["", "IncompleteBody"],
  };
  for (const [name, [text, code, decodedLength = 5]] of Object.entries(wrongs))
    for (const pieceBytes of [1, 1000])
      await assert.rejects(decoded(text, { decodedLength }, pieceBytes), refusal(code), `${name}, by ${pieceBytes}`);
});
