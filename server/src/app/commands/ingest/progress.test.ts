import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createProgress, progressLine, type ProgressState } from "./progress.ts";

function state(change: Partial<ProgressState> = {}): ProgressState {
  return { bytesRead: 500, bytesTotal: 1000, accepted: 12_345, refused: 0, ...change };
}

describe("progress", () => {
  test("a known size shows a bar, an unknown size only counts", () => {
    assert.equal(progressLine(state(), 1000), `[${"#".repeat(12)}${"-".repeat(12)}]  50% 12,345 entries (12,345/s)`);
    assert.equal(progressLine(state({ bytesTotal: null, refused: 3 }), 2000), "12,345 entries (6,173/s), 3 refused");
    assert.match(progressLine(state({ bytesRead: 2000 }), 1000), / 100% /); // The file grew meanwhile.
    assert.match(progressLine(state({ accepted: 0 }), 0), /0 entries \(0\/s\)/);
  });

  test("draws on a terminal only, at most ten times a second, and prints notes above the bar", () => {
    for (const isTTY of [true, false]) {
      let written = "";
      let nowMs = 1000;
      const out = { isTTY, columns: 80, write: (text: string) => (written += text) } as unknown as NodeJS.WriteStream;
      const progress = createProgress(out, state(), { nowMs: () => nowMs });
      for (; nowMs < 1500; nowMs += 10) progress.update();
      progress.note("note");
      progress.end();
      assert.equal(written.match(/%/g)?.length ?? 0, isTTY ? 5 : 0);
      assert.ok(written.includes("note\n"));
      assert.equal(written.includes("\u001b"), isTTY);
    }
  });
});
