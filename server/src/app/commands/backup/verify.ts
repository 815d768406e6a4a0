import { systemClock } from "#kernel/time.ts";
import { verifyRepository } from "#stores/repository/index.ts";
import { presentBackupKey } from "../../backup/index.ts";
import { configOf, ExitCode, textOption, UsageError, type Parsed } from "../command.ts";
import { untilInterrupt } from "../interrupt.ts";
import { mebibytes } from "../moving.ts";
import { withKeyFile, withPlace } from "./place.ts";

const DAY_MS = 86_400_000;

/** `mooring backup verify`. A part of the packs is another part on each day. */
export async function verify(parsed: Parsed): Promise<number> {
  const config = await withKeyFile(parsed, configOf(parsed));
  const part = Number(textOption(parsed, "part") ?? "1");
  if (!(part >= 0 && part <= 1)) throw new UsageError("--part must be a number from 0 to 1");
  const turn = Math.floor(systemClock.nowMs() / DAY_MS);
  return untilInterrupt((signal) =>
    withPlace(parsed, config, async (archive) => {
      const backupKey = (await presentBackupKey(config)) ?? null;
      const found = await verifyRepository(archive, { backupKey, part, turn, signal });
      const { backups, files, packs, bytes, faults } = found;
      const seen =
        backupKey === null
          ? `${packs} packs of ${mebibytes(bytes)}; without the backup key, nothing else can be checked`
          : `${backups} backups with ${files} files, ${packs} packs of ${mebibytes(bytes)}`;
      const lines = [
        ...faults.map((fault) => `FAIL      ${fault}`),
        `${faults.length === 0 ? "ok        " : ""}${seen}`,
      ];
      process.stdout.write(parsed.values["json"] === true ? `${JSON.stringify(found)}\n` : `${lines.join("\n")}\n`);
      return faults.length === 0 ? ExitCode.ok : ExitCode.failed;
    }),
  );
}
