import { checkUpstream } from "#stores/objects/index.ts";
import { upstreamOf } from "../../upstream.ts";
import { fail, ok, warn, type Check, type CheckContext, type Found } from "./finding.ts";

export const OBJECT_CHECKS: readonly Check[] = [
  {
    name: "content",
    mend: "set objects_s3_bucket, objects_s3_endpoint and objects_s3_region to the values of the store",
    run: async ({ config }) => content(config),
  },
];

async function content(config: CheckContext["config"]): Promise<Found[]> {
  const { s3 } = upstreamOf(config);
  if (s3 === undefined) return [ok("kept in the data directory")];
  const place = `the bucket ${s3.bucket} at ${s3.endpoint ?? "AWS"}`;
  const problems = await checkUpstream(s3);
  if (problems.length > 0)
    return problems.map((detail) =>
      fail(`${place} ${detail}`, "give the key this permission, or set another key or bucket"),
    );
  const findings: Found[] = [ok(`${place} can be written, read, copied, listed and deleted`)];
  const reached = s3.publicEndpoint ?? s3.endpoint ?? "https:";
  if (s3.direct === true && reached.startsWith("http:") && !/^http:\/\/(127\.|localhost|\[::1\])/.test(reached)) {
    findings.push(
      warn(
        `presigned URLs point at ${reached}, without TLS: everybody who can read the network traffic can use them`,
        "set objects_s3_public_endpoint to an https:// address",
      ),
    );
  }
  return findings;
}
