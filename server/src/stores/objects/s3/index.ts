export { checkUpstream } from "./check.ts";
export { openS3, type S3Options } from "./driver.ts";
