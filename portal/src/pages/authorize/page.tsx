import { LOGIN_CLIENT_ID, PORTAL_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Facts, Page as Frame, Section } from "~/kit/page.tsx";
import { OrganizationField, useChosenOrganization } from "~/people/organization-field.tsx";
import { deniedAddress, loginRequestOf, type LoginRequest } from "./request.ts";

/** A person approves a login of the command line on this machine. */
export function Page(): ReactNode {
  const [request] = useState(() => loginRequestOf(location.search));
  return (
    <Frame title="Sign in to the command line">
      <Section>
        {typeof request === "string" ? (
          <p role="alert">This address is not valid. {request}</p>
        ) : (
          <Ask request={request} />
        )}
      </Section>
    </Frame>
  );
}

function Ask({ request }: { request: LoginRequest }): ReactNode {
  const { user } = useSession();
  const [organization, setOrganization] = useChosenOrganization(request.organization);
  const approve = useAct(PORTAL_ROUTES.approveLogin, { onDone: ({ redirect_to }) => location.replace(redirect_to) });
  return (
    <div className="flex max-w-xl flex-col gap-4">
      <p>
        The command line wants to act as you, with all your permissions in one organization. Approve only if you ran{" "}
        <code>mooring login</code> on this machine just now.
      </p>
      <Facts
        items={[
          ["Person", user.email],
          ["Program", "mooring, the command line"],
          ["Machine", request.name],
          ["Waits at", <code key="address">{request.redirectUri}</code>],
        ]}
      />
      <OrganizationField value={organization} onChange={setOrganization} />
      <ErrorNote error={approve.error} />
      <div className="flex gap-2">
        <Button
          look="main"
          busy={approve.isPending}
          disabled={organization === ""}
          onClick={() =>
            approve.mutate({
              body: {
                client_id: LOGIN_CLIENT_ID,
                organization,
                name: request.name,
                redirect_uri: request.redirectUri,
                state: request.state,
                code_challenge: request.challenge,
                code_challenge_method: "S256",
              },
              purpose: "approve the login",
            })
          }
        >
          Approve
        </Button>
        <Button disabled={approve.isPending} onClick={() => location.replace(deniedAddress(request))}>
          Deny
        </Button>
      </div>
    </div>
  );
}
