// node tools/lock.ts: adds to package-lock.json the optional packages that npm left out; run it after a dependency changed.
import { readFileSync, writeFileSync } from "node:fs";
import { completeLock, missingOptional, type Lock } from "./lock/complete.ts";

const PATH = "package-lock.json";
const lock = JSON.parse(readFileSync(PATH, "utf8")) as Lock;
writeFileSync(PATH, `${JSON.stringify(completeLock(lock), null, 2)}\n`);
console.log(`${missingOptional(lock).size} entries added to ${PATH}`);
