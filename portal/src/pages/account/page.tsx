import type { ReactNode } from "react";
import { useSession } from "~/api/session.ts";
import { useSearchState } from "~/app/search.ts";
import { Page as Frame } from "~/kit/page.tsx";
import { Tabs } from "~/kit/tabs.tsx";
import { DeleteSection } from "./delete-section.tsx";
import { EmailSection } from "./email-section.tsx";
import { IdentitySection } from "./identity-section.tsx";
import { LoginSection } from "./login-section.tsx";
import { PasskeySection } from "./passkey-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { PreferencesSection } from "./preferences-section.tsx";
import { ProfileSection } from "./profile-section.tsx";
import { SessionSection } from "./session-section.tsx";
import { TokenSection } from "./token-section.tsx";
import { TotpSection } from "./totp-section.tsx";

/** The person's own account: name, sign-in, sessions, tokens, and the portal's appearance. */
export function Page(): ReactNode {
  const { user } = useSession();
  const [search, setSearch] = useSearchState<{ tab: string }>();
  const tabs = [
    { id: "profile", title: "Profile", content: <Profile /> },
    { id: "sign-in", title: "Signing in", content: <SigningIn /> },
    { id: "sessions", title: "Sessions", content: <Sessions /> },
    { id: "tokens", title: "Personal access tokens", content: <TokenSection /> },
  ];
  const chosen = tabs.find(({ id }) => id === search.tab)?.id ?? "profile";
  return (
    <Frame title="Account" about={`${user.email}: it is the same in every organization of this server.`}>
      <Tabs label="Account" tabs={tabs} value={chosen} onChange={(id) => setSearch({ tab: id })} />
    </Frame>
  );
}

function Profile(): ReactNode {
  return (
    <>
      <ProfileSection />
      <EmailSection />
      <PreferencesSection />
      <DeleteSection />
    </>
  );
}

function Sessions(): ReactNode {
  return (
    <>
      <SessionSection />
      <LoginSection />
    </>
  );
}

function SigningIn(): ReactNode {
  return (
    <>
      <PasswordSection />
      <PasskeySection />
      <TotpSection />
      <IdentitySection />
    </>
  );
}
