/** A clock that is ahead: libfaketime moves the clock of a running server. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { playFaults, type Fault } from "./fault.ts";

const LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
const skip = existsSync(LIBRARY) ? false : "THE CLOCK CAN'T BE MOVED: install Debian's package faketime";
const HOURS_AHEAD = 30;

const ahead: Fault = {
  name: "clock ahead",
  alert: "MooringClockAhead",
  words: /The clock of the server jumped/,
  page: "clock-ahead",
  cause: async ({ etc }) => writeFileSync(join(etc, "time"), `+${HOURS_AHEAD}h\n`),
  cured: async (machine) => {
    const date = (await fetch(`${machine.server.origin}/livez`)).headers.get("date") ?? "";
    assert.ok(Math.abs(Date.parse(date) - Date.now()) < 60_000, date);
  },
};

playFaults(
  ({ etc }) => {
    const file = join(etc, "time");
    writeFileSync(file, "+0\n");
    return {
      environment: {
        LD_PRELOAD: LIBRARY,
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_NO_CACHE: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      },
      commands: { chronyc: `echo +0 > ${file}` },
    };
  },
  [ahead],
  skip,
);
