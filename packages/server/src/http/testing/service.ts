import { generateKeyPairSync, sign } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  admit,
  advance,
  type Call,
  CallLinks,
  decide,
  enforcing,
  inReceipt,
  type Ports,
  type Principal,
  previewOnly,
  publicKey,
  type Wake,
} from "@paraph/core";
import { ModelStore, SeededRandom } from "@paraph/core/testing";
import { handlingOver } from "../../handling.ts";
import { prospectsOver } from "../../prospects.ts";
import { sealerFrom } from "../../system/sealer.ts";
import type { Service } from "../service.ts";
import { testActivity } from "./activity.ts";
import { testApproverService } from "./approver.ts";
import { catalogOver, Notes, policy } from "./capabilities.ts";
import { testPolicyService } from "./policy.ts";
import { testDelegations, testThread } from "./thread.ts";

export const people: Record<string, Principal> = {
  "key-bot": { tenant: "acme", id: "bot", kind: "agent", owner: "ana" },
  "key-other": { tenant: "acme", id: "other", kind: "agent", owner: "ana" },
  "key-ana": { tenant: "acme", id: "ana", kind: "person" },
  "key-bo": { tenant: "acme", id: "bo", kind: "person" },
  "key-audit": { tenant: "acme", id: "audit", kind: "person", groups: ["paraph:auditors"] },
  "key-eve": { tenant: "evil", id: "eve", kind: "person" },
};

export interface TestService extends Service {
  readonly notes: Notes;
  readonly store: ModelStore;
  readonly ports: Ports;
  readonly healthy: Record<string, boolean>;
  revoke(key: string): void;
  /** From now on this key reaches only so far. */
  narrow(key: string, scopes: readonly string[] | undefined): void;
  /** How many wait for a call to move. */
  waiting(): number;
}

