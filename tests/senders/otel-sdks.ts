/** OpenTelemetry's SDKs, each as a program that sends when it gets a line. */
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "../loggers/logger.ts";
import { startProgram, type LineProgram } from "./line-program.ts";

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

/** Starts an SDK that is configured by lines for a shell, which are saved to a file. */
export function startSdk(
  command: readonly string[],
  { name, file, lines }: { name: string; file: string; lines: string },
): LineProgram {
  writeFileSync(file, lines);
  // Milliseconds. Go's first retry is after 2.5 to 7.5 s, and its second one may be after its default limit of 10 s.
  const timeout: Record<string, string> = name === "Go" ? { OTEL_EXPORTER_OTLP_TIMEOUT: "30000" } : {};
  const environment = { OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test", ...timeout };
  return startProgram(["bash", "-c", '. "$0" && exec "$@"', file, ...command], environment);
}
