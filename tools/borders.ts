// Checks every import against the borders in docs/architecture.md.
import { checkBorders } from "./borders/cruise.ts";

const { modules, files, violations } = await checkBorders(process.cwd());
for (const violation of violations) console.error(violation);
console.log(`${modules} of ${files} modules read, ${violations.length} violations`);
if (modules < files || files === 0) console.error("cannot check borders: not every source file was read");
process.exitCode = violations.length > 0 || modules < files || files === 0 ? 1 : 0;
