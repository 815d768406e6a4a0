import { listBackups, presentBackupKey } from "../../backup/index.ts";
import { configOf, ExitCode, type Parsed } from "../command.ts";
import { mebibytes } from "../moving.ts";
import { textTable } from "../table.ts";
import { withKeyFile, withPlace } from "./place.ts";

/** `mooring backup list`. */
export async function list(parsed: Parsed): Promise<number> {
  const config = await withKeyFile(parsed, configOf(parsed));
  return withPlace(parsed, config, async (archive) => {
    const listed = await listBackups(archive, await presentBackupKey(config));
    if (parsed.values["json"] === true) {
      process.stdout.write(`${JSON.stringify(listed.map((each) => each.backup ?? each))}\n`);
      return ExitCode.ok;
    }
    const rows = listed.map(({ name, backup, ...rest }) =>
      backup === null
        ? { name, of: "fault" in rest ? rest.fault : "" }
        : {
            name,
            of: backup.started_at,
            files: backup.files,
            size: mebibytes(backup.bytes),
            added: mebibytes(backup.added_bytes),
            version: backup.facts.version,
          },
    );
    process.stdout.write(textTable(["name", "of", "files", "size", "added", "version"], rows));
    return ExitCode.ok;
  });
}
