import { S3Error, type AdmittedKey, type S3Keys } from "#domain/s3/index.ts";

/** @throws S3Error `InvalidAccessKeyId` */
export async function admitted(keys: S3Keys, accessKeyId: string): Promise<AdmittedKey> {
  const key = await keys.admit(accessKeyId);
  if (key === undefined)
    throw new S3Error("InvalidAccessKeyId", undefined, { fields: { AWSAccessKeyId: accessKeyId } });
  keys.used(key.principal);
  return key;
}
