/** Clients that are Python modules: a script beside this file does a step that it is told by name. */
import { fileURLToPath } from "node:url";
import { awsEnvironment, run, versionOf, type Client, type Place, type Step } from "./client.ts";

/** The interpreter whose modules are tried; CI makes one of its own. */
export const PYTHON = process.env["MOORING_TEST_PYTHON"] ?? "python3";

/** A client of `script`, with these steps; `modules` must be there, and the first one's version counts. */
export function pythonClient(
  name: string,
  script: string,
  modules: readonly string[],
  steps: readonly string[],
): Client {
  return {
    name,
    version: async () => {
      const imports = modules.map((module) => `import ${module}`).join("; ");
      const code = `${imports}; print(${modules[0]}.__version__)`;
      return versionOf(PYTHON, ["-c", code], /^(\S+)$/m);
    },
    steps: steps.map((step) => stepOf(script, step)),
  };
}

function stepOf(script: string, name: string): Step {
  return { name, run: async (place) => void (await runStep(script, name, place)) };
}

function runStep(script: string, step: string, place: Place): Promise<string> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const environment = {
    ...awsEnvironment(place),
    PYTHONDONTWRITEBYTECODE: "1",
    PYTHONIOENCODING: "utf-8",
    PLACE: JSON.stringify(place),
  };
  return run(PYTHON, [path, step], { environment, cwd: place.directory });
}
