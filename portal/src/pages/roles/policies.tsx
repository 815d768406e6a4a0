import { ORGANIZATION_ROUTES, SCOPES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { plural } from "~/kit/figures.ts";
import { AddressesText } from "~/access/addresses-field.tsx";
import { Facts, Loaded, Section } from "~/kit/page.tsx";

/** The limits of the organization's policies, for everybody. They are changed in the settings. */
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
              [
                "An end",
                policy.credential_lifetime_days_max !== null
                  ? "Given to each by the days above"
                  : policy.require_expiry
                    ? "Each new one needs an expiry; older ones stay valid"
                    : "Nobody has to say one",
              ],
              [
                "Used from",
                policy.allowed_addresses === null ? (
                  "Anywhere, unless the credential or key says otherwise itself"
                ) : (
                  <span key="from">
                    <AddressesText ranges={policy.allowed_addresses} />
                    Everywhere else every credential and S3 key is refused
                  </span>
                ),
              ],
              [
                "Approval",
                policy.approval_required
                  ? "What somebody makes who lacks members:write may do nothing until an owner or admin approves it"
                  : "Not required: new ones work at once",
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
