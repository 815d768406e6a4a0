/** A sender that runs as a separate program: it gets lines, and answers each with a line. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface LineProgram {
  /** Writes a line, and resolves with the program's next answer. @throws Error with its output when it ends */
  send(line: string): Promise<string>;
  end(): Promise<void>;
}

const ANSWER_DEADLINE_MS = 60_000;

export function startProgram(
  [command = "", ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): LineProgram {
  const path = process.env["PATH"] ?? "/usr/bin:/bin";
  const child = spawn(command, args, { env: { PATH: path, LC_ALL: "C.UTF-8", ...environment } });
  const waiting: { resolve(line: string): void; reject(error: Error): void }[] = [];
  let errors = "";
  const fail = (reason: string): void => {
    for (const each of waiting.splice(0)) each.reject(new Error(`${command}: ${reason}\n${errors}`));
  };
  child.stdin.on("error", () => {}); // The program has ended, which its exit reports.
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.resolve(line));
  const exited = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      fail(error.message);
      resolve();
    });
    child.once("close", (code) => {
      fail(`ended with ${code}`);
      resolve();
    });
  });
  return {
    send: async (line) => {
      const timer = setTimeout(() => fail("did not answer in time"), ANSWER_DEADLINE_MS);
      const answer = new Promise<string>((resolve, reject) => void waiting.push({ resolve, reject }));
      child.stdin.write(`${line}\n`);
      try {
        return await answer;
      } finally {
        clearTimeout(timer);
      }
    },
    end: async () => {
      child.stdin.end();
      const timer = setTimeout(() => child.kill("SIGKILL"), ANSWER_DEADLINE_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}
