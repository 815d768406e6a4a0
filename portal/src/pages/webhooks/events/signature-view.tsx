import { useState, type FormEvent, type ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { TextField } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { State } from "~/kit/state.tsx";
import type { Verification } from "../setup/presets.ts";
import { checkSignature, explain, isExplained, type Outcome, type Step } from "./signature.ts";

interface SignatureProps {
  verification: Verification;
  headers: readonly (readonly string[])[];
  body: Uint8Array;
  receivedAt: string;
}

/** Explains the verification of a request step by step. A person can check a secret against it in the browser. */
export function SignatureView(props: SignatureProps): ReactNode {
  const { verification, headers, receivedAt } = props;
  return (
    <section className="flex min-w-0 flex-col gap-1.5">
      <h3>Verification</h3>
      <ol className="flex list-decimal flex-col gap-2 pl-5">
        {explain(verification, headers, receivedAt).map((step) => (
          <li key={step.title}>
            <StepText step={step} />
          </li>
        ))}
      </ol>
      {isExplained(verification.scheme) && <TrySecret {...props} />}
    </section>
  );
}

function StepText({ step: { title, detail, value, isMissing = false } }: { step: Step }): ReactNode {
  return (
    <>
      <span className="font-medium">{title}</span>{" "}
      {isMissing && <State kind="stop">{value === undefined ? "missing" : "out of bounds"}</State>}
      <span className="block text-ink-2">{detail}</span>
      {value !== undefined && (
        <code className="mt-0.5 block rounded bg-well px-1.5 [overflow-wrap:anywhere] whitespace-pre-wrap">
          {visibleText(value, { lines: true })}
        </code>
      )}
    </>
  );
}

const OUTCOMES: Readonly<Record<Outcome, readonly ["go" | "stop" | "warn", string]>> = {
  fits: ["go", "It matches: this secret signed this body."],
  differs: ["stop", "It does not match: another secret signed it, or the body was changed."],
  unsigned: ["warn", "The request has no signature."],
  unknown: ["warn", "This is not a valid secret for this scheme."],
};

/** Checks a secret in the browser, without sending it. */
function TrySecret({ verification, headers, body }: SignatureProps): ReactNode {
  const [secret, setSecret] = useState("");
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const isPossible = globalThis.isSecureContext;
  const check = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setOutcome(await checkSignature(verification, { headers, body }, secret));
  };
  return (
    <form onSubmit={(event) => void check(event)} className="flex flex-col gap-1.5 rounded border border-line p-2">
      <TextField
        label="Check a secret against it"
        hint={
          isPossible
            ? "Your browser computes this. The secret is not sent."
            : "Browsers compute signatures only on pages over HTTPS or on localhost."
        }
        type="password"
        autoComplete="off"
        value={secret}
        disabled={!isPossible}
        onChange={(event) => {
          setSecret(event.target.value);
          setOutcome(null);
        }}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" disabled={secret === "" || !isPossible}>
          Check
        </Button>
        <span role="status">
          {outcome !== null && (
            <State kind={OUTCOMES[outcome][0]}>
              <span className="whitespace-normal">{OUTCOMES[outcome][1]}</span>
            </State>
          )}
        </span>
      </div>
    </form>
  );
}
