import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError, type Client } from "@mooring/client";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { CommandError, ExitCode, shownSecret, UsageError } from "../command.ts";
import { printable } from "../printable.ts";
import type { LeakPlan, PlannedItem } from "./plan.ts";

const ROWS = ORGANIZATION_ROUTES;

/**
 * Carries out a plan, one item after another. It can be repeated: revoked items stay revoked, and items with a file of
 * their new secret are not rotated again. Returns the exit code.
 */
export async function runPlan(client: Client, plan: LeakPlan, directory: string | undefined): Promise<number> {
  if (plan.act === "rotate" && directory === undefined)
    throw new UsageError("a rotation needs --save DIRECTORY for the new secrets");
  if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 });
  let failed = 0;
  for (const item of plan.items) {
    try {
      const outcome =
        plan.act === "revoke" ? await revoke(client, item) : await rotate(client, item, plan, directory ?? "");
      process.stdout.write(`${item.id}\t${printable(item.name)}\t${outcome}\n`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failed += 1;
      process.stdout.write(`${item.id}\t${printable(item.name)}\tfailed: ${error.message}\n`);
    }
  }
  if (failed === 0) return ExitCode.ok;
  process.stderr.write(`${failed} of ${plan.items.length} failed; run the plan again when the reason is gone\n`);
  return ExitCode.failed;
}

async function revoke(client: Client, { kind, id }: PlannedItem): Promise<string> {
  const query = { reason: "leak" } as const;
  const purpose = `revoke ${id}`;
  const { revoked_at: at } =
    kind === "s3_key"
      ? await client.call(ROWS.revokeS3Key, { params: { key_id: id }, query, purpose })
      : await client.call(ROWS.revokeCredential, { params: { credential_id: id }, query, purpose });
  return `revoked at ${at}`;
}

async function rotate(client: Client, item: PlannedItem, plan: LeakPlan, directory: string): Promise<string> {
  if (item.kind === "personal_token") return "not rotated: its person creates a new one; revoke this one";
  const file = join(directory, `${item.id}.json`);
  if (existsSync(file)) return `rotated before, see ${file}`;
  const temporary = reserved(file);
  try {
    const content = await (item.kind === "s3_key" ? newKey(client, item, plan) : newSecret(client, item, plan));
    writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { flush: true });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return `rotated, saved in ${file}`;
}

/** Creates the file first: a secret that can't be saved is lost. */
function reserved(file: string): string {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, "", { mode: 0o600, flag: "wx" });
    return temporary;
  } catch (error) {
    throw new CommandError(`cannot save secrets in ${file}: ${(error as Error).message}; nothing more was rotated`);
  }
}

async function newSecret(client: Client, { id }: PlannedItem, plan: LeakPlan): Promise<object> {
  const made = await client.call(ROWS.rotateCredential, {
    params: { credential_id: id },
    body: { overlap_seconds: plan.overlap_seconds },
    purpose: `rotate ${id}`,
  });
  const { client_id } = made;
  const client_secret = shownSecret(made.client_secret, { made: id, mend: "run the plan again" });
  return { addresses: client.addresses, credential: { client_id, client_secret } };
}

async function newKey(client: Client, { id }: PlannedItem, plan: LeakPlan): Promise<object> {
  const made = await client.call(ROWS.rotateS3Key, {
    params: { key_id: id },
    body: { overlap_seconds: plan.overlap_seconds },
    purpose: `rotate ${id}`,
  });
  const { access_key_id } = made;
  const secret_access_key = shownSecret(made.secret_access_key, { made: id, mend: "run the plan again" });
  return { endpoint: client.addresses.s3_endpoint, access_key_id, secret_access_key };
}
