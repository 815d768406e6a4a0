import type { ReactNode } from "react";
import { Copyable, CopyButton } from "~/kit/copy.tsx";
import { plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Facts, Section } from "~/kit/page.tsx";
import { Badge } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { actText, limitText, lossOf, type RefusedRequest } from "./words.ts";

/** Explains one refused request: who asked, what decided, and what would allow it. */
export function Explanation({ request }: { request: RefusedRequest }): ReactNode {
  const { decided_by: decided, would_allow: acts } = request;
  return (
    <Section
      title={`${request.status} ${request.code}`}
      about={<Time at={request.at} />}
      actions={<CopyButton label="Copy as JSON" text={JSON.stringify(request, null, 2)} />}
    >
      <p>{visibleText(request.detail)}</p>
      <div className="grid gap-4 md:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-1.5">
          <h3>Who asked</h3>
          <Facts items={whoOf(request)} />
        </div>
        <div className="flex min-w-0 flex-col gap-1.5">
          <h3>What decided</h3>
          <Facts items={whatOf(decided)} />
        </div>
      </div>
      <div className="flex flex-col gap-1.5">
        <h3>What would allow it</h3>
        {acts.length === 0 ? (
          <p className="text-ink-2">Nothing that this organization can change.</p>
        ) : (
          <ul className="list-disc pl-5">
            {acts.map((act) => (
              <li key={`${act.act} ${act.to ?? ""}`} className="[overflow-wrap:anywhere]">
                {actText(act)}
              </li>
            ))}
          </ul>
        )}
      </div>
      {request.more.same_minute > 0 && (
        <p className="text-ink-2">{plural(request.more.same_minute, "equal refusal")} more within the same minute.</p>
      )}
    </Section>
  );
}

type Items = readonly (readonly [name: string, value: ReactNode])[];

function whoOf(request: RefusedRequest): Items {
  const { actor, request_id: id, client_request_id: own, method, operation, address, user_agent: agent } = request;
  return [
    ["Caller", <Caller key="who" actor={actor} />],
    ["Operation", <code key="operation">{`${method} ${visibleText(operation)}`}</code>],
    ["Address", address ?? "unknown"],
    ["Program", agent === null ? "unknown" : visibleText(agent)],
    ["Request", <Copyable key="id" text={id} />],
    ...(own === null ? [] : [["Caller's own id", <Copyable key="own" text={own} />] as const]),
  ];
}

export function Caller({ actor }: { actor: RefusedRequest["actor"] }): ReactNode {
  if (actor === null) return <i className="text-ink-2">nobody known</i>;
  return (
    <span title={actor.id}>
      {actor.name === null ? <code>{actor.id}</code> : visibleText(actor.name)}{" "}
      {actor.kind !== "person" && <Badge>{actor.kind}</Badge>}
    </span>
  );
}

function whatOf(decided: RefusedRequest["decided_by"]): Items {
  const { rule, meaning, permission, resource, policy, limit, held } = decided;
  const loss = lossOf(decided);
  return [
    ["Rule", <code key="rule">{rule}</code>],
    ["Means", meaning],
    ...(permission === null ? [] : [["Permission", <code key="permission">{permission}</code>] as const]),
    ...(loss === undefined ? [] : [["Because", loss] as const]),
    ...(resource === null ? [] : [["Resource", `${resource.kind} ${visibleText(resource.id ?? "")}`.trim()] as const]),
    ...(policy === null ? [] : [["Statement", visibleText(policy.statement ?? "unknown")] as const]),
    ...(limit === null ? [] : [["Limit", limitText(limit)] as const]),
    ...(held === null ? [] : [["It had", held.length === 0 ? "no permission there" : held.join(", ")] as const]),
  ];
}
