import { Problem } from "#kernel/problem.ts";
import type { InstanceRestores, NewRestore, RestoreState } from "../instance.ts";

/** Restores that a test sets. `app/backup` has the real ones, which surfaces do not import. */
export class TestRestores implements InstanceRestores {
  readonly restores: RestoreState[] = [];

  list(): readonly RestoreState[] {
    return this.restores;
  }

  begin(wanted: NewRestore): { readonly id: string } {
    if (this.restores.some(({ state }) => state === "running")) throw new Problem("conflict", "one runs");
    const id = `restore-${this.restores.length + 1}`;
    const started = { startedAt: "2026-11-22T18:15:00.000Z", endedAt: null, detail: null };
    this.restores.unshift({ ...wanted, id, state: "running", ...started });
    return { id };
  }
}
