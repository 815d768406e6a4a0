import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";

type Verified = ResultOf<typeof ORGANIZATION_ROUTES.verifyAudit>;
type Fault = NonNullable<Verified["fault"]>["kind"];

/** Verifies the chain of entries. It does so only on request, because it reads the whole log. */
export function Verification({ isAsked, onAsk }: { isAsked: boolean; onAsk: () => void }): ReactNode {
  const result = useRead(ORGANIZATION_ROUTES.verifyAudit, {}, { enabled: isAsked });
  const busy = isAsked && result.isFetching;
  return (
    <Section
      title="Chain of entries"
      about={<Summary result={result.data} />}
      actions={
        <Button busy={busy} onClick={() => (isAsked ? void result.refetch() : onAsk())}>
          {result.data === undefined ? "Verify" : "Verify again"}
        </Button>
      }
    >
      <ErrorNote error={result.error} />
      {result.data === undefined ? (
        <p className="text-ink-2">
          Each entry contains its own hash and that of the previous entry. So the verification detects a changed,
          missing or moved entry, and also missing entries at the end. It reads all entries.
        </p>
      ) : (
        <Outcome result={result.data} />
      )}
    </Section>
  );
}

function Summary({ result }: { result: Verified | undefined }): ReactNode {
  if (result === undefined) return <State kind="none">not verified yet</State>;
  return result.ok ? (
    <State kind="go">holds, {plural(result.entries, "entry", "entries")}</State>
  ) : (
    <State kind="stop">broken at entry {result.fault?.seq}</State>
  );
}

const FAULTS: Readonly<Record<Fault, string>> = {
  gap: "An entry between two others is missing. It was deleted from the database.",
  edited: "An entry was changed after it was written.",
  unlinked: "The hash of the previous entry does not match: one of the two entries was replaced or moved.",
  truncated: "Entries at the end are missing. They were deleted from the database.",
  head: "The record of the last entry does not match the entries: one of the two has an older state.",
};

function Outcome({ result }: { result: Verified }): ReactNode {
  if (!result.ok && result.fault !== null)
    return (
      <div role="alert" className="rounded border border-stop bg-stop-2 px-3 py-2">
        <p className="font-medium">{result.fault.detail}</p>
        <p>{FAULTS[result.fault.kind]}</p>
        <p>
          {plural(result.entries, "entry", "entries")} before it are valid. Keep a copy of the database, export the log,
          and compare both with an earlier export or a saved hash. A partly restored backup can also be the cause.
        </p>
      </div>
    );
  if (result.head_hash === null) return <p className="text-ink-2">There is no entry yet.</p>;
  return (
    <>
      <Declared faults={result.declared} />
      <p className="text-ink-2">
        A person with write access to all tables could write a new chain. To detect that, save this hash of the last
        entry in another place: a ticket, an e-mail, another system. As long as an export contains an entry with this
        hash, no earlier entry was changed.
      </p>
      <CopyBlock text={result.head_hash} label="Hash of the last entry" />
      <Compare head={result.head_hash} />
      {result.checkpoint !== null && <Checkpoint checkpoint={result.checkpoint} />}
    </>
  );
}

/** Shows the faults that a repair declared. They stay in the log, so that it never looks intact. */
function Declared({ faults }: { faults: Verified["declared"] }): ReactNode {
  if (faults.length === 0) return null;
  return (
    <div className="rounded border border-warn bg-warn-2 px-3 py-2">
      <p className="font-medium">The operator repaired this log. These faults stay in it:</p>
      <ul>
        {faults.map(({ kind, from, to, detail, entry }) => (
          <li key={`${kind} ${from} ${to} ${entry}`}>
            {detail} Declared by entry {entry}.
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Shows the signed statement about the last entry. */
function Checkpoint({ checkpoint: { note, keys } }: { checkpoint: NonNullable<Verified["checkpoint"]> }): ReactNode {
  return (
    <>
      <p className="text-ink-2">
        The server signs the same as a checkpoint. Keep it with its key in another place. Later, the operator compares
        the log with it: <code>mooring audit verify --against FILE --key KEY</code>.
      </p>
      <CopyBlock text={note} label="Signed checkpoint" />
      <CopyBlock text={keys.join("\n")} label="Public key of the checkpoint" />
    </>
  );
}

/** Compares a saved hash with the last entry's, and shows how to find it in an export. */
function Compare({ head }: { head: string }): ReactNode {
  const [kept, setKept] = useState("");
  const text = kept.trim();
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label="Compare with a saved hash"
        className="mono"
        value={kept}
        onChange={(event) => setKept(event.target.value)}
      />
      <div role="status">
        {text !== "" &&
          (text === head ? (
            <State kind="go">It is the hash of the last entry.</State>
          ) : (
            <div className="flex flex-col gap-2">
              <State kind="warn">It is not the last entry’s. To check whether an older entry has it:</State>
              <CopyBlock
                label="Command that searches for an older hash"
                text={`curl -sS ${location.origin}/v1/audit/export -H "Authorization: Bearer $TOKEN" | grep -c '"hash":"${/^[\w+/=-]+$/.test(text) ? text : "HASH"}"'`}
              />
            </div>
          ))}
      </div>
    </div>
  );
}
