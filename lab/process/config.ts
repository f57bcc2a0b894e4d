// The configuration of the processes that the laboratory and the tests start and kill: effects go to an oracle.
import {
  type Capability,
  type Duration,
  defineCapability,
  digest,
  type Idempotency,
  type Json,
  type Risk,
} from "@paraph/core";
import { type Config, defineConfig } from "@paraph/server";
import { z } from "zod";

const oracle = process.env.ORACLE_URL ?? "";

/** `asked.*` needs a person, `quick.*` within two seconds, `free.*` is allowed; by each kind of idempotency. */
const kinds: readonly Idempotency[] = ["natural", "keyed", "probe", "none"];

function effect(adapter: string, idempotency: Idempotency, risk: Risk = "medium"): Capability {
  const input = z.object({ name: z.string(), lock: z.string().optional() });
  return defineCapability({
    ...{
      name: `${adapter}.${idempotency}`,
      version: 1,
      summary: `An effect that is ${idempotency}`,
      effect: "write",
      idempotency,
      risk,
    },
    ...{ input, output: z.object({ done: z.boolean() }), timeout: "8s", retry: { first: "100ms" } },
    locks: ({ lock }) => (lock === undefined ? [] : [lock]),
    preview: async ({ name }, world) => {
      const { basis } = await tell("preview", { name }, world.signal);
      return { changes: [{ kind: "update", target: name }], basis };
    },
    apply: async ({ name }, world) => {
      const content = effectDigest(name, world.basis ?? null);
      await tell(
        `apply/${idempotency}`,
        { call: world.call, key: world.key, name, basis: world.basis ?? null, digest: content },
        world.signal,
      );
      return { done: true };
    },
    ...(idempotency === "probe" && {
      probe: async (_: unknown, world: { call: string; signal: AbortSignal }) => {
        const { present } = await tell("probe", { call: world.call }, world.signal);
        return present
          ? ({ kind: "present", output: { done: true } } as const)
          : ({ kind: "absent" } as const);
      },
    }),
  });
}

/** What an effect is, in the oracle's record and in the checker's reckoning. */
export function effectDigest(name: string, basis: Json): string {
  return digest({ name, basis });
}

async function tell(path: string, body: object, signal: AbortSignal) {
  const response = await fetch(`${oracle}/${path}`, { method: "POST", body: JSON.stringify(body), signal });
  if (!response.ok) throw Object.assign(new Error("the oracle refused"), { status: response.status });
  return (await response.json()) as { basis: Json; present: boolean };
}

const reading = defineCapability({
  ...{ name: "free.read", version: 1, summary: "Read a name", effect: "read", idempotency: "natural" },
  ...{ input: z.object({ name: z.string() }), output: z.object({ name: z.string() }) },
  apply: async ({ name }) => ({ name }),
});

const config: Config = defineConfig({
  capabilities: [
    ...kinds.flatMap((kind) => [effect("asked", kind), effect("free", kind)]),
    effect("quick", "keyed", "high"),
    reading,
  ],
  unattended: kinds.map((kind) => `free.${kind}`),
  ask: { expires: { normal: "10m", high: (process.env.HIGH_EXPIRES ?? "2s") as Duration } },
});

export default config;
