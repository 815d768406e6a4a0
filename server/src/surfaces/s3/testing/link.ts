import { openListener } from "#http/index.ts";
import { serveSurface } from "#http/testing/host.ts";
import type { S3GatewayDeps } from "../context.ts";
import { createDocumentReader, createS3Gateway, createS3Surface, presignedTarget, type GatewayLink } from "../index.ts";

/** A gateway on a separate port, as the rest of the process sees it. */
export interface OpenGateway extends GatewayLink {
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
  await serveSurface(listener, createS3Surface(gateway));
  return {
    endpoint,
    presign: (request) => presignedTarget({ host: listener.address, region }, request),
    handle: (request, reply) => gateway.handle(request, reply),
    close: async () => {
      await listener.stop(0);
      await documents.close();
    },
  };
}
