import { isIP } from "node:net";
import type { S3Options } from "#stores/objects/index.ts";
import { SecureTunnelAgent, TunnelAgent } from "#stores/outbound/index.ts";
import type { Config } from "./config.ts";
import { proxyOf } from "./outbound.ts";

/** Returns the configured upstream store, or no member when content is in the data directory. */
export function upstreamOf(config: Config): { readonly s3?: S3Options } {
  const { objects_s3_bucket: bucket, objects_s3_endpoint: endpoint } = config;
  const { objects_s3_public_endpoint: publicEndpoint } = config;
  if (bucket === null) return {};
  return {
    s3: {
      bucket,
      ...(endpoint === null ? {} : { endpoint }),
      ...(publicEndpoint === null ? {} : { publicEndpoint }),
      region: config.objects_s3_region,
      prefix: config.objects_s3_prefix,
      forcePathStyle: config.objects_s3_addressing === "path",
      accessKeyId: config.objects_s3_access_key_id ?? "",
      secretAccessKey: config.objects_s3_secret_access_key ?? "",
      direct: config.objects_s3_urls === "direct",
      ...agentsFor(config, endpoint),
    },
  };
}

/** Returns agents that lead through the proxy, unless the store is reached without it. The operator chose its address. */
function agentsFor(config: Config, endpoint: string | null): Pick<S3Options, "agents"> {
  const proxy = proxyOf(config);
  const host = endpoint === null ? "amazonaws.com" : new URL(endpoint).hostname.replace(/^\[(.*)\]$/, "$1");
  if (proxy === undefined || proxy.bypasses(host, isIP(host) === 0 ? [] : [host])) return {};
  return {
    agents: {
      http: (options) => new TunnelAgent(proxy, options),
      https: (options) => new SecureTunnelAgent(proxy, options),
    },
  };
}
