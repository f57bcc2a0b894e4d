// The configuration of the processes that the laboratory and the tests start and kill. Their effects go to an oracle.
import {
  type Capability,
  CapabilityError,
  checkInput,
  checkResult,
  type Duration,
  defineAdapter,
  defineCapability,
  digest,
  type Idempotency,
  type Json,
  type Risk,
  type Undo,
} from "@paraph/core";
import { type Config, defineConfig, mail, slack } from "@paraph/server";
import { z } from "zod";

const oracle = process.env.ORACLE_URL ?? "";

/**
 * The kinds of idempotency of the capabilities. Their adapter names mean:
 * - `free.*` is allowed, `asked.*` needs a person, and `quick.*` needs one within two seconds.
 * - `checked.*` needs a passed check, and `costly.*` is limited.
 * - `paired.keyed` needs two people.
 * - `renewed.keyed` needs one person, and a process may have a newer contract of it.
 * - `own.*` and `own_asked.*` are performed by the agent.
 * - `reversible.*` is allowed and can be undone.
 */
const idempotencyKinds: readonly Idempotency[] = ["natural", "keyed", "probe", "none"];
const costlyKinds: readonly Idempotency[] = ["keyed", "probe", "none"];

/** The capability for which this process has the next version of the contract, as after a deployment. */
const renewedCapability = process.env.RENEWED;

/**
 * The timeout of an attempt. A test sets a long timeout to show that Paraph notices a dead process before the attempt's
 * deadline.
 */
const attemptTimeout = (process.env.ATTEMPT_TIMEOUT ?? "8s") as `${number}s`;

function createEffect(adapter: string, idempotency: Idempotency, risk: Risk = "medium"): Capability {
  const name = `${adapter}.${idempotency}`;
  const version = name === renewedCapability ? 2 : 1;
  const input = z.object({
    name: z.string(),
    lock: z.string().optional(),
    cents: z.int().min(0).optional(),
  });
  return defineCapability({
    name,
    version,
    summary: `An effect that is ${idempotency}`,
    effect: "write",
    idempotency,
    risk,
    input,
    output: outputSchema,
    timeout: attemptTimeout,
    retry: { first: "100ms" },
    cost: ({ cents = 0 }) => cents,
    spent: ({ cents = 0 }, { spent = cents }) => spent,
    locks: ({ lock }) => (lock === undefined ? [] : [lock]),
    preview: async ({ name }, context) => {
      if (name.startsWith("unseen-")) throw new Error(`${name} cannot be looked at`);
      const { basis } = await requestOracle("preview", { name }, context.signal);
      return { changes: [{ kind: "update", target: name }], basis };
    },
    apply: async ({ name, cents }, context) => {
      if (name.startsWith("undoable-"))
        throw new CapabilityError("permanent", "undoable", `${name} cannot be done`);
      const content = effectDigest(name, context.basis ?? null);
      const { spent } = await requestOracle(
        `apply/${idempotency}`,
        {
          call: context.call,
          key: context.key,
          version,
          name,
          cents,
          basis: context.basis ?? null,
          digest: content,
        },
        context.signal,
      );
      return createOutput(spent);
    },
    ...(adapter === "reversible" && { undo: createUndo }),
    ...(idempotency === "probe" && {
      probe: async ({ name }: { name: string }, world: { call: string; signal: AbortSignal }) => {
        const { unsure, present, spent } = await requestOracle(
          "probe",
          { call: world.call, name },
          world.signal,
        );
        if (unsure) return { kind: "unsure" } as const;
        return present
          ? ({ kind: "present", output: createOutput(spent) } as const)
          : ({ kind: "absent" } as const);
      },
    }),
  });
}

/**
 * Returns the undo of an effect: another effect whose name refers to the first. The undo of `wary-…` needs a person.
 */
function createUndo({ name, lock }: { name: string; lock?: string | undefined }): Undo {
  return {
    capability: name.startsWith("wary-") ? "asked.keyed" : "free.keyed",
    input: { name: `undo-${name}`, ...(lock !== undefined && { lock }) },
  };
}

/** `spent` is the amount that the oracle charged, for a call that costs something. */
const outputSchema = z.object({ done: z.boolean(), spent: z.int().optional() });
const createOutput = (spent: number | undefined) => ({ done: true, ...(spent !== undefined && { spent }) });

/** Returns the digest of an effect, which the oracle records and the checker recomputes. */
export function effectDigest(name: string, basis: Json): string {
  return digest({ name, basis });
}

async function requestOracle(path: string, body: object, signal: AbortSignal) {
  const response = await fetch(`${oracle}/${path}`, { method: "POST", body: JSON.stringify(body), signal });
  if (!response.ok) throw Object.assign(new Error("the oracle refused"), { status: response.status });
  return (await response.json()) as { basis: Json; present: boolean; unsure?: boolean; spent?: number };
}

const readCapability = defineCapability({
  name: "free.read",
  version: 1,
  summary: "Read a name",
  effect: "read",
  idempotency: "natural",
  input: z.object({ name: z.string() }),
  output: z.object({ name: z.string() }),
  apply: async ({ name }) => ({ name }),
});

/** Creates a capability that the agent performs itself and reports within five seconds. */
function createAgentCapability(name: string): Capability {
  return defineCapability({
    name,
    version: 1,
    summary: "An effect of the agent's own",
    performer: "agent",
    effect: "write",
    idempotency: "none",
    input: z.object({ name: z.string() }),
    output: outputSchema,
    timeout: "5s",
    preview: async ({ name }, context) => {
      const { basis } = await requestOracle("preview", { name }, context.signal);
      return { changes: [{ kind: "other", target: name }], basis };
    },
  });
}

