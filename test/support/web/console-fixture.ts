import { defineCapability, roles } from "@paraph/core";
import type { Config } from "@paraph/server";
import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { z } from "zod";
import { TestParaph } from "../servers/test-paraph.ts";

/** A Paraph with agents, approvers and capabilities of every risk, and browsers in which people have logged in. */
export class ConsoleFixture {
  readonly paraph: TestParaph;
  readonly refunds: string[];
  readonly #sessions = new Map<string, string>();

  private constructor(paraph: TestParaph, refunds: string[]) {
    this.paraph = paraph;
    this.refunds = refunds;
  }

  /**
   * Starts a Paraph with these adapters beside its capabilities, with the credentials that they use, and with further
   * configuration and people. It listens at `localhost`, because browsers offer no passkeys for an IP address.
   */
  static async start(
    adapters: Config["adapters"] = {},
    secrets: Record<string, string> = {},
    more: Partial<Config> = {},
    guests: readonly string[] = [],
  ): Promise<ConsoleFixture> {
    const refunds: string[] = [];
    const person = (id: string, groups: string[] = []) => ({
      tenant: "acme",
      id,
      kind: "person" as const,
      groups,
    });
    const agent = (id: string, owner: string) => ({ tenant: "acme", id, kind: "agent" as const, owner });
    const people = [
      person("Ana Lima", [roles.admins]),
      person("Bo Nilsen"),
      person("Dora Lindqvist", [roles.admins]),
      ...guests.map((id) => person(id)),
      agent("support-bot", "Ana Lima"),
      agent("release-bot", "Ana Lima"),
      agent("ops-bot", "Dora Lindqvist"),
    ];
    const config: Config = {
      ...more,
      capabilities: [...createShop(refunds), ...(more.capabilities ?? [])],
      policy: "balanced",
      adapters,
      limits: [{ per: "principal", capability: "shop.*", calls: 1_000, window: "24h", name: "shop calls" }],
    };
    const paraph = await TestParaph.start(config, people, secrets, undefined, {
      http: { host: "localhost" },
    });
    return new ConsoleFixture(paraph, refunds);
  }

  get url(): string {
    return this.paraph.url;
  }

  /** Requests a call, and returns the ids of the call and its approval. */
  async ask(agent: string, capability: string, input: object, purpose?: string) {
    const { body } = await this.paraph.request(agent, "POST", "/v1/calls", {
      capability,
      input,
      ...(purpose !== undefined && { purpose }),
    });
    return { call: String(body.call), approval: String(body.waiting?.approval?.id) };
  }

  /** Requests a plan of these steps, and returns the ids of the call and its approval. */
  async askPlan(agent: string, steps: readonly object[], more: object = {}) {
    const plan = { version: 1, steps, ...more };
    const { body } = await this.paraph.request(agent, "POST", "/v1/plans", { plan });
    return { call: String(body.call), approval: String(body.waiting?.approval?.id) };
  }

  async decide(person: string, approval: string, decision: string, reason?: string): Promise<void> {
    const { body } = await this.paraph.request(person, "GET", `/v1/approvals/${approval}`);
    await this.paraph.request(person, "POST", `/v1/approvals/${approval}/decision`, {
      decision,
      digest: body.digest,
      ...(reason !== undefined && { reason }),
    });
  }

  /** Opens a browser context with the session of this person. */
  async open(browser: Browser, person: string, options: BrowserContextOptions = {}): Promise<BrowserContext> {
    let session = this.#sessions.get(person);
    if (session === undefined) {
      const login = await this.paraph.browser("acme", person);
      session = login.cookie(new URL(this.url).origin, "__Host-paraph") ?? "";
      this.#sessions.set(person, session);
    }
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      locale: "en-GB",
      timezoneId: findZoneAtNoon(),
      ...options,
    });
    // Browsers treat loopback as secure, but Playwright sets this cookie only for an https URL.
    const url = this.url.replace("http:", "https:");
    await context.addCookies([{ name: "__Host-paraph", value: session, url, secure: true, httpOnly: true }]);
    return context;
  }

  stop(): Promise<void> {
    return this.paraph.stop();
  }
}

/** Returns a time zone in which it is about noon, so that the console shows every time of a test without its date. */
function findZoneAtNoon(): string {
  const offset = 12 - new Date().getUTCHours();
  // These zones have the inverse sign: Etc/GMT-2 is two hours ahead of UTC.
  return `Etc/GMT${offset > 0 ? "-" : "+"}${Math.abs(offset)}`;
}

