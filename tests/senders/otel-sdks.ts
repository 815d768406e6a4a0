/** OpenTelemetry's SDKs, each as a program that sends when it gets a line. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "../loggers/logger.ts";

const programs = fileURLToPath(new URL("programs/", import.meta.url));

export interface Sdk {
  readonly name: string;
  /** Installs it. Returns the command. @throws Error when it is not available */
  prepare(home: string): Promise<readonly string[]>;
}

export const SDKS: readonly Sdk[] = [
  {
    name: "Python",
    prepare: async (home) => {
      await install("python3", ["-m", "venv", home], home);
      const interpreter = join(home, "bin/python");
      const quiet = ["-q", "--disable-pip-version-check"];
      await install(interpreter, ["-m", "pip", "install", ...quiet, "-r", join(programs, "requirements.txt")], home);
      return [interpreter, join(programs, "otel.py")];
    },
  },
  {
    name: "Go",
    prepare: async (home) => {
      cpSync(join(programs, "otel-go"), home, { recursive: true });
      await install("go", ["build", "-o", "sender", "."], home);
      return [join(home, "sender")];
    },
  },
];

/** Returns the environment that configures an SDK, and nothing else does. */
export function environmentOf(
  name: string,
  { protocol, endpoint, compression, key }: { protocol: string; endpoint: string; compression: string; key: string },
): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    // Python's exporter for gRPC knows no name for none.
    ...(compression === "none" ? {} : { OTEL_EXPORTER_OTLP_COMPRESSION: compression }),
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${key}`,
    // Milliseconds. Go's first retry is after 2.5 to 7.5 s, and its second one may be after its default limit of 10 s.
    ...(name === "Go" ? { OTEL_EXPORTER_OTLP_TIMEOUT: "30000" } : {}),
    OTEL_SERVICE_NAME: `shop-${name}`,
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  };
}
