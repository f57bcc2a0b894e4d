import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ExecutionContext, Progress } from "@paraph/core";
import { createKeyPair } from "@paraph/sdk/serve";
import { expect, it } from "vitest";
import { sourceEnvironment } from "../../test/support/servers/source-environment.ts";

const script = fileURLToPath(new URL("./main.ts", import.meta.url));

it("the example's configuration connects Paraph to the example's service, which previews and performs a refund", async () => {
  const [paraph, billing] = await Promise.all([createKeyPair(), createKeyPair()]);
  const keys = { BILLING_KEY: billing.privateKey, PARAPH_PUBLIC_KEY: paraph.publicKey };
  const service = spawn(process.execPath, ["--conditions=paraph-source", "--no-warnings", script], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...sourceEnvironment, ...keys, PORT: "0" },
  });
  const ended = once(service, "exit");
  try {
    const [line] = await once(createInterface(service.stdout), "line");
    const { url, publicKey } = JSON.parse(line);
    Object.assign(process.env, { BILLING_URL: url, BILLING_PUBLIC_KEY: publicKey });
    const { default: config } = await import("./paraph.config.ts");
    const open = await config.adapters!.billing!.open({
      name: "billing",
      folder: ".",
      announceChange: () => {},
      signal: AbortSignal.timeout(120_000),
      credential: async () => paraph.privateKey,
    });
    const [refund] = await open.capabilities();
    const said: Progress[] = [];
    const input = { payment: "pay_8Zk2", cents: 500 };
    expect(refund!.locks(input)).toEqual(["billing:payment:pay_8Zk2"]);
    expect(await refund!.preview!(input, world(said))).toMatchObject({
      changes: [{ summary: "Refund 500 of 1250 cents" }],
    });
    const first = await refund!.apply(input, world(said));
    expect(first).toEqual({ refund: "refund-1-of-pay_8Zk2" });
    expect(await refund!.apply(input, world(said))).toEqual(first);
    expect(said[0]).toEqual({ message: "asking the bank", fraction: 0.5 });
    await open.close?.();
  } finally {
    service.kill();
    await ended;
  }
});

function world(said: Progress[]): ExecutionContext {
  return {
    tenant: "acme",
    principal: { tenant: "acme", id: "agent", kind: "agent" },
    approvers: [],
    call: "call-1",
    key: "call-1",
    attempt: 1,
    basis: undefined,
    signal: AbortSignal.timeout(120_000),
    credential: async () => "",
    progress: (each) => said.push(each),
  };
}
