import assert from "node:assert/strict";
import { S3Error, type S3ErrorCode } from "../errors.ts";

/** Asserts that the operation is refused with this code. */
export async function fails(code: S3ErrorCode, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(error instanceof S3Error, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });
}
