import { type Adapter, type Capability, isDuration, urgencies } from "@paraph/core";
import { z } from "zod";
import type { ChecksOptions } from "../builtin/checks/index.ts";
import { identitySchema } from "../identity/index.ts";
import { pollConfigSchema } from "../observations/index.ts";
import { presets } from "../policy/cedar/index.ts";
import { budgetsSchema } from "../services/budgets.ts";
import type { MetricsAddress } from "../telemetry/index.ts";
import { webhookSchema } from "../webhooks/index.ts";
import type { Config, WorkerAddress } from "./config.ts";
import { limitSchema } from "./limits.ts";

/** A map with one schema per key of `T`. If a key has no schema, the code does not compile. */
type Shape<T> = Readonly<Record<keyof T, z.ZodType>>;

const text = z.string().min(1);
const texts = z.array(text);
const duration = z.string().refine(isDuration, "expected a duration, such as `30s` or `24h`");
const positive = z.int().positive();

const adapter = z.custom<Adapter>(
  (value) =>
    typeof (value as Adapter | null)?.open === "function" && typeof (value as Adapter).kind === "string",
  'not an adapter. Call a factory, such as `files({ root: "." })`',
);
const capability = z.custom<Capability>(
  (value) => typeof (value as Capability | null)?.contract?.name === "string",
  "not a capability. Make it with `defineCapability({ … })`",
);

const allowList = z.strictObject({ allow: texts });
const unusual = z.strictObject({
  deviations: z.number().positive().optional(),
  upTo: z.number().min(0).optional(),
});
const model = z.union(
  [
    z.strictObject({ url: z.url({ protocol: /^https?$/ }), name: text, credential: text.optional() }),
    z.strictObject({
      provider: z.custom((value) => typeof value === "function", "a function"),
      credential: text,
    }),
  ],
  { error: "name either `url` and `name`, or `provider` and `credential`" },
);

const checks = {
  recipients: allowList,
  links: allowList,
  size: unusual,
  rate: unusual,
  model,
  concurrency: positive,
  levels: z.strictObject({ basic: texts, standard: texts, thorough: texts }).partial(),
} satisfies Shape<ChecksOptions>;

const perUrgency = <T extends z.ZodType>(value: T) =>
  z.strictObject(Object.fromEntries(urgencies.map((each) => [each, value.optional()])));

const ask = {
  expires: perUrgency(duration),
  maxDenials: positive,
  escalation: perUrgency(z.array(z.strictObject({ after: duration, to: text.optional() }))),
} satisfies Shape<NonNullable<Config["ask"]>>;

const port = z.int().min(1).max(65_535);
const worker = z
  .strictObject({
    host: text.optional(),
    port: port.optional(),
    url: z.url({ protocol: /^https?$/ }).optional(),
  } satisfies Shape<WorkerAddress>)
  .refine(({ host, url }) => url !== undefined || !/^(0\.0\.0\.0|\[?::\]?)$/.test(host ?? ""), {
    path: ["url"],
    message:
      "set the address at which the engine reaches this worker, because `host` means every address of the machine",
  });

const config = {
  mode: z.enum(["enforce", "observe"]),
  features: z.strictObject({ executor_confirm: z.boolean().optional() } satisfies Shape<
    NonNullable<Config["features"]>
  >),
  policy: z.enum(presets),
  policies: texts,
  // This schema does not check the form of the rules. `checkStart` checks it together with the other policies.
  rules: z.array(z.looseObject({})),
  limits: z.array(limitSchema),
  adapters: z.record(
    z
      .string()
      .regex(
        /^[a-z][a-z0-9_]*$/,
        "must begin with a lower-case letter and contain only lower-case letters, digits and `_`",
      ),
    adapter,
  ),
  poll: z.record(z.string(), pollConfigSchema),
  capabilities: z.array(capability),
  unattended: texts,
  checks: z.strictObject(checks).partial(),
  identity: identitySchema,
  webhooks: z.array(webhookSchema),
  worker,
  metrics: z.strictObject({
    host: text.optional(),
    port: z.int().min(0).max(65_535),
  } satisfies Shape<MetricsAddress>),
  budgets: budgetsSchema,
  ask: z.strictObject(ask).partial(),
} satisfies Shape<Config>;

/** The schema of `paraph.config.ts`. */
export const configSchema = z.strictObject(config).partial();
