import { describe } from "node:test";
import { objectContract } from "../contract.ts";
import { s3Place, testStore } from "./testing.ts";

const store = testStore();
const skip = "no S3 server to test against: set MOORING_TEST_S3=http://KEY:SECRET@host:port";

describe("objects on an S3 server", { skip: store === undefined && skip }, () => {
  if (store !== undefined) objectContract("s3", () => s3Place(store));
});
