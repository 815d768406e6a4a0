import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { Problem, type ProblemCode } from "#kernel/problem.ts";
import { readingAttacks, RESOURCE_ATTACKS, writingAttacks, type Attack } from "./testing/attacks.ts";
import { FIXTURE } from "./testing/fixture.ts";
import {
  MASTER_KEY,
  openTestEngine,
  OTHER_MARK,
  OTHER_ORG,
  resultText,
  rows,
  type TestEngine,
} from "./testing/harness.ts";

const GATE_CODES: readonly ProblemCode[] = ["sql_not_allowed", "invalid_sql"];
const MIB = 1024 * 1024;

describe("attacks", { concurrency: 1 }, () => {
  let open: TestEngine;
  let listing: string[];

  before(async () => {
    // Resource attacks run with small limits, so that they end soon.
    open = await openTestEngine(FIXTURE, { memoryBytesMax: 128 * MIB });
    listing = await readdir(open.directory, { recursive: true });
  });
  after(async () => {
    await open.close();
  });

  /** Asserts that the message reveals nothing of the host or of others, except text of the statement itself. */
  function assertSilent(message: string, sql = ""): void {
    const secrets = [
      open.directory,
      process.cwd(),
      process.execPath,
      "node_modules",
      OTHER_ORG,
      MASTER_KEY,
      OTHER_MARK,
    ];
    for (const secret of secrets)
      assert.ok(!message.includes(secret) || sql.includes(secret), `${secret} is revealed: ${message}`);
  }

  async function refusal(attack: Attack): Promise<Problem> {
    try {
      const answer = await resultText(open.engine, attack.sql);
      assert.fail(`${attack.name} was answered: ${answer.slice(0, 200)}`);
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }

  test("each attempt to read outside of the tables is refused", async (t) => {
    for (const attack of readingAttacks(open.targets)) {
      await t.test(attack.name, async () => {
        const problem = await refusal(attack);
        assert.ok(GATE_CODES.includes(problem.code), `${problem.code}: ${problem.message}`);
        assertSilent(problem.message, attack.sql);
      });
    }
  });

  test("each attempt to change something is refused", async (t) => {
    for (const attack of writingAttacks(open.targets)) {
      await t.test(attack.name, async () => {
        const problem = await refusal(attack);
        assert.ok(GATE_CODES.includes(problem.code), `${problem.code}: ${problem.message}`);
        assertSilent(problem.message, attack.sql);
      });
    }
  });

  test("plans are checked by the gate, too", async () => {
    for (const attack of [...readingAttacks(open.targets), ...writingAttacks(open.targets)]) {
      for (const how of ["plan", "analyze"] as const) {
        const problem = await resultText(open.engine, attack.sql, { explain: how }).then(
          () => assert.fail(`${attack.name} was answered`),
          (error: Problem) => error,
        );
        assert.ok(["sql_not_allowed", "invalid_sql"].includes(problem.code), `${attack.name}: ${problem.code}`);
      }
    }
  });

  test("each attempt to exhaust the machine ends soon", async (t) => {
    for (const attack of RESOURCE_ATTACKS) {
      await t.test(attack.name, async () => {
        const startedMs = performance.now();
        try {
          await resultText(open.engine, attack.sql, {
            timeoutMs: 1000,
            memoryBytesMax: 128 * MIB,
            rowsMax: 1000,
            truncate: true,
          });
        } catch (error) {
          assert.ok(error instanceof Problem, String(error));
          assert.ok(!GATE_CODES.includes(error.code), `the statement should have run: ${error.message}`);
          assertSilent(error.message);
        }
        assert.ok(
          performance.now() - startedMs < 30_000,
          "the attack ends within the time limit, its grace, and the start of a child",
        );
        assert.deepEqual(await rows(open.engine, "SELECT count(*) FROM logs"), [[1000]]);
      });
    }
  });

  test("nothing was written and nothing was lost", async () => {
    assert.deepEqual(await readdir(open.directory, { recursive: true }), listing);
    assert.equal(await readFile(open.targets.secretFile, "utf8"), MASTER_KEY);
    assert.deepEqual(await rows(open.engine, "SELECT count(*), count(DISTINCT message) FROM logs"), [[1000, 1000]]);
    assert.equal(open.held(), 0);
  });
});
