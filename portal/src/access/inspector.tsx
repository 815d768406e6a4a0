import { useState, type ReactNode } from "react";
import { useNamed } from "~/app/absent.tsx";
import { useMayIn, useWhyNotIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyButton, Copyable } from "~/kit/copy.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Inspector } from "~/kit/inspector.tsx";
import { Facts, Loaded } from "~/kit/page.tsx";
import { curlOf } from "~/kit/shell.ts";
import { State } from "~/kit/state.tsx";
import { Time, useNow } from "~/kit/time.tsx";
import { ActivityPart } from "./activity.tsx";
import { AddressesText } from "./addresses-field.tsx";
import { useAccessItem, useApproval, type AccessItem, type AccessKind } from "./kind.ts";
import { AdoptDialog } from "./adopt-dialog.tsx";
import { Owner, ResponsibleOne } from "./owner.tsx";
import { PendingNote } from "./pending.tsx";
import { ResourcesText } from "./resource-fields.tsx";
import { canBeAdopted, stateOf } from "./state.ts";

interface InspectorProps<T extends AccessItem> {
  kind: AccessKind<T>;
  id: string;
  onClose: () => void;
  onAct: (act: "edit" | "revoke", item: T) => void;
  /** Additional buttons and parts of this kind. */
  buttons?: ((item: T) => ReactNode) | undefined;
  parts?: ((item: T) => ReactNode) | undefined;
}

/** Shows one item: its permissions and their limits, its recent activity, and the actions on it. */
export function AccessInspector<T extends AccessItem>(props: InspectorProps<T>): ReactNode {
  const { kind, id } = props;
  const result = useNamed(useAccessItem(kind, id));
  const shown = result.data?.id === id ? result.data : undefined;
  return (
    <Inspector title={shown === undefined ? kind.noun : <ForeignText text={shown.name} />} onClose={props.onClose}>
      <Loaded result={{ data: shown, error: result.error }}>{(item) => <Details {...props} item={item} />}</Loaded>
    </Inspector>
  );
}

function Details<T extends AccessItem>({ item, ...props }: InspectorProps<T> & { item: T }): ReactNode {
  const { kind } = props;
  return (
    <>
      {item.pending && item.revoked_at === null && <Approval kind={kind} item={item} />}
      <Actions {...props} item={item} />
      <About kind={kind} item={item} />
      <Part title="Permissions">
        <Permissions item={item} />
      </Part>
      {props.parts?.(item)}
      <Part title="Activity">
        <ActivityPart kind={kind} id={item.id} />
        <AuditLink id={item.id} />
      </Part>
    </>
  );
}

function Approval<T extends AccessItem>({ kind, item }: { kind: AccessKind<T>; item: T }): ReactNode {
  const { error, isPending, approve } = useApproval(kind, item.id);
  return (
    <PendingNote noun={kind.noun} projectId={item.project_id} busy={isPending} error={error} onApprove={approve} />
  );
}

function AuditLink({ id }: { id: string }): ReactNode {
  if (!useMayIn(null, "audit:read")) return null;
  return (
    <PageLink page="audit" search={{ target: id }}>
      In the audit log
    </PageLink>
  );
}

export function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section className="flex min-w-0 flex-col gap-2 border-t border-line pt-3">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Actions<T extends AccessItem>({ kind, item, onAct, buttons }: InspectorProps<T> & { item: T }): ReactNode {
  const why = useWhyNotIn(item.project_id, "credentials:write");
  const isRevoked = item.revoked_at !== null;
  const me = useMe();
  const [isAdopting, setAdopting] = useState(false);
  const adopt = canBeAdopted(item) && me?.id !== item.responsible.id && (
    <Button onClick={() => setAdopting(true)} disabled={why !== undefined} title={why}>
      Adopt
    </Button>
  );
  return (
    <div className="flex flex-wrap gap-2">
      {isRevoked && adopt}
      {!isRevoked && (
        <>
          {buttons?.(item)}
          <Button onClick={() => onAct("edit", item)} disabled={why !== undefined} title={why}>
            Change
          </Button>
          {adopt}
          <Button look="danger" onClick={() => onAct("revoke", item)} disabled={why !== undefined} title={why}>
            Revoke
          </Button>
        </>
      )}
      <CopyButton text={curlOf(`${location.origin}${kind.path}/${item.id}`)} label="Copy as curl" />
      {isAdopting && <AdoptDialog kind={kind} item={item} onClose={() => setAdopting(false)} />}
      {why !== undefined && !isRevoked && <p className="w-full text-s text-ink-2">{why}.</p>}
    </div>
  );
}

function About<T extends AccessItem>({ kind, item }: { kind: AccessKind<T>; item: T }): ReactNode {
  const now = useNow(10_000).getTime();
  const project = useMe()?.projects.find(({ id }) => id === item.project_id);
  const state = stateOf(item, now);
  return (
    <Facts
      items={[
        [
          "State",
          <State key="state" kind={state.kind}>
            {state.text}
          </State>,
        ],
        ...(item.state_reason === null ? [] : [["Reason", visibleText(item.state_reason)] as const]),
        [kind.identifierName, <Copyable key="id" text={kind.identifierOf(item)} />],
        ["Project", item.project_id === null ? "The whole organization" : (project?.name ?? item.project_id)],
        ...kind.facts(item),
        ...(item.resources === null
          ? []
          : [["Limited to", <ResourcesText key="limited" resources={item.resources} />] as const]),
        ["Used from", <AddressesText key="from" ranges={item.allowed_addresses} />],
        ["Responsible", <ResponsibleOne key="responsible" of={item.responsible} />],
        ["Created by", <Owner key="owner" id={item.created_by} />],
        ["Created", <Time key="created" at={item.created_at} />],
        ["Expires", <Time key="expires" at={item.expires_at} />],
        ...(item.revoked_at === null ? [] : [["Revoked", <Time key="revoked" at={item.revoked_at} />] as const]),
        ["Last used", <LastUsed key="used" item={item} />],
      ]}
    />
  );
}

function LastUsed({ item: { last_used_at, last_used_ip = null } }: { item: AccessItem }): ReactNode {
  return (
    <>
      <Time at={last_used_at} />
      {last_used_ip !== null && (
        <>
          {" "}
          from <code>{last_used_ip}</code>
        </>
      )}
    </>
  );
}

/** Shows the chosen permissions, and those that have no effect now. "Reason" says why. */
function Permissions({ item }: { item: AccessItem }): ReactNode {
  return (
    <ul className="grid grid-cols-2 gap-1">
      {item.scopes.map((scope) => {
        const isEffective = item.effective_scopes.includes(scope);
        return (
          <li key={scope} className="min-w-0">
            <State kind={item.revoked_at !== null ? "none" : isEffective ? "go" : "stop"}>
              <code>{scope}</code>
            </State>
            {!isEffective && item.revoked_at === null && <span className="block text-s text-ink-2">has no effect</span>}
          </li>
        );
      })}
    </ul>
  );
}
