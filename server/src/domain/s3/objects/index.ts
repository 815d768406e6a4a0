import { reserveQuota } from "#domain/quotas/index.ts";
import type { S3Deps } from "../deps.ts";
import type { S3Objects } from "../types/index.ts";
import { setAcl, setLegalHold, setRetention, setTags } from "./change.ts";
import { deleteObject, deleteObjects } from "./delete.ts";
import { head } from "./find.ts";
import { checkPut, copyObject, putObject } from "./put.ts";
import { objectQuota } from "./quota.ts";

export function createObjects(deps: S3Deps): S3Objects {
  return {
    head: (bucket, name) => head(deps.metadata.read, bucket, name),
    checkPut: (bucket, put) => checkPut(deps, bucket, put),
    reserve: ({ orgId }, bytes, work) => reserveQuota(deps, objectQuota(deps.settings), { orgId, bytes }, work),
    put: (caller, bucket, object) => putObject(deps, caller, bucket, object),
    copy: (caller, bucket, copy) => copyObject(deps, caller, bucket, copy),
    delete: (caller, bucket, object) => deleteObject(deps, caller, bucket, object),
    deleteMany: (caller, bucket, objects) => deleteObjects(deps, caller, bucket, objects),
    setTags: (caller, bucket, name, tags) => setTags(deps, caller, bucket, name, tags),
    setAcl: (caller, bucket, name, acl) => setAcl(deps, caller, bucket, name, acl),
    setRetention: (caller, bucket, name, change) => setRetention(deps, caller, bucket, name, change),
    setLegalHold: (caller, bucket, name, legalHold) => setLegalHold(deps, caller, bucket, name, legalHold),
  };
}
