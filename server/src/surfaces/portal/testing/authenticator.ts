import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

/** An authenticator in software: ES256, no attestation (WebAuthn level 3, sections 6.1 and 6.5). Writes its CBOR itself. */
export class Authenticator {
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly credentialId = randomBytes(32).toString("base64url");
  /** The data that it reports. A test may set wrong values. */
  counter = 1;
  userVerified = true;
  userHandle: string | undefined;

  /** Answers the options of `navigator.credentials.create`. */
  create(options: object, origin: string): object {
    const { challenge, rp, user } = options as { challenge: string; rp: { id: string }; user: { id: string } };
    this.userHandle = user.id;
    const id = Buffer.from(this.credentialId, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, this.#coseKey()]);
    const authData = Buffer.concat([this.#head(rp.id, 0x40), attested]);
    const attestationObject = Buffer.concat([
      Buffer.of(0xa3), // A map of three.
      text("fmt"),
      text("none"),
      text("attStmt"),
      Buffer.of(0xa0),
      text("authData"),
      bytes(authData),
    ]);
    return this.#answer({
      clientDataJSON: clientData("webauthn.create", challenge, origin).toString("base64url"),
      attestationObject: attestationObject.toString("base64url"),
      transports: ["internal"],
    });
  }

  /** Answers the options of `navigator.credentials.get`. */
  get(options: object, origin: string): object {
    const { challenge, rpId } = options as { challenge: string; rpId: string };
    this.counter += 1;
    const authData = this.#head(rpId, 0);
    const data = clientData("webauthn.get", challenge, origin);
    const signed = Buffer.concat([authData, createHash("sha256").update(data).digest()]);
    return this.#answer({
      clientDataJSON: data.toString("base64url"),
      authenticatorData: authData.toString("base64url"),
      signature: sign("sha256", signed, this.#keys.privateKey).toString("base64url"),
      ...(this.userHandle === undefined ? {} : { userHandle: this.userHandle }),
    });
  }

  #answer(response: object): object {
    const { credentialId: id } = this;
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }

  #head(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const present = 0x01 | (this.userVerified ? 0x04 : 0) | flags;
    return Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.of(present), counter]);
  }

  /** RFC 9053 section 7.1.1: {1: 2, 3: -7, -1: 1, -2: x, -3: y}. */
  #coseKey(): Buffer {
    const [x, y] = pointOf(this.#keys.publicKey);
    return Buffer.concat([
      Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01),
      Buffer.of(0x21),
      bytes(x),
      Buffer.of(0x22),
      bytes(y),
    ]);
  }
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function pointOf(key: KeyObject): [Buffer, Buffer] {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  return [Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];
}

/** Returns CBOR (RFC 8949 section 3) of a text of up to 23 bytes. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(0x60 | value.length), Buffer.from(value)]);
}

/** Returns CBOR of bytes, with their length in one or two bytes. */
function bytes(value: Buffer): Buffer {
  const head =
    value.length < 256 ? Buffer.of(0x58, value.length) : Buffer.of(0x59, value.length >> 8, value.length & 255);
  return Buffer.concat([head, value]);
}
