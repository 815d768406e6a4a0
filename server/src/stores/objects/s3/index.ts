export { openS3, type S3Options } from "./driver.ts";
