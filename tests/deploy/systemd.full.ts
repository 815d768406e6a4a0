/** deploy/mooring.service: its restrictions by systemd's measure, and a server under them with every interface. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { emptyFolder, packages } from "../fixtures/package.ts";
import { missingPrograms, SMOKE_STEPS } from "../fixtures/smoke.ts";
import { attackBySql } from "../fixtures/sql-attacks.ts";
import { missingSystemd, startUnit, UNIT, type RunningUnit } from "../fixtures/systemd.ts";

const LARGE_BYTES = 64 * 1024 ** 2;
const LAYERS = ["limits", "namespaces", "read-only files", "hidden data", "privileges", "memory watchdog"];

function analyze(...words: readonly string[]): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync("systemd-analyze", words, { encoding: "utf8" });
  return { status, text: `${stdout}${stderr}` };
}

const noAnalyze =
  spawnSync("systemd-analyze", ["--version"]).error === undefined
    ? false
    : "THE UNIT IS NOT CHECKED: systemd is not installed";

test("systemd-analyze finds an exposure of at most 2.5", { skip: noAnalyze }, (context) => {
  const { status, text } = analyze("security", "--offline=true", "--threshold=25", UNIT);
  assert.equal(status, 0, text);
  context.diagnostic(text.trim().split("\n").at(-1) ?? "");
});

test("systemd understands every line", { skip: noAnalyze }, () => {
  const faults = analyze("verify", UNIT).text.split("\n").filter(Boolean);
  assert.deepEqual(
    faults.filter((line) => !line.includes("Command /usr/bin/mooring is not executable")),
    [],
  );
});

describe("a server under the unit", { skip: missingSystemd() }, () => {
  const folder = emptyFolder();
  const directory = mkdtempSync(join(tmpdir(), "mooring-unit-"));
  let unit: RunningUnit;
  before(async () => {
    const { status, stderr } = folder.install([packages().server]);
    assert.equal(status, 0, stderr);
    unit = await startUnit(join(folder.path, "node_modules"));
  });
  after(async () => {
    await unit?.dispose();
    folder.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  test("systemd has the restrictions in force", () => {
    const pid = unit.run("systemctl", "show", "--property=MainPID", "--value", "mooring.service").stdout.trim();
    const status = unit.run("cat", `/proc/${pid}/status`).stdout;
    assert.match(status, /^NoNewPrivs:\s+1$/m);
    assert.match(status, /^Seccomp:\s+2$/m, "a filter of system calls");
    assert.match(status, /^CapBnd:\s+0+$/m);
    assert.match(status, /^Uid:\s+[1-9]/m, "not root");
    for (const path of ["/usr/probe", "/etc/probe", "/srv/probe"])
      assert.notEqual(unit.run("nsenter", `--target=${pid}`, "--mount", "--", "touch", path).code, 0, path);
  });

  test("doctor finds every layer of the sandbox of SQL under the same restrictions", async () => {
    const findings = JSON.parse(await unit.underRestrictions("doctor", "--json")) as {
      check: string;
      detail: string;
    }[];
    assert.equal(findings.find(({ check }) => check === "query sandbox")?.detail, `active: ${LAYERS.join(", ")}`);
  });

  for (const step of SMOKE_STEPS)
    test(step.name, { skip: missingPrograms(step) }, () => {
      const client = { clientAddress: "127.0.0.7", localAddress: "127.0.0.7" };
      return step.run({ origin: unit.origin, home: unit.home, largeBytes: LARGE_BYTES, directory, ...client });
    });

  test("attacks by SQL are refused or end, and the server continues to answer", async (context) => {
    const { refused, ended } = await attackBySql({ ...unit, dataDir: "/var/lib/mooring" });
    context.diagnostic(`${refused} refused, ${ended} ended`);
  });

  test("a stop is in order, and fast enough", () => {
    assert.equal(unit.run("systemctl", "stop", "mooring.service").code, 0);
    const end = unit.run("systemctl", "show", "--property=Result,ExecMainStatus", "mooring.service").stdout;
    assert.match(end, /Result=success/);
    assert.match(end, /ExecMainStatus=0/);
  });
});
