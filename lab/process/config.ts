// The configuration of the processes that the laboratory and the tests start and kill: effects go to an oracle.
import {
  type Capability,
  checkInput,
  checkResult,
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

/**
 * `asked.*` needs a person, `quick.*` within two seconds, `free.*` is allowed, `checked.*` where a check passes, `costly.*`
 * within limits; by each kind of idempotency.
 */
const kinds: readonly Idempotency[] = ["natural", "keyed", "probe", "none"];
const costly: readonly Idempotency[] = ["keyed", "probe", "none"];

function effect(adapter: string, idempotency: Idempotency, risk: Risk = "medium"): Capability {
  const input = z.object({
    name: z.string(),
    lock: z.string().optional(),
    cents: z.int().min(0).optional(),
  });
  return defineCapability({
    ...{
      name: `${adapter}.${idempotency}`,
      version: 1,
      summary: `An effect that is ${idempotency}`,
      effect: "write",
      idempotency,
      risk,
    },
    ...{ input, output: done, timeout: "8s", retry: { first: "100ms" } },
    cost: ({ cents = 0 }) => cents,
    spent: ({ cents = 0 }, { spent = cents }) => spent,
    locks: ({ lock }) => (lock === undefined ? [] : [lock]),
    preview: async ({ name }, world) => {
      if (name.startsWith("unseen-")) throw new Error(`${name} cannot be looked at`);
      const { basis } = await tell("preview", { name }, world.signal);
      return { changes: [{ kind: "update", target: name }], basis };
    },
    apply: async ({ name, cents }, world) => {
      if (name.startsWith("undoable-")) throw new Error(`${name} cannot be done`);
      const content = effectDigest(name, world.basis ?? null);
      const { spent } = await tell(
        `apply/${idempotency}`,
        { call: world.call, key: world.key, name, cents, basis: world.basis ?? null, digest: content },
        world.signal,
      );
      return doneFor(spent);
    },
    ...(idempotency === "probe" && {
      probe: async (_: unknown, world: { call: string; signal: AbortSignal }) => {
        const { present, spent } = await tell("probe", { call: world.call }, world.signal);
        return present
          ? ({ kind: "present", output: doneFor(spent) } as const)
          : ({ kind: "absent" } as const);
      },
    }),
  });
}

/** `spent`: what the outside took, of a call that costs something. */
const done = z.object({ done: z.boolean(), spent: z.int().optional() });
const doneFor = (spent: number | undefined) => ({ done: true, ...(spent !== undefined && { spent }) });

/** What an effect is, in the oracle's record and in the checker's reckoning. */
export function effectDigest(name: string, basis: Json): string {
  return digest({ name, basis });
}

async function tell(path: string, body: object, signal: AbortSignal) {
  const response = await fetch(`${oracle}/${path}`, { method: "POST", body: JSON.stringify(body), signal });
  if (!response.ok) throw Object.assign(new Error("the oracle refused"), { status: response.status });
  return (await response.json()) as { basis: Json; present: boolean; spent?: number };
}

const reading = defineCapability({
  ...{ name: "free.read", version: 1, summary: "Read a name", effect: "read", idempotency: "natural" },
  ...{ input: z.object({ name: z.string() }), output: z.object({ name: z.string() }) },
  apply: async ({ name }) => ({ name }),
});

/** Passes, unless the name says otherwise: `bad-…` fails, `broken-…` cannot be checked at all. */
const looking = defineCapability({
  ...{ name: "lab.look", version: 1, summary: "Look at the name", effect: "read", idempotency: "natural" },
  ...{ input: checkInput, output: checkResult },
  apply: async ({ input }) => {
    const { name } = input as { name: string };
    if (name.startsWith("broken-")) throw new Error(`${name} cannot be checked`);
    const bad = name.startsWith("bad-");
    return { passed: !bad, findings: bad ? [{ code: "bad-name", sentence: `${name} is a bad name.` }] : [] };
  },
});

/** A limit, as a run that is about limits hands it to its processes. */
export type LimitRule = NonNullable<Config["limits"]>[number];

/** Wide enough for any run that is not about limits: what costs passes every kind of them all the same. */
const roomy: LimitRule = {
  ...{ name: "roomy", per: "principal", capability: "costly.*", window: "30d" },
  ...{ calls: 1_000_000, money: 1_000_000_000, concurrency: 1_000 },
};

const config: Config = defineConfig({
  capabilities: [
    ...kinds.flatMap((kind) => [effect("asked", kind), effect("free", kind)]),
    ...costly.map((kind) => effect("costly", kind)),
    effect("checked", "keyed"),
    effect("quick", "keyed", "high"),
    ...[reading, looking],
  ],
  unattended: [
    ...kinds.map((kind) => `free.${kind}`),
    ...costly.map((kind) => `costly.${kind}`),
    "checked.keyed",
  ],
  rules: [
    { capability: "checked.*", check: ["lab.look"] },
    { capability: "free.natural", ask: true, shadow: true },
  ],
  limits: process.env.LIMITS === undefined ? [roomy] : JSON.parse(process.env.LIMITS),
  ask: { expires: { normal: "10m", high: (process.env.HIGH_EXPIRES ?? "2s") as Duration } },
});

export default config;
