import { objectContract } from "../testing/suite.ts";
import { filesystemPlace } from "./testing.ts";

objectContract("filesystem", () => filesystemPlace(), "small");
