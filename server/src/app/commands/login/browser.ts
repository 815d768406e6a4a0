import { spawn } from "node:child_process";
import { processEnvironment } from "../../config.ts";

/** The program that opens an address, by platform. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Opens an address in the person's browser: `$BROWSER`, or the platform's program. No shell sees the address. Returns
 * false if no program starts.
 */
export function openBrowser(address: string): Promise<boolean> {
  const { BROWSER: chosen } = processEnvironment();
  const words = chosen === undefined || chosen === "" ? (OPENERS[process.platform] ?? ["xdg-open"]) : [chosen];
  const [program = "", ...first] = words;
  return new Promise((resolve) => {
    const child = spawn(program, [...first, address], { stdio: "ignore", detached: true });
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
    child.once("error", () => resolve(false));
  });
}
