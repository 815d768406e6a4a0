export { createEnvelope, masterKeyIdOf, type Envelope, type SealedPlace } from "./envelope.ts";
export { signJws, verifyJws, type SigningAlg } from "./key-pair.ts";
export { discardNewKeyFile, openMasterKey, type MasterKey } from "./master-key.ts";
export { SigningKeys, type Signer, type SigningKeyInfo, type Verifier } from "./signing-keys.ts";
export { signingKeyRows } from "./store.ts";