/** A check that passes by default. It fails for `bad-…`, and throws an error for `broken-…`. */
const checkCapability = defineCapability({
  name: "lab.look",
  version: 1,
  summary: "Look at the name",
  effect: "read",
  idempotency: "natural",
  input: checkInput,
  output: checkResult,
  apply: async ({ input }) => {
    const { name } = input as { name: string };
    if (name.startsWith("broken-")) throw new Error(`${name} cannot be checked`);
    const bad = name.startsWith("bad-");
    return { passed: !bad, findings: bad ? [{ code: "bad-name", sentence: `${name} is a bad name.` }] : [] };
  },
});

/**
 * An adapter that observes every effect at the oracle, three at a time. The checker compares these observations with
 * the effects.
 */
const listenerAdapter = defineAdapter({
  kind: "ear",
  config: z.strictObject({}),
  open: () => ({
    capabilities: async () => [],
    observe: async (cursor, { signal }) => {
      const after = Number(cursor ?? 0);
      const response = await fetch(`${oracle}/heard`, {
        method: "POST",
        body: JSON.stringify({ after }),
        signal,
      });
      const { heard, last } = (await response.json()) as {
        heard: readonly { call: string; digest: string }[];
        last: number;
      };
      const observations = heard.map(({ call, digest }, n) => ({
        id: String(after + n),
        kind: "effect.heard",
        subject: call,
        data: { digest },
      }));
      const next = after + heard.length;
      return { observations, cursor: String(next), more: next < last };
    },
  }),
});

/** A limit that the experiment about limits passes to its processes. */
export type LabLimitRule = NonNullable<Config["limits"]>[number];

/** A limit that other experiments never reach. With it, costly calls still go through every kind of limit. */
const wideLimit: LabLimitRule = {
  name: "roomy",
  per: "principal",
  capability: "costly.*",
  window: "30d",
  calls: 1_000_000,
  money: 1_000_000_000,
  concurrency: 1_000,
};

const shortExpiry = "2s";
const highExpires = (process.env.HIGH_EXPIRES ?? shortExpiry) as Duration;

const mailOptions = {
  from: "paraph@lab.test",
  smtp: { url: process.env.MAIL_URL ?? "" },
  maxPerMinute: Number(process.env.MAIL_PER_MINUTE ?? 1_000),
};
/** Creates the mail channel with an inbox for replies, in the experiment that has one. */
const inbox =
  process.env.IMAP_URL === undefined ? undefined : (await import("./inbox.ts")).createMailWithInbox;

const config: Config = defineConfig({
  capabilities: [
    ...idempotencyKinds.flatMap((kind) =>
      ["asked", "free", "reversible"].map((adapter) => createEffect(adapter, kind)),
    ),
    ...costlyKinds.map((kind) => createEffect("costly", kind)),
    ...["checked", "paired", "renewed"].map((adapter) => createEffect(adapter, "keyed")),
    createEffect("quick", "keyed", "high"),
    ...(inbox ? [createEffect("mailed", "keyed")] : []),
    ...[
      readCapability,
      checkCapability,
      createAgentCapability("own.none"),
      createAgentCapability("own_asked.none"),
    ],
  ],
  unattended: [
    ...idempotencyKinds.flatMap((kind) => [`free.${kind}`, `reversible.${kind}`]),
    ...costlyKinds.map((kind) => `costly.${kind}`),
    "checked.keyed",
    "own.none",
    ...(inbox ? ["mailed.keyed"] : []),
  ],
  rules: [
    { capability: "checked.*", check: ["lab.look"] },
    { capability: "free.natural", ask: true, shadow: true },
    { capability: "paired.*", ask: true, people: 2 },
    ...(inbox ? [{ capability: "mailed.keyed", ask: true, reply: "approve" } as const] : []),
  ],
  limits: process.env.LIMITS === undefined ? [wideLimit] : JSON.parse(process.env.LIMITS),
  ask: {
    expires: { normal: (process.env.NORMAL_EXPIRES ?? "10m") as Duration, high: highExpires },
    escalation: {
      ...(highExpires === shortExpiry && {
        high: [{ after: "500ms" }, { after: "1s", to: "leads" }] as const,
      }),
      // An experiment with mails and a test with Slack move the clock past these times.
      ...((process.env.MAIL_URL ?? process.env.SLACK_URL) !== undefined && {
        normal: [{ after: "2m" }, { after: "4m", to: "leads" }] as const,
      }),
    },
  },
  ...(process.env.OBSERVE !== undefined && {
    adapters: { ear: listenerAdapter({}) },
    poll: { ear: { every: "1s", patience: "1s", tenants: ["acme"] } },
  }),
  ...(process.env.HOOK_URL !== undefined && {
    webhooks: [{ url: process.env.HOOK_URL, secret: "hook", allowLoopback: true }],
  }),
  ...(process.env.MAIL_URL !== undefined && {
    identity: { url: "https://paraph.lab.test" },
    channels: [inbox ? inbox(mailOptions) : mail(mailOptions)],
  }),
  ...(process.env.SLACK_URL !== undefined && {
    identity: { url: "https://paraph.lab.test" },
    channels: [
      slack({
        ...{ secret: "slack-bot", appSecret: "slack-app", url: process.env.SLACK_URL },
        ...{ channel: "C01LAB", tenant: "acme" },
      }),
    ],
  }),
});

export default config;