function createShop(refunds: string[]) {
  const common = { version: 1, idempotency: "natural", output: z.object({}) } as const;
  return [
    defineCapability({
      ...common,
      name: "shop.refund",
      summary: "Refund a payment",
      effect: "write",
      risk: "high",
      input: z.object({ payment: z.string(), cents: z.int(), to: z.string() }),
      sensitive: ["payment"],
      headline: ({ cents, to }) => `Refund ${formatEuros(cents)} to ${to}`,
      preview: async ({ cents, to }) => ({
        changes: [
          {
            kind: "update",
            target: "payment",
            summary: `to the card of ${to}`,
            details: {
              refunded: { before: "€0.00", after: formatEuros(cents) },
              status: { before: "captured", after: "refunded" },
              "money goes to": "Card ending 4412",
            },
          },
        ],
        basis: null,
      }),
      apply: async ({ payment }) => {
        refunds.push(payment);
        return {};
      },
    }),
    defineCapability({
      ...common,
      name: "shop.purge",
      summary: "Delete customers",
      effect: "destroy",
      risk: "critical",
      input: z.object({ rows: z.int() }),
      headline: ({ rows }) => `Delete ${rows.toLocaleString("en-GB")} rows of customers in production`,
      preview: async ({ rows }) => ({
        changes: [
          {
            kind: "delete",
            target: "public.customers",
            summary: `${rows.toLocaleString("en-GB")} of 48,902 rows`,
            diff: "DELETE FROM customers\n WHERE last_seen_at < '2024-01-01'",
            details: {
              sample: [48213, 48217, 48220, 48231].map((id) => ({
                id,
                last_seen_at: "2023-11-30",
                plan: "pro",
              })),
            },
          },
        ],
        basis: null,
      }),
      apply: async () => ({}),
    }),
    defineCapability({
      ...common,
      name: "shop.write",
      summary: "Write a file",
      effect: "write",
      risk: "medium",
      input: z.object({ path: z.string(), text: z.string() }),
      headline: ({ path }) => `Change ${path}`,
      preview: async ({ path, text }) => ({
        changes: [
          { kind: "update", target: path, summary: "1 line added, 1 removed", diff: toDiff(path, text) },
        ],
        basis: null,
      }),
      apply: async () => ({}),
      undo: ({ path }) => ({ capability: "shop.write", input: { path, text: "retries: 3" } }),
    }),
    defineCapability({
      ...common,
      name: "shop.mail",
      summary: "Send a mail",
      effect: "write",
      risk: "medium",
      idempotency: "probe",
      input: z.object({ to: z.string() }),
      headline: ({ to }) => `Send a mail to ${to}`,
      // The connection breaks, so Paraph cannot know whether the mail was sent.
      apply: async () => {
        throw new Error("connection reset");
      },
      probe: async () => ({ kind: "unsure" }),
    }),
    defineCapability({
      ...common,
      name: "shop.checksum",
      summary: "Read a file and return its checksum",
      effect: "read",
      risk: "low",
      input: z.object({ path: z.string() }),
      output: z.object({ sha: z.string() }),
      headline: ({ path }) => `Read ${path}`,
      apply: async () => ({ sha: "5f1d" }),
    }),
    defineCapability({
      ...common,
      name: "shop.ship",
      summary: "Ship a parcel",
      effect: "write",
      risk: "low",
      input: z.object({
        order: z
          .string()
          .describe("The number of the order, as on its invoice")
          .meta({ examples: ["A-1042"] }),
        speed: z.enum(["standard", "express"]),
        copies: z.int().min(1).max(10).optional().describe("Labels to print"),
        gift: z.boolean().optional(),
        notes: z.array(z.string()).optional(),
        address: z.object({ city: z.string(), street: z.string().optional() }),
      }),
      headline: ({ order, address }) => `Ship ${order} to ${address.city}`,
      preview: async ({ order, speed }) => ({
        changes: [{ kind: "create", target: `label ${order}`, summary: speed }],
        basis: null,
      }),
      apply: async () => ({}),
    }),
    defineCapability({
      ...common,
      name: "shop.run",
      summary: "Run a command",
      effect: "write",
      risk: "low",
      input: z.object({ command: z.string() }),
      apply: async () => ({}),
    }),
  ];
}

function formatEuros(cents: number): string {
  return (cents / 100).toLocaleString("en-GB", { style: "currency", currency: "EUR" });
}

function toDiff(path: string, text: string): string {
  return `--- a/${path}\n+++ b/${path}\n@@ -1,3 +1,3 @@\n port: 8080\n-retries: 3\n+${text}\n log: info\n`;
}
