import { pythonClient } from "./python.ts";

export const boto3 = pythonClient(
  "boto3",
  "boto3_steps.py",
  ["boto3"],
  [
    "make a bucket",
    "put, head, get and delete an object with metadata",
    "put with each checksum, and get it verified",
    "upload and download a large file in parts",
    "ranges and conditional reads",
    "create if absent, replace if unchanged",
    "list in pages, with a delimiter, with every character",
    "copy, with new metadata, and in parts",
    "tag an object",
    "presigned URLs of Signature V4 and a POST form",
    "presigned URLs as it makes them by default",
    "name the bucket by the host",
    "delete many objects and the bucket",
  ],
);
