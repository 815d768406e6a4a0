/** Loki's push: the transports of pino, winston and Python's logging, with the configurations that the portal shows. */
import { test } from "node:test";
import { configurationOf, replaced, startModule, startScript } from "./agents.ts";
import { sendOverKill } from "./over-kill.ts";
import { missingPackage, missingPython } from "./packages.ts";
import { useSenders } from "./place.ts";

const place = useSenders();

test("pino-loki", { skip: missingPackage("pino-loki") }, async () => {
  const text = configurationOf("pino-loki", place, "pino-shop");
  const program = startModule(text, "logger.error({ order: 7 }, message);", place.directory);
  const values = { level: "error", service: "pino-shop", "attributes->>'order'": "7" };
  await sendOverKill(place, [{ ...program, name: "by pino", keeps: "nothing", values }]);
});

test("winston-loki, as JSON and as protobuf", { skip: missingPackage("winston-loki") }, async () => {
  const json = configurationOf("winston-loki", place, "winston-shop");
  const forms = {
    "by winston as JSON": json,
    "by winston as protobuf": replaced(json, { "json: true": "json: false" }),
  };
  const values = { level: "warn", service: "winston-shop", "attributes->>'order'": "8" };
  const senders = Object.entries(forms).map(([name, text]) => {
    const program = startModule(text, "logger.warn(message, { order: 8 });", place.directory);
    return { ...program, name, keeps: "confirmed", values } as const;
  });
  await sendOverKill(place, senders);
});

test("python-logging-loki, in its newer and its older form", { skip: missingPython("logging_loki") }, async () => {
  const newer = configurationOf("python-loki", place, "python-shop");
  const forms = { "newer Python": newer, "older Python": replaced(newer, { 'version="1"': 'version="0"' }) };
  const senders = Object.entries(forms).map(([name, text]) => {
    const program = startScript(text, `logger.error("%s", message)`, place.directory);
    const values = { level: "error", service: "python-shop", "attributes->>'logger'": "python-shop" };
    return { ...program, name, keeps: "nothing", values } as const;
  });
  await sendOverKill(place, senders);
});
