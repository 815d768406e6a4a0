import { S3Error } from "#domain/s3/index.ts";
import type { Answer, Context } from "../context.ts";
import { renderDocument } from "../wire/xml.ts";

// What clients ask for on their way to something else, and what is always the same here.

export async function getBucketAccelerate(_context: Context): Promise<Answer> {
  return { body: renderDocument("AccelerateConfiguration", "") };
}

export async function getBucketRequestPayment(_context: Context): Promise<Answer> {
  return { body: renderDocument("RequestPaymentConfiguration", { Payer: "BucketOwner" }) };
}

export async function getBucketLogging(_context: Context): Promise<Answer> {
  return { body: renderDocument("BucketLoggingStatus", "") };
}

export async function getBucketWebsite(_context: Context): Promise<Answer> {
  throw new S3Error("NoSuchWebsiteConfiguration");
}

export async function getBucketReplication(_context: Context): Promise<Answer> {
  throw new S3Error("ReplicationConfigurationNotFoundError");
}
