import Type from "typebox";

const KEY = Type.Union([Type.Null(), Type.String({ pattern: "^([0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$" })]);

/** The key that wraps the key ring. */
export const MASTER_KEY_SETTINGS = {
  master_key: {
    schema: KEY,
    default: null,
    form: "32 bytes in hex (64 digits) or base64 (43 or 44 characters); openssl rand -base64 32 creates one",
    description: "key that protects every stored secret; without it, the file master.key",
    secret: true,
  },
  master_key_previous: {
    schema: KEY,
    default: null,
    form: "32 bytes in hex (64 digits) or base64 (43 or 44 characters)",
    description: "the former master key, while mooring master-key rotate replaces it",
    secret: true,
  },
  master_key_command: {
    schema: Type.Union([Type.Null(), Type.String({ minLength: 1 })]),
    default: null,
    form: "path of a program",
    description: "program that wraps keys with a key service, instead of a master key of this server",
  },
} as const;
