import type { Writer } from "#stores/metadata/index.ts";
import { S3Error } from "../errors.ts";
import type { Bucket, NotificationRule } from "../types/index.ts";
import { destinationIn } from "./emit.ts";
import { destinationByName } from "./store.ts";

const EVENT =
  /^s3:(ObjectCreated:(\*|Put|Post|Copy|CompleteMultipartUpload)|ObjectRemoved:(\*|Delete|DeleteMarkerCreated)|ObjectTagging:(\*|Put|Delete)|ObjectAcl:Put|LifecycleExpiration:(\*|Delete|DeleteMarkerCreated))$/;

/** @throws S3Error `InvalidArgument` */
export async function requireDestinations(
  tx: Writer,
  bucket: Bucket,
  rules: readonly NotificationRule[],
): Promise<void> {
  const ids = new Set(rules.map(({ id }) => id));
  if (ids.size !== rules.length) throw new S3Error("InvalidArgument", "Two notifications have the same id.");
  for (const { destinationArn, events } of rules) {
    if (events.length === 0) throw new S3Error("MalformedXML");
    const unknown = events.find((event) => !EVENT.test(event));
    if (unknown !== undefined)
      throw new S3Error("InvalidArgument", `The event is not supported for notifications: ${unknown}.`);
    const name = destinationIn(destinationArn);
    if (name !== undefined && (await destinationByName(tx, bucket.orgId, name)) !== undefined) continue;
    throw new S3Error("InvalidArgument", "Unable to validate the following destination configurations", {
      fields: {
        ArgumentName: destinationArn,
        ArgumentValue: "The destination does not exist. The ARN of a destination is arn:mooring:webhook:::NAME.",
      },
    });
  }
}
