import { succeeded, texts, type TestGateway } from "./gateway.ts";

/** Begins a multipart upload. Returns its ID. */
export async function begin(
  gateway: TestGateway,
  target: string,
  headers: Record<string, string> = {},
): Promise<string> {
  return texts(succeeded(await gateway.call("POST", `${target}?uploads`, { headers })), "UploadId")[0] ?? "";
}

/** Uploads a part. Returns its ETag. */
export async function part(
  gateway: TestGateway,
  target: string,
  { uploadId, number, body }: { uploadId: string; number: number; body: string | Uint8Array },
): Promise<string> {
  const answer = await gateway.call("PUT", `${target}?partNumber=${number}&uploadId=${uploadId}`, { body });
  return String(succeeded(answer).headers.etag);
}

export function completion(etags: readonly (readonly [number: number, etag: string])[]): string {
  const parts = etags.map(([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`);
  return `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
}
