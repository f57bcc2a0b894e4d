import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { defineCapability } from "@paraph/core";
import { expect, it } from "vitest";
import { z } from "zod";
import { defineConfig } from "../../../server/src/config/config.ts";
import { remote } from "./index.ts";
import {
  createAdapterContext,
  createKeyPair,
  createTestContext,
  findServedCapability,
  keyPairs,
  serve,
} from "./testing/fixture.ts";

const guide = readFileSync(new URL("../../../../docs/adapters/serve.md", import.meta.url), "utf8");

/** Runs an example of the page with its imports. Returns the printed values and the value of one variable. */
async function run(
  name: string,
  given: Record<string, unknown>,
  leaves: string,
): Promise<{ printed: unknown[]; left: never }> {
  const block = new RegExp(`<!-- test: ${name} -->\n\`\`\`ts\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? "";
  const code = stripTypeScriptTypes(block.replaceAll(/^import .*$/gm, "")).replace(
    "export default",
    "const config =",
  );
  const printed: unknown[] = [];
  const surroundings = { ...given, console: { log: (...line: unknown[]) => printed.push(...line) } };
  const example = new Function(
    ...Object.keys(surroundings),
    `return (async () => {${code}\nreturn ${leaves}})()`,
  );
  return { left: (await example(...Object.values(surroundings))) as never, printed };
}

it("the page's example service answers calls through the page's example configuration", async () => {
  const env = { BILLING_KEY: keyPairs.service.privateKey, PARAPH_PUBLIC_KEY: keyPairs.paraph.publicKey };
  // Uses any free port, because the port on the page may be in use.
  const serveAnywhere: typeof serve = (options) => serve({ ...options, port: 0 });
  const { left, printed } = await run(
    "service",
    { defineCapability, z, serve: serveAnywhere, process: { env } },
    "service",
  );
  const { url, digest, stop } = left as Awaited<ReturnType<typeof serve>>;
  expect(printed).toEqual([url, digest]);
  const here: typeof remote = (configured) =>
    remote({ ...configured, url, service: keyPairs.service.publicKey, digest });
  const { left: config } = await run("config", { defineConfig, remote: here }, "config");
  const { adapters } = config as ReturnType<typeof defineConfig>;
  const open = await adapters!.billing!.open({ ...createAdapterContext(), name: "billing" });
  const refund = findServedCapability(await open.capabilities(), "billing.refund");
  const input = { payment: "p1", cents: 5 };
  expect([refund.locks(input), refund.cost?.(input)]).toEqual([["billing:payment:p1"], 5]);
  const output = { refund: "p1/call" };
  expect(await refund.apply(input, createTestContext({ call: "call" }))).toEqual(output);
  expect(refund.undo?.(input, output)).toEqual({
    capability: "billing.take_back",
    input: { refund: "p1/call" },
  });
  await open.close?.();
  await stop();
});

it("the page's example configuration opens without changes", async () => {
  const { left } = await run("config", { defineConfig, remote }, "config");
  const { adapters } = left as ReturnType<typeof defineConfig>;
  const open = await adapters!.billing!.open({ ...createAdapterContext(), name: "billing" });
  await open.close?.();
});

it("the page's example creates a valid key pair", async () => {
  const { printed } = await run("keys", { createKeyPair }, "undefined");
  expect(printed).toEqual([
    { privateKey: expect.any(String), publicKey: expect.stringMatching(/^[\w-]{43}$/) },
  ]);
});

it("every fault code on the page occurs in the source code", () => {
  const sources = [
    "./service-fault.ts",
    "./connection.ts",
    "./discovery.ts",
    "../../../sdk/src/serve/perform-operation.ts",
  ]
    .concat(["../../../sdk/src/serve/handler.ts", "../../../sdk/src/serve/replay-protection.ts"])
    .map((file) => readFileSync(new URL(file, import.meta.url), "utf8"))
    .join("\n");
  const table = guide.slice(
    guide.indexOf("## When something goes wrong"),
    guide.indexOf("## What it will not do"),
  );
  const codes = [...table.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, code]) => code!);
  expect(codes.length).toBeGreaterThan(9);
  expect(codes.filter((code) => !sources.includes(`"${code}"`))).toEqual([]);
});
