import { PORTAL_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { plural } from "~/kit/figures.ts";
import { Section } from "~/kit/page.tsx";
import { State, type StateKind } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import type { Instance } from "./types.ts";

type Key = Instance["signing_keys"][number];

const STATES: Record<Key["state"], readonly [kind: StateKind, text: string]> = {
  next: ["none", "published, signs later"],
  active: ["go", "signs"],
  retired: ["warn", "accepted, does not sign"],
};

/** The keys that sign access tokens. An operator can rotate them early, or retire a leaked one. */
export function KeySection({ keys }: { keys: Instance["signing_keys"] }): ReactNode {
  const [open, setOpen] = useState<"rotate" | Key | null>(null);
  return (
    <Section
      title="Signing keys"
      about={`${plural(keys.length, "key")}; they rotate automatically every 90 days`}
      flush
      actions={<Button onClick={() => setOpen("rotate")}>Rotate</Button>}
    >
      <Table label="Signing keys" columns={columns(setOpen)} items={keys} keyOf={({ kid }) => kid} />
      {open === "rotate" && <RotateDialog onClose={() => setOpen(null)} />}
      {open !== null && open !== "rotate" && <RetireDialog signingKey={open} onClose={() => setOpen(null)} />}
    </Section>
  );
}

function columns(onRetire: (key: Key) => void): readonly Column<Key>[] {
  return [
    { title: "Key id", grow: true, cell: ({ kid }) => <Copyable text={kid} /> },
    { title: "Algorithm", cell: ({ alg }) => <code>{alg}</code> },
    { title: "State", cell: ({ state }) => <State kind={STATES[state][0]}>{STATES[state][1]}</State> },
    { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
    { title: "Signs from", cell: ({ active_at }) => <Time at={active_at} /> },
    {
      title: "Actions",
      cell: (key) => (
        <Button look="quiet" className="h-6" aria-label={`Retire now: ${key.kid}`} onClick={() => onRetire(key)}>
          Retire now
        </Button>
      ),
    },
  ];
}

function RotateDialog({ onClose }: { onClose: () => void }): ReactNode {
  const say = useSay();
  const rotate = useAct(PORTAL_ROUTES.rotateSigningKey, {
    changes: [PORTAL_ROUTES.getInstance],
    onDone: ({ kid }) => {
      say(`The new key is ${kid}.`);
      onClose();
    },
  });
  return (
    <DangerDialog
      title="Rotate the signing keys"
      about="A new key is published now. It starts to sign in ten minutes, when all verifiers know it. Tokens of the old key are accepted until they expire, so nothing breaks. If a key has leaked, retire it instead."
      action="Rotate"
      busy={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate({ body: {}, purpose: "rotate the signing keys" })}
      onClose={onClose}
    />
  );
}

function RetireDialog({ signingKey, onClose }: { signingKey: Key; onClose: () => void }): ReactNode {
  const say = useSay();
  const retire = useAct(PORTAL_ROUTES.retireSigningKey, {
    changes: [PORTAL_ROUTES.getInstance],
    onDone: ({ propagated }) => {
      if (propagated) say("The key is retired on all nodes.");
      else say("The key is retired, but some nodes have not confirmed it. See Nodes under State.", "warn");
      onClose();
    },
  });
  const { kid, state } = signingKey;
  return (
    <DangerDialog
      title="Retire the key now"
      about={
        <div className="flex flex-col gap-2">
          <p>
            Use this for a leaked key. No node will accept tokens that <code>{kid}</code> has signed.
          </p>
          <ul className="list-disc pl-5">
            {state === "next" && <li>It has not signed any token yet, so nothing breaks.</li>}
            {state !== "next" && (
              <>
                <li>
                  All its access tokens, of all organizations, are refused with 401. Programs that then request a new
                  token get it at once. Other programs are refused until their token expires, at most an hour.
                </li>
                <li>Running pushes and pulls of images must be restarted.</li>
                <li>External verifiers with a cached key set refuse the tokens within five minutes.</li>
              </>
            )}
            <li>Portal sessions, credentials and secrets stay valid.</li>
          </ul>
        </div>
      }
      type={kid}
      action="Retire now"
      busy={retire.isPending}
      error={retire.error}
      onConfirm={() => retire.mutate({ params: { kid }, body: {}, purpose: "retire the key" })}
      onClose={onClose}
    />
  );
}
