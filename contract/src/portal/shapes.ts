import Type from "typebox";
import { Email, Ended, Id, nullable, OrgRoleName } from "../organization/shapes.ts";
import { Suspension } from "../organization/suspension.ts";
import { DisplayName, Slug, Timestamp } from "../shared.ts";

/** The messages of a browser and an authenticator (WebAuthn level 3, section 5), forwarded unchanged. */
export const WebAuthnJson = Type.Object({}, { additionalProperties: true });

/** Identifies one sign-in or confirmation from its first step to its last: 256 random bits, valid for five minutes. */
export const Ticket = Type.String({ minLength: 1, maxLength: 128 });

/** Six digits of an authenticator app (RFC 6238). */
export const TotpCode = Type.String({ pattern: "^[0-9]{6}$", description: "the six digits that the app shows" });

export const RecoveryCode = Type.String({ minLength: 8, maxLength: 32 });

export const SECOND_FACTORS = ["totp", "recovery_code", "passkey"] as const;

/** The result of the first step of a sign-in: it is complete, or needs a second factor. */
export const SignInResult = Type.Object({
  status: Type.Enum(["signed_in", "second_factor"]),
  ticket: nullable(Type.String({ description: "for the second step" })),
  methods: Type.Array(Type.Enum([...SECOND_FACTORS]), { description: "the accepted second factors" }),
});

export const Passkey = Type.Object({
  id: Id,
  name: DisplayName,
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
  synced: Type.Boolean({ description: "a password manager or an account stores it, not one device" }),
});

export const BrowserSession = Type.Object({
  id: Id,
  current: Type.Boolean(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
  ip: nullable(Type.String()),
  user_agent: nullable(Type.String()),
  method: Type.Enum(["set_up", "password", "password_totp", "recovery_code", "passkey", "oidc", "reset_link"]),
});

export const PersonalAccessToken = Type.Object({
  id: Id,
  name: DisplayName,
  organization: Slug,
  scopes: Type.Array(Type.String()),
  created_at: Timestamp,
  expires_at: nullable(Timestamp),
  last_used_at: nullable(Timestamp),
  pending: Type.Boolean({ description: "waits for an approval by an administrator of the organization" }),
});

/** The signed-in person and their memberships. */
export const SignedIn = Type.Object({
  user: Type.Object({
    id: Id,
    email: Email,
    name: DisplayName,
    instance_admin: Type.Boolean({ description: "runs this server" }),
    email_verified: Type.Boolean({
      description: "a mailed link, a provider or the operator verified the address",
    }),
  }),
  organizations: Type.Array(
    Type.Object({
      id: Id,
      slug: Slug,
      name: DisplayName,
      role: OrgRoleName,
      refused: nullable(
        Type.Enum(
          [
            "second_factor_required",
            "provider_sign_in_required",
            "new_sign_in_required",
            "address_not_allowed",
            "organization_blocked",
          ],
          { description: "the requirement of the organization that this session does not meet, or its suspension" },
        ),
      ),
      ...Suspension,
    }),
  ),
  session: Type.Object({
    id: Id,
    method: BrowserSession.properties.method,
    confirmed_at: Type.String({ format: "date-time", description: "the person's last sign-in or confirmation" }),
    expires_at: Timestamp,
  }),
  security: Type.Object({
    has_password: Type.Boolean(),
    has_totp: Type.Boolean(),
    passkeys: Type.Integer(),
    recovery_codes_left: Type.Integer(),
    has_identity: Type.Boolean({ description: "an identity at the single sign-on is linked" }),
  }),
  notice: nullable(Ended),
  sends_email: Type.Boolean({ description: "whether this server sends e-mail, for example invitations" }),
});