/** The real pipeline over the model store, with timers for an engine. */
export function testService(): TestService {
  const notes = new Notes();
  const clock = realClock();
  const store = new ModelStore(clock);
  for (const principal of Object.values(people)) store.addPrincipal(principal);
  const { signer, keys } = signing();
  const catalog = catalogOver(notes);
  const ports: Ports = {
    store,
    catalog,
    policy,
    freezes: { inForce: () => undefined },
    signer,
    sealer: signer,
    links: new CallLinks(),
    clock,
    random: new SeededRandom("http"),
    credentials: { resolve: async () => "none" },
    telemetry: { span: (_name, _about, body) => body(), measure: () => {} },
    settings: {
      askMs: { normal: 60_000, high: 60_000, critical: 60_000 },
      previewPatienceMs: 60_000,
      sweepGraceMs: 60_000,
      stance: enforcing,
      limits: () => [],
      escalation: { normal: [], high: [], critical: [] },
      mostDenials: 10,
    },
  };
  const watchers = new Set<() => void>();
  const revoked = new Set<string>();
  const narrowed = new Map<string, readonly string[]>();
  const healthy: Record<string, boolean> = { postgres: true, engine: true };

  const moved = () => {
    for (const watcher of watchers) watcher();
  };
  const send = (wakes: readonly Wake[]) => {
    for (const wake of wakes)
      setTimeout(() => void run(wake), Math.max(0, (wake.at ?? 0) - Date.now())).unref();
  };
  const run = async (wake: Pick<Wake, "tenant" | "call">) => {
    const { wakes } = await advance(wake, ports);
    moved();
    send(wakes);
  };
  /** With what bars it now, as the rows would say. */
  const asStands = (principal: Principal): Principal => {
    const barred = store.barred(principal.tenant, principal.id);
    return barred ? { ...principal, barred } : principal;
  };
  const visible = (principal: Principal, call: Call | undefined) =>
    call && (principal.kind === "person" || call.principal.id === principal.id) ? call : undefined;
  const find: Service["find"] = async (principal, call) =>
    visible(principal, await store.load({ tenant: principal.tenant, call }));

  const call: Service["call"] = async (request) => {
    const admitted = await admit(request, ports);
    send(admitted.wakes);
    return admitted;
  };

  const listed: Service["approvals"] = async (principal, { status, before, limit }) => {
    const approvals = newest(
      store.calls(),
      (call) => call.approval?.id ?? "",
      before,
      limit,
      (call) => {
        return call.tenant === principal.tenant && call.approval?.status === status;
      },
    ).map((call) => ({
      ...call.approval!,
      approval: call.approval!.id,
      call: call.call,
      capability: call.capability,
      principal: call.principal.id,
      votes: call.approval!.votes.length,
      askedAt: call.createdAt,
    }));
    const last = approvals.length === limit ? approvals.at(-1) : undefined;
    return { approvals, bundles: [], ...(last && { next: last.approval }) };
  };

  return {
    call,
    handling: handlingOver({
      ports,
      thread: testThread(store, clock),
      delegations: testDelegations(store, clock),
      earlierPreview: async () => undefined,
      moved: async (_call, wakes) => {
        moved();
        send(wakes);
      },
      call,
    }),
    flood: async (reader, { principal, capability }, limit) =>
      (await listed(reader, { status: "open", limit: 1_000 })).approvals
        .filter((one) => one.principal === principal && one.capability === capability)
        .slice(0, limit),
    notes,
    store,
    ports,
    healthy,
    find,
    revoke: (key) => void revoked.add(key),
    narrow: (key, scopes) => void (scopes ? narrowed.set(key, scopes) : narrowed.delete(key)),
    waiting: () => watchers.size,
    async authenticate(key) {
      const principal = revoked.has(key) ? undefined : people[key];
      const scopes = narrowed.get(key);
      return principal && { principal: asStands(principal), how: "key", ...(scopes && { scopes }) };
    },
    // The cookie of a test is the name of a key: what matters here is what a session may do.
    async session(name) {
      const principal = people[`key-${name}`];
      return principal?.kind === "person" ? { principal: asStands(principal), how: "session" } : undefined;
    },
    login: { finishByLink: async () => ({ kind: "failed" }), end: async () => {} },
    principals: async (reader) =>
      Object.values(people)
        .filter(({ tenant }) => tenant === reader.tenant)
        .map(({ id, kind }) => ({ id, kind, groups: [], createdAt: 0 })),
    groups: async () => [],
    apiKeys: async () => [],
    freezes: async () => [],
    grants: async () => [],
    steps: (call) => store.children(call),
    preview: (request) => previewOnly(request, ports),
    list: async (principal, { state, capability, outcome, resolved, steps = true, before, limit }) =>
      newest(
        store.calls(),
        (call) => call.call,
        before,
        limit,
        (call) => {
          const inState = state === undefined || (call.state === "closed") === (state === "closed");
          const own = call.tenant === principal.tenant && visible(principal, call) !== undefined;
          const ended = outcome === undefined || call.outcome?.kind === outcome;
          const found = resolved === undefined || (call.resolution !== undefined) === resolved;
          return (
            (steps || !call.parent) &&
            own &&
            inState &&
            ended &&
            found &&
            (capability === undefined || call.capability === capability)
          );
        },
      ).map((call) => ({ ...call, principal: call.principal.id, outcome: call.outcome! })),
    changed: (principal, call, epoch, ms, signal) =>
      new Promise((resolve) => {
        const look = async () => {
          const found = await store.load({ tenant: principal.tenant, call });
          if ((found?.epoch ?? 0) > epoch) done();
        };
        const done = () => {
          clearTimeout(timer);
          watchers.delete(look);
          resolve(undefined);
        };
        const timer = setTimeout(done, ms);
        watchers.add(look);
        signal?.addEventListener("abort", done);
        if (signal?.aborted) done();
        void look();
      }),
    approvals: listed,
    findApproval: async (principal, approval) =>
      visible(principal, await store.findByApproval(principal.tenant, approval)),
    async decide(decision) {
      const decided = await decide(decision, ports);
      moved();
      send(decided.wakes);
      return decided;
    },
    async receipt(principal, call) {
      const found = await find(principal, call);
      const receipt = found && store.receipt(found);
      return (
        receipt && {
          mediaType: "application/vnd.paraph.receipt.v1+json",
          envelope: receipt.envelope,
          disclosures: inReceipt(found.payloads),
        }
      );
    },
    activity: testActivity(store),
    capabilities: ({ tenant }) => catalog.all(tenant),
    offered: prospectsOver(ports),
    capability: (tenant, name) => catalog.find(tenant, name),
    adapters: async () => [],
    progress: async ({ tenant, call }) => {
      const found = await store.load({ tenant, call });
      return found && { epoch: found.epoch, said: null };
    },
    observations: {
      list: async () => ({ observations: [], next: 0 }),
      more: async (_reader, _after, ms, signal) =>
        void (await sleep(ms, undefined, { signal }).catch(() => {})),
      perceptions: async () => [],
    },
    statistics: async () => ({ since: 0, groups: [], errors: [] }),
    keys: () => keys,
    approver: testApproverService(store, ports),
    policy: testPolicyService(store, catalog, policy),
    health: async () => healthy,
  };
}

function newest<T>(
  all: T[],
  id: (item: T) => string,
  before: string | undefined,
  limit: number,
  fits: (item: T) => boolean,
) {
  return all
    .filter((item) => fits(item) && (before === undefined || id(item) < before))
    .sort((a, b) => (id(a) < id(b) ? 1 : -1))
    .slice(0, limit);
}

function realClock() {
  return {
    now: () => Date.now(),
    sleep: (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref()),
    deadline(ms: number) {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), ms);
      return { signal: controller.signal, clear: () => clearTimeout(timer) };
    },
  };
}

function signing() {
  const { publicKey: open, privateKey } = generateKeyPairSync("ed25519");
  const key = publicKey(Buffer.from(open.export({ format: "jwk" }).x ?? "", "base64url"));
  const signer = {
    ...sealerFrom([privateKey]),
    keyId: key.kid,
    sign: async (bytes: Uint8Array) => new Uint8Array(sign(null, bytes, privateKey)),
  };
  return { signer, keys: [key] };
}
