import { describe } from "node:test";
import { objectContract } from "../testing/suite.ts";
import { s3Place, testStore } from "./testing.ts";

describe("objects on an S3 server", () => {
  objectContract("s3", async () => s3Place(await testStore()));
});
