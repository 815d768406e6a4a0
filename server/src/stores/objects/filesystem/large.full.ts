import { objectContract } from "../contract.ts";
import { filesystemPlace } from "./testing.ts";

objectContract("filesystem", () => filesystemPlace(), "large");
