import { ORGANIZATION_ROUTES, SCOPE_DESCRIPTIONS, SCOPES, type ResultOf, type Scope } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { bodyOf, faultOf, readAddressList } from "~/access/address-list.ts";
import { useList } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { Checkbox, TextField } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { Section } from "~/kit/page.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, useVersionedChange, type Versioned } from "~/kit/versioned.tsx";
import { ApprovalFields, ExpiryField, PolicyAddresses } from "./policy-fields.tsx";
import { PolicyEffects } from "./policy-effects.tsx";
import { effectsOf, groupsOf, isSamePolicy, type Effects, type Policy } from "./policy.ts";

type Organization = ResultOf<typeof ORGANIZATION_ROUTES.getOrganization>;

const LIVE_MAX = 100;

/**
 * Changes the allowed scopes, lifetime and addresses of the organization's credentials. It shows the effects on
 * existing ones.
 */
export function PolicyForm({
  versioned: { value, etag },
  onReload,
}: {
  versioned: Versioned<Organization>;
  onReload: () => void;
}): ReactNode {
  const mayWrite = useMayIn(null, "org:write");
  const say = useSay();
  const { policy, setPolicy, text, setText, isChanged, isReady, isTouched, undo } = usePolicyDraft(value.policy);
  const [isConfirming, setConfirming] = useState(false);
  const credentials = useLiveCredentials();
  const effects = effectsOf(policy, value.policy, credentials.items, new Date());
  const save = useVersionedChange(ORGANIZATION_ROUTES.updateOrganization, {
    changes: [ORGANIZATION_ROUTES.getOrganization, ORGANIZATION_ROUTES.listCredentials],
    onDone: () => {
      setConfirming(false);
      say("Saved. The policy applies on all nodes within seconds");
    },
  });
  const apply = (): void =>
    save.mutate({ params: {}, body: { policy }, etag }, { onError: () => setConfirming(false) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    if (takesSomething(effects)) setConfirming(true);
    else apply();
  };
  return (
    <Section
      title="Credential policy"
      about="Limits for every credential and S3 key of the organization. Permissions, lifetimes and addresses apply to existing ones too."
    >
      <form onSubmit={submit}>
        <fieldset disabled={!mayWrite} className="flex min-w-0 flex-col gap-5">
          <ScopeMatrix policy={policy} onChange={setPolicy} />
          <LifetimeField policy={policy} onChange={setPolicy} />
          <ExpiryField policy={policy} onChange={setPolicy} />
          <PolicyAddresses policy={policy} onChange={setPolicy} text={text} onText={setText} />
          <ApprovalFields policy={policy} onChange={setPolicy} />
          <PolicyEffects effects={effects} isChanged={isChanged} list={credentials} />
          <ChangeError
            error={save.error}
            onReload={() => {
              save.reset();
              onReload();
            }}
          />
          <div className="flex flex-wrap gap-2">
            <Button look="main" type="submit" busy={save.isPending} disabled={!isReady}>
              Save
            </Button>
            <Button disabled={!isTouched} onClick={undo}>
              Undo
            </Button>
          </div>
        </fieldset>
      </form>
      {isConfirming && (
        <ConfirmPolicy
          effects={effects}
          busy={save.isPending}
          error={save.error}
          onClose={() => setConfirming(false)}
          onConfirm={apply}
        />
      )}
    </Section>
  );
}

interface PolicyDraft {
  readonly policy: Policy;
  setPolicy(this: void, policy: Policy): void;
  /** The text of the allowed addresses. */
  readonly text: string;
  setText(this: void, text: string): void;
  readonly isChanged: boolean;
  readonly isReady: boolean;
  /** Also true if the text has changed but has the same meaning. */
  readonly isTouched: boolean;
  undo(this: void): void;
}

function usePolicyDraft(saved: Policy): PolicyDraft {
  const savedText = (saved.allowed_addresses ?? []).join("\n");
  const [draft, setPolicy] = useState<Policy>(saved);
  const [text, setText] = useState(savedText);
  const addresses = readAddressList(text);
  const policy: Policy = { ...draft, allowed_addresses: bodyOf(addresses) };
  const isChanged = !isSamePolicy(policy, saved);
  const undo = (): void => {
    setPolicy(saved);
    setText(savedText);
  };
  const isReady = isChanged && faultOf(addresses) === null;
  return { policy, setPolicy, text, setText, isChanged, isReady, isTouched: isChanged || text !== savedText, undo };
}

/** Asks for confirmation before a policy limits existing credentials. */
function ConfirmPolicy({
  effects,
  ...dialog
}: {
  effects: Effects;
  busy: boolean;
  error: Error | null;
  onClose: () => void;
  onConfirm: () => void;
}): ReactNode {
  return (
    <DangerDialog
      title="Save the policy"
      about={
        <div className="flex flex-col gap-2">
          <p>{sentenceOf(effects)} Within seconds, requests that the policy does not allow get 403.</p>
          <p>You can undo this. The policy does not change the credentials, it only limits them.</p>
        </div>
      }
      action="Save"
      {...dialog}
    />
  );
}

function useLiveCredentials() {
  const mayRead = useMayIn(null, "credentials:read");
  const list = useList(ORGANIZATION_ROUTES.listCredentials, { query: { limit: LIVE_MAX } }, { enabled: mayRead });
  return { items: list.items, hasMore: list.hasMore, loadMore: list.loadMore, mayRead, error: list.error };
}

function takesSomething({ losing, ending, shortened, outside }: Effects): boolean {
  return losing.length + ending.length + shortened.length + outside.length > 0;
}

function sentenceOf({ losing, ending, shortened, outside }: Effects): string {
  const parts = [
    losing.length > 0 && `${plural(losing.length, "credential loses", "credentials lose")} permissions`,
    ending.length > 0 && `${plural(ending.length, "credential expires", "credentials expire")} at once`,
    shortened.length > 0 && `${plural(shortened.length, "credential expires", "credentials expire")} earlier`,
    outside.length > 0 && `${plural(outside.length, "credential is", "credentials are")} refused at their last address`,
  ].filter((part) => part !== false);
  return `${parts.join(", ")}.`;
}

interface Part {
  policy: Policy;
  onChange: (policy: Policy) => void;
}

/**
 * A box for each scope, by group. "No limit" also allows the scopes of later versions, so it differs from ticking all
 * boxes.
 */
function ScopeMatrix({ policy, onChange }: Part): ReactNode {
  const { allowed_scopes: allowed } = policy;
  const toggle = (scope: Scope, isOn: boolean): void => {
    const present = new Set(allowed);
    if (isOn) present.add(scope);
    else present.delete(scope);
    onChange({ ...policy, allowed_scopes: SCOPES.filter((each) => present.has(each)) });
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="pb-1 font-medium">Permissions that credentials may have</legend>
      <Checkbox
        label="All of them, also those of later versions"
        checked={allowed === null}
        onChange={(event) => onChange({ ...policy, allowed_scopes: event.target.checked ? null : [...SCOPES] })}
      />
      {allowed !== null && (
        <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2 xl:grid-cols-3">
          {groupsOf(SCOPES).map(([group, scopes]) => (
            <div key={group} role="group" aria-label={group}>
              <p className="text-s text-ink-3">{group}</p>
              {scopes.map((scope) => (
                <Checkbox
                  key={scope}
                  label={<code>{scope}</code>}
                  why={SCOPE_DESCRIPTIONS[scope]}
                  checked={allowed.includes(scope)}
                  onChange={(event) => toggle(scope, event.target.checked)}
                />
              ))}
            </div>
          ))}
        </div>
      )}
    </fieldset>
  );
}

function LifetimeField({ policy, onChange }: Part): ReactNode {
  const { credential_lifetime_days_max: days } = policy;
  return (
    <div className="max-w-xl">
      <TextField
        label="Maximum lifetime of credentials (days)"
        hint="Counted from creation. Empty: no limit."
        type="number"
        min={1}
        max={3650}
        value={days ?? ""}
        onChange={({ target }) =>
          onChange({ ...policy, credential_lifetime_days_max: target.value === "" ? null : Number(target.value) })
        }
      />
    </div>
  );
}
