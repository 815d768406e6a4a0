import type { ReactNode } from "react";
import { PageLink } from "~/app/page-link.tsx";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Table } from "~/kit/table.tsx";
import { Time, useNow } from "~/kit/time.tsx";
import { useCredentialChoice, type Credential } from "./credential-picker.tsx";

const DAY_MS = 86_400_000;
const WITHIN_MS = 30 * DAY_MS;
const SOON_MS = 7 * DAY_MS;

/** Lists credentials that expire within 30 days. Shows nothing if there are none. */
export function Expiring(): ReactNode {
  const { all } = useCredentialChoice();
  const nowMs = useNow(60_000).getTime();
  const leftMs = ({ expires_at }: Credential): number =>
    expires_at === null ? Infinity : Date.parse(expires_at) - nowMs;
  const ending = (all ?? [])
    .filter((credential) => leftMs(credential) > 0 && leftMs(credential) < WITHIN_MS)
    .toSorted((a, b) => leftMs(a) - leftMs(b));
  if (ending.length === 0) return null;
  return (
    <Section
      title="Credentials that expire soon"
      about="Programs that use them will stop working"
      flush
      actions={<PageLink page="credentials">Credentials</PageLink>}
    >
      <Table<Credential>
        label="Credentials that expire within 30 days"
        items={ending}
        keyOf={({ id }) => id}
        columns={[
          { title: "Name", grow: true, cell: ({ name }) => <ForeignText text={name} /> },
          {
            title: "Ends",
            cell: (credential) => (
              <State kind={leftMs(credential) < SOON_MS ? "stop" : "warn"}>
                <Time at={credential.expires_at} />
              </State>
            ),
          },
          { title: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
        ]}
      />
    </Section>
  );
}
