/** Every client of the matrix. None of them is ours. */
import { awsCli1, awsCli2 } from "./aws-cli.ts";
import { awsSdkJs } from "./aws-sdk-js.ts";
import { boto3 } from "./boto3.ts";
import type { Client } from "./client.ts";
import { duckdb } from "./duckdb.ts";
import { minioJs } from "./minio-js.ts";
import { pyarrow } from "./pyarrow.ts";
import { rcloneClient } from "./rclone.ts";
import { resticClient } from "./restic.ts";
import { s3cmdClient } from "./s3cmd.ts";

export const CLIENTS: readonly Client[] = [
  awsSdkJs,
  boto3,
  awsCli1,
  awsCli2,
  minioJs,
  rcloneClient,
  s3cmdClient,
  resticClient,
  pyarrow,
  duckdb,
];
