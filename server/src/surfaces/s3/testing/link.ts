import type { IncomingMessage, ServerResponse } from "node:http";
import { openListener } from "#http/index.ts";
import type { S3GatewayDeps } from "../context.ts";
import { createDocumentReader, createS3Gateway, presignedTarget, serveS3, type Presigning } from "../index.ts";

/** A gateway on a separate port as the rest of the process has it. */
export interface OpenGateway {
  readonly endpoint: string;
  presign(this: void, request: Presigning): string;
  handle(this: void, raw: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

export async function openGatewayOver(
  deps: Omit<S3GatewayDeps, "count" | "settings" | "documents">,
  region: string,
): Promise<OpenGateway> {
  const listener = await openListener("127.0.0.1:0");
  const endpoint = `http://${listener.address}`;
  const documents = createDocumentReader();
  const gateway = createS3Gateway({
    ...deps,
    documents,
    count: () => undefined,
    settings: {
      endpoint,
      domain: null,
      region,
      signatureV2: "all",
      uploadIdleTimeoutMs: 60_000,
      trustedProxies: [],
      failedSignaturesMax: 10_000,
    },
  });
  serveS3(listener, gateway, deps);
  return {
    endpoint,
    presign: (request) => presignedTarget({ host: listener.address, region }, request),
    handle: (raw, response) => gateway.handle(raw, response),
    close: async () => {
      await listener.stop(0);
      await documents.close();
    },
  };
}
