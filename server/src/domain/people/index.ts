export type { Origin, PeopleDeps } from "./deps.ts";
export { changePassword, rename } from "./account.ts";
export { localPath } from "./external/return-to.ts";
export type { ProviderSettings } from "./external/provider.ts";
export { deleteIdentity } from "./external/identity.ts";
export { beginOidc, finishOidc, type OidcFailure, type OidcOutcome } from "./external/sign-in.ts";
export { hasExternalIdentity } from "./external/store.ts";
export { secondFactorsOf, securityOf, type Security } from "./factors/factors.ts";
export { beginPasskey, createPasskey, deletePasskey, renamePasskey } from "./factors/passkeys.ts";
export { passkeyPlaceOf } from "./factors/passkey-place.ts";
export { beginPasskeyProof } from "./factors/passkey-proof.ts";
export { createRecoveryCodes } from "./factors/recovery-codes.ts";
export { passkeysOf, type PasskeyRow } from "./factors/store.ts";
export { beginTotp, confirmTotp, deleteTotp } from "./factors/totp.ts";
export { auditInstance, createOrganization } from "./instance/instance.ts";
export { migrationsOf, nodesOf, organizationsOf } from "./instance/store.ts";
export { createPersonalToken, deletePersonalToken, listPersonalTokens } from "./personal-tokens.ts";
export { endLogin, endLoginOf, redeemCode, redeemDeviceCode, refreshLogin, type LoginTokens } from "./logins/grants.ts";
export { personSecretOf, type PersonSecret } from "./leaked.ts";
export { endOfLogin, listLogins } from "./logins/logins.ts";
export { LoginRefusal, type LoginRefusalCode } from "./logins/refusal.ts";
export {
  approveDeviceLogin,
  approveLogin,
  beginDeviceLogin,
  denyDeviceLogin,
  findDeviceLogin,
  type DeviceCodes,
} from "./logins/requests.ts";
export type { LoginRow } from "./logins/store.ts";
export { LOGIN_TOKEN_PREFIX, loginOfToken } from "./logins/tokens.ts";
export { createPeople, sessionsOf } from "./people.ts";
export {
  beginSession,
  dismissNotice,
  endOf,
  endOtherSessions,
  endSession,
  listSessions,
  noticeOf,
  sessionOfSecret,
  type Session,
} from "./sessions/sessions.ts";
export type { SessionRow } from "./sessions/store.ts";
export { createSessionToken, withPeople } from "./sessions/tokens.ts";
export { confirm } from "./sessions/confirm.ts";
export { deviceCookie, deviceOf } from "./sign-in/device.ts";
export { signInWithPasskey } from "./sign-in/passkey.ts";
export { signInWithRecoveryCode, signInWithTotp } from "./sign-in/second-step.ts";
export { resetPassword } from "./sign-in/reset.ts";
export { signInWithPassword, type SignInStep } from "./sign-in/password.ts";
export { membershipsOf, personById, type Membership } from "./store.ts";
export { deletePerson, type PersonDeletion } from "./deletion/delete-person.ts";
export {
  allDeletions,
  continueErasures,
  deleteAgain,
  eraseTraces,
  erasureHandler,
  erasureJob,
  type ListedDeletion,
  type TracesDeps,
} from "./deletion/traces.ts";
