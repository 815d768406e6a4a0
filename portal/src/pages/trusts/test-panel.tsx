import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type KeyboardEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Field, TextArea } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { State, type StateKind } from "~/kit/state.tsx";
import type { Tested } from "./types.ts";

type Check = Tested["checks"][number];

const TITLES: Readonly<Record<Check["check"], string>> = {
  form: "Form",
  lifetime: "Lifetime",
  issuer: "Issuer",
  signature: "Signature",
  audience: "Audience",
  subject: "Subject",
  claims: "Claims",
};
const RESULTS: Readonly<Record<Check["result"], readonly [StateKind, string]>> = {
  pass: ["go", "is right"],
  fail: ["stop", "is not right"],
  skipped: ["none", "was not checked"],
};

/** Tests a pasted token of a job against the trust. */
export function TestPanel({ trustId }: { trustId: string }): ReactNode {
  const [assertion, setAssertion] = useState("");
  const test = useAct(ORGANIZATION_ROUTES.testTrust);
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (assertion.trim() === "" || test.isPending) return;
    test.mutate({ params: { trust_id: trustId }, body: { assertion: assertion.trim() }, purpose: "test the token" });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit();
  };
  return (
    <form onSubmit={submit} onKeyDown={onKeyDown} className="flex flex-col gap-2">
      <Field
        label="Token of a job"
        hint="The token is checked and not stored. It is valid until it expires, so do not share it."
      >
        {(bound) => (
          <TextArea
            {...bound}
            rows={4}
            maxLength={8192}
            spellCheck={false}
            autoComplete="off"
            className="mono"
            placeholder="eyJ…"
            value={assertion}
            onChange={(event) => setAssertion(event.target.value)}
          />
        )}
      </Field>
      <p>
        <Button type="submit" busy={test.isPending} disabled={assertion.trim() === ""}>
          Test
        </Button>
      </p>
      <ErrorNote error={test.error} />
      <div role="status">{test.data !== undefined && !test.isPending && <Result tested={test.data} />}</div>
    </form>
  );
}

function Result({ tested: { accepted, checks } }: { tested: Tested }): ReactNode {
  return (
    <div className="flex flex-col gap-2">
      <State kind={accepted ? "go" : "stop"}>{accepted ? "It would be accepted" : "It would be refused"}</State>
      <ul aria-label="Checks" className="flex flex-col gap-1.5">
        {checks.map(({ check, result, detail }) => {
          const [kind, text] = RESULTS[result];
          return (
            <li key={check}>
              <State kind={kind}>
                {TITLES[check]} {text}
              </State>
              <span className="block text-s [overflow-wrap:anywhere] text-ink-2">{visibleText(detail)}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
