import type { ReactNode } from "react";
import { PageLink } from "~/app/page-link.tsx";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import type { Credential, Effects } from "./policy.ts";

interface Known {
  readonly items: readonly Credential[];
  readonly hasMore: boolean;
  readonly loadMore: () => void;
  readonly mayRead: boolean;
  readonly error: Error | null;
}

const SHOWN = 8;

/** Lists the existing credentials that the policy in the form would affect. */
export function PolicyEffects({
  effects: { losing, ending, shortened, outside },
  isChanged,
  list,
}: {
  effects: Effects;
  isChanged: boolean;
  list: Known;
}): ReactNode {
  if (!list.mayRead)
    return (
      <p className="text-ink-2">To see the affected credentials, you need credentials:read, which your role lacks.</p>
    );
  const nothing = losing.length + ending.length + shortened.length + outside.length === 0;
  return (
    <div role="status" className="flex flex-col gap-2">
      <h3>Effects on existing credentials</h3>
      <ErrorNote error={list.error} />
      {nothing && (
        <State kind="go">
          <span className="whitespace-normal">
            {isChanged ? "No effects" : "No changes yet"}: {plural(list.items.length, "credential")} checked
          </span>
        </State>
      )}
      <Affected
        kind="stop"
        title={`${plural(ending.length, "credential expires", "credentials expire")} at once, because of their age`}
        items={ending}
        more={({ created_at }) => (
          <>
            created <Time at={created_at} />
          </>
        )}
      />
      <Affected
        kind="stop"
        title={`${plural(losing.length, "credential loses", "credentials lose")} permissions`}
        items={losing.map(({ credential }) => credential)}
        more={(credential) => <code>{losing.find((each) => each.credential === credential)?.scopes.join(" ")}</code>}
      />
      <Affected
        kind="warn"
        title={`${plural(shortened.length, "credential expires", "credentials expire")} earlier than now`}
        items={shortened}
        more={({ expires_at }) => (
          <>
            now: <Time at={expires_at} none="never" />
          </>
        )}
      />
      <Affected
        kind="stop"
        title={`${plural(outside.length, "credential was", "credentials were")} last used from another address`}
        items={outside}
        more={({ last_used_ip }) => (
          <>
            from <code>{last_used_ip}</code>
          </>
        )}
      />
      {list.hasMore && (
        <p className="text-ink-2">
          The newest {list.items.length} were checked. <Button onClick={list.loadMore}>Check more</Button>
        </p>
      )}
    </div>
  );
}

function Affected({
  kind,
  title,
  items,
  more,
}: {
  kind: "stop" | "warn";
  title: string;
  items: readonly Credential[];
  more: (credential: Credential) => ReactNode;
}): ReactNode {
  if (items.length === 0) return null;
  return (
    <div>
      <State kind={kind}>
        <span className="whitespace-normal">{title}</span>
      </State>
      <ul className="list-disc pl-6">
        {items.slice(0, SHOWN).map((credential) => (
          <li key={credential.id}>
            <PageLink page="credentials" search={{ credential: credential.id }} className="text-sea underline">
              {visibleText(credential.name)}
            </PageLink>
            , last used <Time at={credential.last_used_at} />: {more(credential)}
          </li>
        ))}
        {items.length > SHOWN && <li>and {plural(items.length - SHOWN, "other")}</li>}
      </ul>
    </div>
  );
}
