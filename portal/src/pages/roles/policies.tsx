import { ORGANIZATION_ROUTES, SCOPES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { plural } from "~/kit/figures.ts";
import { Facts, Loaded, Section } from "~/kit/page.tsx";

/** What the organization's policies cut, whoever asks; they are changed in the settings. */
export function Policies(): ReactNode {
  const result = useRead(ORGANIZATION_ROUTES.getOrganization, {});
  return (
    <Section title="Policies of the organization" actions={<PageLink page="settings">Change in the settings</PageLink>}>
      <Loaded result={result}>
        {({ policy, token_lifetime_s }) => (
          <Facts
            items={[
              [
                "Credentials may hold",
                policy.allowed_scopes === null ? (
                  "Every permission that their creator has"
                ) : (
                  <span key="allowed">
                    {plural(policy.allowed_scopes.length, "permission")} of {SCOPES.length} at most:{" "}
                    <code>{SCOPES.filter((scope) => policy.allowed_scopes?.includes(scope)).join(" ")}</code>
                  </span>
                ),
              ],
              [
                "Credentials live",
                policy.credential_lifetime_days_max === null
                  ? "As long as is said when they are made, or for ever"
                  : `${plural(policy.credential_lifetime_days_max, "day")} at most, those made before as well`,
              ],
              ["Tokens live", `${plural(Math.round(token_lifetime_s / 60), "minute")}`],
            ]}
          />
        )}
      </Loaded>
      <p className="max-w-[72ch] text-ink-2">
        What a policy forbids stops counting at once, for credentials and tokens that are there already. Quotas and how
        long telemetry is kept are{" "}
        <PageLink page="settings" className="text-sea underline">
          settings
        </PageLink>{" "}
        too.
      </p>
    </Section>
  );
}
