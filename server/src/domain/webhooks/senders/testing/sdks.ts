import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The libraries of the senders. They are large, so they are installed only when their test runs. */
const PACKAGES = [
  "@adyen/api-library@32.1.0",
  "@contentful/node-apps-toolkit@3.16.1",
  "@hubspot/api-client@13.5.0",
  "@line/bot-sdk@11.0.0",
  "@linear/sdk@98.0.0",
  "@octokit/webhooks-methods@6.0.0",
  "@paddle/paddle-node-sdk@3.10.0",
  "@sendgrid/eventwebhook@8.0.0",
  "@shopify/shopify-api@13.1.0",
  "@workos-inc/node@8.13.0",
  "discord-interactions@4.4.0",
  "openai@6.49.0",
  "razorpay@2.9.8",
  "replicate@1.4.0",
  "sns-validator@0.3.5",
  "square@46.0.0",
  "standardwebhooks@1.1.1",
  "stripe@23.1.0",
  "svix@1.99.1",
  "twilio@6.2.0",
];

/** A module of a library. Its types are not installed with the project. */
// eslint-disable-next-line typescript/no-explicit-any -- the libraries are not dependencies, so their types are unknown
export type Sdk = any;

export interface Sdks {
  load(name: string): Promise<Sdk>;
  remove(): void;
}

/**
 * Installs the libraries into an empty directory, without running their scripts. Returns the reason if that fails.
 * `MOORING_TEST_SENDER_SDKS` names a directory where they are installed already.
 */
export function installSdks(): Sdks | string {
  const installed = process.env["MOORING_TEST_SENDER_SDKS"];
  const directory = installed ?? mkdtempSync(join(tmpdir(), "mooring-senders-"));
  const remove = (): void => {
    if (installed === undefined) rmSync(directory, { recursive: true, force: true });
  };
  try {
    writeFileSync(join(directory, "load.mjs"), "export const load = (name) => import(name);\n");
    if (installed === undefined) install(directory);
  } catch (error) {
    remove();
    return `cannot install the senders' libraries: ${(error as Error).message.split("\n")[0]}`;
  }
  return {
    load: async (name) => {
      const { load } = (await import(pathToFileURL(join(directory, "load.mjs")).href)) as {
        load: (name: string) => Promise<Readonly<Record<string, Sdk>>>;
      };
      const loaded = await load(name);
      const isWhole = Object.keys(loaded).every((key) => /^(default|module\.exports)$/.test(key));
      // eslint-disable-next-line typescript/no-unsafe-return -- the libraries are not dependencies, so their types are unknown
      return isWhole ? loaded["default"] : loaded;
    },
    remove,
  };
}

function install(directory: string): void {
  writeFileSync(join(directory, "package.json"), '{"private": true}');
  const words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...PACKAGES];
  execFileSync("npm", words, { cwd: directory, stdio: "pipe", timeout: 600_000 });
}
