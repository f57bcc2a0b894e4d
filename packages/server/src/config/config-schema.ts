import { z } from "zod";
import { identitySchema } from "../identity/index.ts";
import type { IntentsOptions } from "../intents/intent-model.ts";
import { pollConfigSchema } from "../observations/index.ts";
import { presets } from "../policy/cedar/index.ts";
import { budgetsSchema } from "../services/budgets.ts";
import { vaultSchema } from "../vault/index.ts";
import { webhookSchema } from "../webhooks/index.ts";
import { ask } from "./ask-schema.ts";
import { checks, model } from "./checks-schema.ts";
import { adapter, capability, channel } from "./component-schemas.ts";
import type { Config } from "./config.ts";
import { limitSchema } from "./limits.ts";
import { http, metrics, worker } from "./listen-schemas.ts";
import { type Shape, texts } from "./schema-parts.ts";

// The descriptions and examples become docs/reference/configuration.md. Descriptions state defaults as `(default: …)`.
const config = {
  mode: z.enum(["enforce", "observe"]).meta({
    description:
      "Whether rulings apply (default: `enforce`). With `observe`, Paraph rules on every call and records the ruling, but stops no call.",
    example: 'mode: "observe",',
  }),
  features: z
    .strictObject({
      executor_confirm: z
        .boolean()
        .optional()
        .describe(
          "Whether a change by an agent or a service needs an approval or a policy that permits unattended use (default: true). Without either, Paraph refuses the change.",
        ),
    } satisfies Shape<NonNullable<Config["features"]>>)
    .meta({
      description: "Switches for single rules of the pipeline.",
      example: "features: { executor_confirm: true },",
    }),
  policy: z.enum(presets).meta({
    description: "The preset of built-in policies (default: `balanced`). `policies` and `rules` add to it.",
    example: 'policy: "strict",',
  }),
  policies: texts.meta({
    description: "Cedar files, relative to the configuration (default: every `policies/*.cedar`).",
    example: 'policies: ["policies/finance.cedar", "policies/deploys.cedar"],',
  }),
  // This schema does not check the form of the rules. `checkStart` checks it together with the other policies.
  rules: z.array(z.looseObject({})).meta({
    description: "Rules in the short form, compiled to Cedar. `paraph policy eject` shows the result.",
    example: `rules: [
  { capability: "billing.refund", when: { "input.cents": { over: 100_000 } }, ask: "finance", people: 2 },
  { capability: "billing.refund", when: { "input.cents": { under: 2_000 } }, for: { group: "finance-bots" }, allow: "unattended" },
  { capability: "deploy.*", when: { "env.hour": { under: 7 } }, ask: true, urgency: "high", deadline: "30m", proof: "passkey" },
  { capability: "billing.refund", when: { "input.cents": { under: 5000 } }, ask: "finance", reply: "approve" },
  { capability: "docs.write", when: { "input.path": { startsWith: "public/" } }, ask: true, shadow: true },
  { capability: "mail.send", when: { "input.list": { is: "all" } }, check: ["check.recipients"], onFail: "ask" },
  { adapter: "crm", risk: "high", for: { principal: "importer" }, check: "standard" },
  { capability: "dns.update", when: { "input.zone": { oneOf: ["prod", "mail"] } }, block: true },
  { effect: "destroy", for: { kind: "agent" }, block: true, sentence: "Agents delete nothing." },
],`,
  }),
  limits: z.array(limitSchema).meta({
    description: "Limits on calls, money and concurrency. PostgreSQL counts them for the whole deployment.",
    example: `limits: [
  { per: "principal", calls: 100, window: "1h" },
  { per: "tenant", capability: "billing.*", money: 500_000, window: "24h", name: "refunds-per-day" },
  { per: "use", principal: "importer", concurrency: 2 },
],`,
  }),
  adapters: z
    .record(
      z
        .string()
        .regex(
          /^[a-z][a-z0-9_]*$/,
          "must begin with a lower-case letter and contain only lower-case letters, digits and `_`",
        ),
      adapter.meta({ typeName: "Adapter" }),
    )
    .meta({
      description:
        "The sources of capabilities, by name. The names of an adapter's capabilities begin with this name.",
      example: `import { defineConfig, files } from "paraph";

export default defineConfig({
  adapters: { docs: files({ root: "./docs" }) }, // docs.read, docs.write …
});`,
    }),
  poll: z.record(z.string(), pollConfigSchema).meta({
    description: "The adapters to poll for observations, by their name in `adapters`.",
    example: `import { defineConfig, files } from "paraph";

export default defineConfig({
  adapters: { docs: files({ root: "./docs" }) },
  poll: { docs: { every: "1m", keep: "7d", patience: "10s", tenants: ["acme"] } },
});`,
  }),
  capabilities: z.array(capability.meta({ typeName: "Capability" })).meta({
    description: "Your own capabilities, made with `defineCapability`.",
    example: `import { defineCapability, defineConfig } from "paraph";
import { z } from "zod";

const roll = defineCapability({
  name: "dice.roll",
  version: 1,
  summary: "Roll a die",
  effect: "read",
  idempotency: "natural",
  input: z.object({ sides: z.int().min(2) }),
  output: z.object({ result: z.int() }),
  timeout: "5s",
  apply: async ({ sides }) => ({ result: 1 + Math.floor(Math.random() * sides) }),
});

export default defineConfig({ capabilities: [roll] });`,
  }),
  unattended: texts.meta({
    description: "The names of medium-risk writes that agents may make without an approval (default: none).",
    example: 'unattended: ["files.write"],',
  }),
  checks: z
    .strictObject(checks)
    .partial()
    .meta({
      description: "The options of the built-in checks, and the checks of each level.",
      example: `checks: {
  recipients: { allow: ["@example.com"] },
  links: { allow: ["example.com", "*.docs.example.com"] },
  size: { deviations: 6, upTo: 1_024 },
  rate: { deviations: 6, upTo: 10 },
  // Or { provider: (key) => createOpenAI({ apiKey: key })("…"), credential: "MODEL_KEY" }.
  model: { url: "https://models.example.com/v1", name: "small", credential: "MODEL_KEY" },
  concurrency: 4,
  levels: {
    basic: ["check.secrets"],
    standard: ["check.secrets", "check.links"],
    thorough: ["check.secrets", "check.links", "check.review"],
  },
},`,
    }),
  intents: z
    .strictObject({
      model: model
        .optional()
        .describe(
          "The model for words that the grammar does not understand. It never reads quoted text (default: none).",
        ),
    } satisfies Shape<IntentsOptions>)
    .meta({
      description: "Requests in words, for `POST /v1/intents` and `paraph ask`.",
      example: `intents: {
  // Or { provider: (key) => createOpenAI({ apiKey: key })("…"), credential: "MODEL_KEY" }.
  model: { url: "https://models.example.com/v1", name: "small", credential: "MODEL_KEY" },
},`,
    }),
  identity: identitySchema.meta({
    description: "The methods other than API keys by which people, agents and services authenticate.",
    example: `identity: {
  url: "https://paraph.example.com",
  oidc: {
    issuer: "https://login.example.com",
    audience: "https://paraph.example.com/api",
    tenant: "acme",
    subject: "sub",
    groups: "groups",
    people: "known",
    client: { id: "paraph", secret: "oidc-client", scope: "openid" },
  },
  sessions: { idle: "8h", lasting: "72h" },
},`,
  }),
  webhooks: z.array(webhookSchema).meta({
    description: "The servers to which Paraph sends the events of calls, in the format of Standard Webhooks.",
    example: `webhooks: [
  { url: "https://hooks.example.com/paraph", secret: "hook", principals: ["support-bot"], tenants: ["acme"] },
  { url: "https://chat.example.com/hooks/7", secret: "chat", events: ["asked", "unknown"], people: true },
  { url: "http://127.0.0.1:8080/events", secret: "hook", allowLoopback: true },
],`,
  }),
  channels: z.array(channel.meta({ typeName: "Channel" })).meta({
    description:
      "The ways in which Paraph tells people about approvals, `mail(…)`, `push(…)` and `slack(…)`. [Notifications](../guides/notifications.md) and [Slack](../guides/slack.md) describe their options.",
    example: `import { defineConfig, mail, push, slack } from "paraph";

export default defineConfig({
  identity: { url: "https://paraph.example.com" },
  channels: [
    mail({
      from: "paraph@example.com",
      smtp: { url: "smtp://mail.example.com:587", user: "paraph", secret: "smtp" },
    }),
    push({ contact: "mailto:ops@example.com", secret: "vapid" }),
    slack({ secret: "slack-bot", appSecret: "slack-app" }),
  ],
});`,
  }),
  worker: worker.meta({
    description: "The address of the worker, if Restate is the engine and runs on another host.",
    example: 'worker: { host: "10.0.0.5", port: 9080, url: "http://paraph-workers.internal:9080" },',
  }),
  http: http.meta({
    description:
      "The address at which `paraph start` serves the API. `--host` and `--port` override it. `paraph dev` does not use it.",
    example:
      'http: { host: "0.0.0.0", port: 7411, tls: { certificate: "tls/cert.pem", key: "tls/key.pem" } },',
  }),
  metrics: metrics.meta({
    description:
      "The address at which the process serves Prometheus metrics under `/metrics`, and its health under `/healthz` and `/readyz`, on a separate port (default: off).",
    example: 'metrics: { host: "127.0.0.1", port: 9464 },',
  }),
  vault: vaultSchema.meta({
    description: "The HashiCorp Vault that signs receipts or stores secrets.",
    example: `vault: {
  url: "https://vault.example.com:8200",
  namespace: "platform",
  ca: "tls/vault-ca.pem",
  timeout: "5s",
  auth: { kubernetes: { role: "paraph" } },
  // Or auth: { appRole: { roleId: "…", secretIdFile: "/run/paraph/secret-id" } }, or auth: { tokenFile: "…" }.
  signing: { mount: "transit", key: "paraph", sealVersions: [1], earlierKeys: "/var/lib/paraph" },
  secrets: { mount: "secret", path: "paraph", cache: "30s" },
},`,
  }),
  signer: z
    .custom((value) => typeof value === "function", "a function that returns a signer")
    .meta({
      description:
        "A function that opens your own signer of receipts for `paraph start`, for example with a key in a cloud (default: `vault.signing`, or a key file).",
      typeName: "() => Promise<DeploymentSigner>",
      example: `import { readFile } from "node:fs/promises";
import { createSealer, defineConfig, toPublicKey } from "paraph";

async function request(path: string, body?: Uint8Array): Promise<Uint8Array> {
  const options = body ? { method: "POST", body: new Uint8Array(body) } : {};
  const response = await fetch(\`https://keys.example.com/\${path}\`, options);
  if (!response.ok) throw new Error(\`The key service answered \${response.status}.\`);
  return new Uint8Array(await response.arrayBuffer());
}

export default defineConfig({
  signer: async () => {
    const publicKey = toPublicKey(await request("public-key")); // 32 bytes
    return {
      ...createSealer([await readFile("/run/paraph/seal-secret")]), // at least 32 bytes, the same in every process
      keyId: publicKey.kid,
      publicKeys: [publicKey], // the current key, then the earlier ones
      sign: (bytes) => request("sign", bytes), // a plain Ed25519 signature of 64 bytes
    };
  },
});`,
    }),
  budgets: budgetsSchema.meta({
    description: "The limits on one principal's use of one API process. Each process counts them in memory.",
    example: `budgets: {
  callsPerMinute: 600,
  requestsPerMinute: 3_000,
  concurrentPreviews: 8,
  streams: 64,
  waitingPerTenant: 1_000,
  totalStreams: 2_000,
},`,
  }),
  ask: z
    .strictObject(ask)
    .partial()
    .meta({
      description: "Deadlines, reminders and the throttle of approvals.",
      example: `ask: {
  expires: { low: "3d", normal: "24h", high: "4h", critical: "15m" },
  acknowledge: "15m",
  maxDenials: 5,
  escalation: {
    low: [{ after: "1d" }],
    normal: [{ after: "8h" }],
    high: [{ after: "1h" }, { after: "2h", to: "on-call" }],
    critical: [{ after: "5m", to: "on-call" }],
  },
},`,
    }),
} satisfies Shape<Config>;

/** The schema of `paraph.config.ts`. */
export const configSchema = z.strictObject(config).partial();
