/** One round of the fault game: a fault is caused, seen, and ended by the page that its alert links to. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { BAD_DAYS, patternOf, readPage } from "../fixtures/page.ts";
import { missingPrometheus } from "../fixtures/prometheus.ts";
import { writeLog } from "../fixtures/server.ts";
import { NO_CHROMIUM } from "../portal/browser.ts";
import { firing, resolved, startMachine, type Machine, type MachineOptionsAt } from "./machine.ts";

export interface Fault {
  readonly name: string;
  /** The alert of deploy/prometheus/alerts.yaml that fires. */
  readonly alert: string;
  /** What the page Instance says. */
  readonly words: RegExp;
  /** How the portal says it. Default: the page Instance lists it as a problem. */
  readonly shows?: (machine: Machine, words: RegExp) => Promise<void>;
  /** The page of docs/how-to/bad-days whose steps end the fault. */
  readonly page: string;
  /** Causes the fault. Returns a function that ends the work that it has begun. */
  cause(machine: Machine): Promise<(() => Promise<void> | void) | void>;
  /** Checks that the steps have ended the fault. */
  cured(machine: Machine): Promise<void>;
}

/** Plays faults on one machine, one after the other. `skip`: why they can't be caused here. */
export function playFaults(options: MachineOptionsAt, faults: readonly Fault[], skip: string | false = false): void {
  describe(faults.map(({ name }) => name).join(", "), () => playOnOne(options, faults, skip));
}

function playOnOne(options: MachineOptionsAt, faults: readonly Fault[], skip: string | false): void {
  let machine: Machine | undefined;
  const why = skip || missingPrometheus() || NO_CHROMIUM;
  before(async () => {
    if (why === false) machine = await startMachine(options);
  });
  after(() => machine?.dispose());
  for (const fault of faults)
    test(
      `${fault.name}: ${fault.alert} fires, the portal says it, and ${fault.page} ends it`,
      { skip: why },
      async () => {
        assert.ok(machine !== undefined, "the machine has started");
        await play(machine, fault).catch((error: unknown) => {
          if (machine !== undefined) writeLog(machine.server);
          throw error;
        });
      },
    );
}

async function play(machine: Machine, fault: Fault): Promise<void> {
  const steps = new Steps(fault.name);
  await resolved(machine, fault.alert);
  const end = await fault.cause(machine);
  steps.done("caused");
  try {
    const page = await firing(machine, fault.alert);
    steps.done("alert fires");
    assert.equal(page, `${BAD_DAYS}${fault.page}.md`);
    await (fault.shows?.(machine, fault.words) ?? showsInPortal(machine, fault, page));
    steps.done("portal says it");
    await followPage(machine, page);
    steps.done("page followed");
    await fault.cured(machine);
    await resolved(machine, fault.alert);
    steps.done("alert resolved");
  } finally {
    await end?.();
    steps.print();
  }
}

/** The seconds of each part of a round. */
class Steps {
  readonly #name: string;
  readonly #parts: string[] = [];
  #sinceMs = performance.now();

  constructor(name: string) {
    this.#name = name;
  }

  done(part: string): void {
    const nowMs = performance.now();
    this.#parts.push(`${part} ${((nowMs - this.#sinceMs) / 1000).toFixed(0)} s`);
    this.#sinceMs = nowMs;
  }

  print(): void {
    console.log(`figure: ${this.#name}: ${this.#parts.join(", ")}`);
  }
}

async function showsInPortal(machine: Machine, { words, alert }: Fault, path: string): Promise<void> {
  const tab = await machine.portal.open();
  const { page } = tab;
  await tab.go("/instance");
  const problem = page.getByRole("listitem").filter({ hasText: alert });
  await problem.filter({ hasText: words }).filter({ hasText: path }).first().waitFor();
  assert.deepEqual(tab.faults, []);
  await tab.close();
}

/** Runs the commands of a page, and compares their outputs. */
export async function followPage(
  machine: Machine,
  path: string,
  given: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const blocks = readPage(path).blocks.filter(({ notRun }) => notRun === undefined);
  assert.ok(blocks.length > 0, `${path} has steps`);
  const printed = await machine.run(
    blocks.map(({ script }) => script),
    path,
    given,
  );
  for (const [i, { output, line }] of blocks.entries())
    if (output !== undefined)
      assert.match(printed[i] ?? "", patternOf(output), `${path}, line ${line} printed ${printed[i]}`);
  return printed;
}
