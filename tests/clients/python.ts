/** Clients that are Python modules. A script beside this file runs their steps, all in one process. */
import { fileURLToPath } from "node:url";
import { awsEnvironment, run, versionOf, type Client, type Place } from "./client.ts";

/** The interpreter whose modules are used. CI creates a separate environment. */
export const PYTHON = process.env["MOORING_TEST_PYTHON"] ?? "python3";

/** The result of each step, by its name; null if it passed. */
type Outcomes = Readonly<Record<string, string | null>>;

/** Returns a client of `script` with these steps. `modules` must be installed; the first one's version is reported. */
export function pythonClient(
  name: string,
  script: string,
  modules: readonly string[],
  steps: readonly string[],
): Client {
  const runs = new WeakMap<Place, Promise<Outcomes>>();
  const outcomesAt = (place: Place): Promise<Outcomes> => {
    const begun = runs.get(place) ?? runScript(script, steps, place);
    runs.set(place, begun);
    return begun;
  };
  return {
    name,
    version: async () => {
      const imports = modules.map((module) => `import ${module}`).join("; ");
      const code = `${imports}; print(${modules[0]}.__version__)`;
      return versionOf(PYTHON, ["-c", code], /^(\S+)$/m);
    },
    steps: steps.map((step) => ({
      name: step,
      run: async (place) => {
        const failure = (await outcomesAt(place))[step];
        if (failure !== null) throw new Error(failure ?? "the script does not know this step");
      },
    })),
  };
}

async function runScript(script: string, steps: readonly string[], place: Place): Promise<Outcomes> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const environment = {
    ...awsEnvironment(place),
    PYTHONDONTWRITEBYTECODE: "1",
    PYTHONIOENCODING: "utf-8",
    PLACE: JSON.stringify(place),
  };
  return JSON.parse(await run(PYTHON, [path, ...steps], { environment, cwd: place.directory })) as Outcomes;
}
