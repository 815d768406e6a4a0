import { ORGANIZATION_ROUTES, SCOPES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { plural } from "~/kit/figures.ts";
import { AddressesText } from "~/access/addresses-field.tsx";
import { Facts, Loaded, Section } from "~/kit/page.tsx";

/** Whom the list of addresses binds. */
const REFUSED = {
  programs: "Credentials and S3 keys",
  people: "People",
  both: "Credentials, S3 keys and people",
} as const;

/** Shows the organization's policy to all members. It is changed in the settings. */
export function Policies(): ReactNode {
  const result = useRead(ORGANIZATION_ROUTES.getOrganization, {});
  return (
    <Section title="Policies of the organization" actions={<PageLink page="settings">Change in the settings</PageLink>}>
      <Loaded result={result}>
        {({ policy, token_lifetime_s }) => (
          <Facts
            items={[
              [
                "Credentials may have",
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
                  ? "Until their expiry, if they have one"
                  : `${plural(policy.credential_lifetime_days_max, "day")} at most, also for existing ones`,
              ],
              [
                "Expiry",
                policy.credential_lifetime_days_max !== null
                  ? "Follows from the lifetime above"
                  : policy.require_expiry
                    ? "Required for new ones. Existing ones stay valid"
                    : "Not required",
              ],
              [
                "Used from",
                policy.allowed_addresses === null ? (
                  "Anywhere, unless the credential or key has its own list"
                ) : (
                  <span key="from">
                    <AddressesText ranges={policy.allowed_addresses} />
                    {REFUSED[policy.allowed_addresses_for]} are refused from other addresses
                  </span>
                ),
              ],
              [
                "Approval",
                policy.approval_required
                  ? "Credentials and keys of members without members:write have no permission until an owner or admin approves them"
                  : "Not required",
              ],
              ["Tokens live", `${plural(Math.round(token_lifetime_s / 60), "minute")}`],
            ]}
          />
        )}
      </Loaded>
      <p className="max-w-[72ch] text-ink-2">
        A policy applies at once, also to existing credentials and tokens. Quotas and the retention of telemetry are{" "}
        <PageLink page="settings" className="text-sea underline">
          settings
        </PageLink>{" "}
        too.
      </p>
    </Section>
  );
}
