import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineCapability } from "@paraph/core";
import { z } from "zod";
import {
  createRemoteFixture,
  createTestContext,
  findServedCapability,
  openRemote,
} from "../../packages/adapters/src/remote/testing/fixture.ts";
import { startImpostor } from "../../packages/adapters/src/remote/testing/impostor.ts";
import type { InjectionStage, InjectionTarget } from "./target.ts";

const contractTerms = {
  version: 1,
  effect: "write",
  idempotency: "none",
  output: z.object({ value: z.string() }),
} as const;

/** Tries hostile values as inputs and lock keys. The service must receive exactly the value that the agent sent. */
const inputTarget: InjectionTarget = {
  name: "serve: an input and its lock",
  share: 20,
  async prepare(): Promise<InjectionStage> {
    // Stores each arrived value under the key of its call, because several calls run concurrently.
    const arrived = new Map<string, string>();
    const name = "shop.order";
    const input = z.object({ value: z.string() });
    const order = defineCapability({
      ...contractTerms,
      name,
      summary: "Order",
      input,
      locks: ({ value }) => [`value:${value}`],
      apply: async ({ value }, { key }) => {
        arrived.set(key, value);
        return { value };
      },
    });
    const fixture = await createRemoteFixture({
      capabilities: [{ capability: order, locks: ["value:{value}"] }],
    });
    const capability = await fixture.capability(name);
    const wrong: string[] = [];
    let reached = 0;
    return {
      async put(value) {
        const parsed = capability.parseInput({ value });
        if (parsed.kind === "invalid") return;
        const call = randomUUID();
        try {
          const [key] = capability.locks(parsed.value);
          const output = (await capability.apply(parsed.value, createTestContext({ call }))) as {
            value: string;
          };
          if (key !== `shop:value:${value}`) wrong.push("another key was locked");
          if (output.value !== value) wrong.push("another value came back");
        } catch {
          // Paraph may reject the value. For example, a lone surrogate has no encoding in UTF-8.
        }
        if (!arrived.has(call)) return;
        reached += 1;
        if (arrived.get(call) !== value) wrong.push("another value arrived at the service");
      },
      escapes: async () => wrong.splice(0),
      reached: () => reached,
      close: async () => fixture[Symbol.asyncDispose](),
    };
  },
};

/**
 * Tries hostile values in the responses of a service. No header or body may make Paraph send a request to another host.
 */
const answerTarget: InjectionTarget = {
  name: "serve: what a service answers",
  share: 10,
  async prepare(): Promise<InjectionStage> {
    let visits = 0;
    const elsewhere = createServer((_, response) => {
      visits += 1;
      response.end();
    }).listen(0, "127.0.0.1");
    await once(elsewhere, "listening");
    const forbidden = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    const { contract } = defineCapability({
      ...contractTerms,
      name: "shop.order",
      summary: "Order",
      input: z.object({}),
      apply: async () => ({ value: "" }),
    });
    let said = "";
    const service = await startImpostor([{ contract }], async ({ response, sign }) => {
      const header = encodeURI(said.toWellFormed()).slice(0, 2_000);
      response.statusCode = said.length % 2 === 0 ? 307 : 200;
      response.setHeader("location", said.length % 4 === 0 ? `${forbidden}/${header}` : header);
      response.setHeader("refresh", `0; url=${forbidden}`);
      const undo = { capability: said.toWellFormed().slice(0, 1_000), input: { url: forbidden } };
      const effect = { output: { value: said.toWellFormed() }, undo };
      response.end(said.length % 3 === 0 ? said : await sign({ kind: "applied", effect }));
    });
    const { open } = await openRemote({ url: service.url });
    const capability = findServedCapability(await open.capabilities(), "shop.order");
    return {
      async put(value) {
        said = value;
        await capability.apply({}, createTestContext()).catch(() => {});
      },
      async escapes() {
        return visits === 0 ? [] : [`another server was asked ${visits} times`];
      },
      reached: () => service.operations.filter((operation) => operation === "apply").length,
      async close() {
        await open.close?.();
        await service[Symbol.asyncDispose]();
        elsewhere.close();
        await once(elsewhere, "close");
      },
    };
  },
};

export const remoteTargets: readonly InjectionTarget[] = [inputTarget, answerTarget];
