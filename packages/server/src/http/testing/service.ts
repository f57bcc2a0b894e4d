import { generateKeyPairSync, sign } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  admit,
  advance,
  type Call,
  CallLinks,
  correlationId,
  decide,
  draftEdit,
  enforceAll,
  lastEvent,
  type Ports,
  type Principal,
  previewOnly,
  toPublicKey,
  type Wake,
} from "@paraph/core";
import { ModelStore, SeededRandom } from "@paraph/core/testing";
import { createAllowedCapabilities } from "../../policy/allowed-capabilities.ts";
import { expectRuling } from "../../policy/expect-ruling.ts";
import type { PasskeyStore } from "../../postgres/index.ts";
import { createCallActions } from "../../services/call-actions.ts";
import { createIntentService } from "../../services/intents.ts";
import type { ParaphService } from "../../services/paraph-service.ts";
import { createPasskeyService } from "../../services/passkeys.ts";
import { createSealer, deriveSealSecret } from "../../system/sealer.ts";
import { discloseReceipt } from "../../visibility/disclose-receipt.ts";
import { createTestActivity } from "./activity.ts";
import { createTestApproverService, listedHeadline } from "./approver-service.ts";
import { createTestCatalog, TestNotes, testPolicy } from "./capabilities.ts";
import { createTestDelegations, createTestMessages } from "./messages.ts";
import { createTestNotifications } from "./notifications.ts";
import { createTestPasskeyStore } from "./passkeys.ts";
import { createTestPolicyService } from "./policy-service.ts";

export const testPeople: Record<string, Principal> = {
  "key-bot": { tenant: "acme", id: "bot", kind: "agent", owner: "ana" },
  "key-other": { tenant: "acme", id: "other", kind: "agent", owner: "ana" },
  "key-ana": { tenant: "acme", id: "ana", kind: "person" },
  "key-bo": { tenant: "acme", id: "bo", kind: "person" },
  "key-audit": { tenant: "acme", id: "audit", kind: "person", groups: ["paraph:auditors"] },
  "key-eve": { tenant: "evil", id: "eve", kind: "person" },
};

export interface TestService extends ParaphService {
  readonly notes: TestNotes;
  readonly store: ModelStore;
  readonly passkeyStore: PasskeyStore;
  /** The address at which browsers reach the server. Passkeys need a host name. */
  publicUrl: string;
  readonly ports: Ports;
  readonly healthy: Record<string, boolean>;
  revoke(key: string): void;
  /** Restricts this key to the given scopes. */
  narrow(key: string, scopes: readonly string[] | undefined): void;
  /** Returns how many readers wait for a call to change. */
  countWaiters(): number;
}

/** Creates the real pipeline over the model store, with timers as the engine. */
export function createTestService(): TestService {
  const notes = new TestNotes();
  const clock = createRealClock();
  const store = new ModelStore(clock);
  for (const principal of Object.values(testPeople)) store.addPrincipal(principal);
  const { signer, keys } = createSigner();
  const catalog = createTestCatalog(notes);
  const ports: Ports = {
    store,
    catalog,
    policy: testPolicy,
    freezes: { inForce: async () => undefined },
    signer,
    sealer: signer,
    links: new CallLinks(),
    clock,
    random: new SeededRandom("http"),
    credentials: { resolve: async () => "none" },
    telemetry: { span: (_name, _about, body) => body(), measure: () => {} },
    settings: {
      askMs: { low: 3_600_000, normal: 3_600_000, high: 3_600_000, critical: 3_600_000 },
      acknowledgeMs: 900_000,
      previewPatienceMs: 60_000,
      sweepGraceMs: 60_000,
      enforcement: enforceAll,
      limits: () => [],
      escalation: { low: [], normal: [], high: [], critical: [] },
      maxDenials: 10,
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
  /** Adds the reason why the principal is currently barred, if any, as PostgreSQL would. */
  const asStands = (principal: Principal): Principal => {
    const barred = store.findBarredReason(principal.tenant, principal.id);
    return barred ? { ...principal, barred } : principal;
  };
  const visible = (principal: Principal, call: Call | undefined) =>
    call && (principal.kind === "person" || call.principal.id === principal.id) ? call : undefined;
  const find: ParaphService["findCall"] = async (principal, call) =>
    visible(principal, await store.load({ tenant: principal.tenant, call }));

  const approver = createTestApproverService(store, ports, Object.values(testPeople));
  const findCapability: ParaphService["findCapability"] = (tenant, name) => catalog.find(tenant, name);

  const call: ParaphService["requestCall"] = async (request) => {
    const admitted = await admit(request, ports);
    send(admitted.wakes);
    return admitted;
  };

  const listed: ParaphService["listApprovals"] = async (principal, { status, before, limit }) => {
    const approvals = listNewest(
      store.calls(),
      (call) => call.approval?.id ?? "",
      before,
      limit,
      (call) => {
        return call.tenant === principal.tenant && call.approval?.status === status;
      },
    ).map((call) => ({
      ...call.approval!,
      ...listedHeadline(call),
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

  const passkeyStore = createTestPasskeyStore();
  const service: TestService = {
    requestCall: call,
    actions: createCallActions({
      ports,
      messageStore: createTestMessages(store, clock),
      delegations: createTestDelegations(store, clock),
      findEarlierPreview: async () => undefined,
      listReasons: async (call) => store.payloadVersions(call, "reason"),
      findUndo: async ({ call }) => findTestUndo(store.calls(), call),
      findPrincipal: async (tenant, id) => store.people.find(tenant, id),
      announceChange: async (_call, wakes) => {
        moved();
        send(wakes);
      },
      requestCall: call,
    }),
    listFlood: async (reader, { principal, capability }, limit) =>
      (await listed(reader, { status: "open", limit: 1_000 })).approvals
        .filter((one) => one.principal === principal && one.capability === capability)
        .slice(0, limit),
    notes,
    store,
    ports,
    healthy,
    findCall: find,
    revoke: (key) => void revoked.add(key),
    narrow: (key, scopes) => void (scopes ? narrowed.set(key, scopes) : narrowed.delete(key)),
    countWaiters: () => watchers.size,
    async authenticate(key) {
      const principal = revoked.has(key) ? undefined : testPeople[key];
      const scopes = narrowed.get(key);
      return principal && { principal: asStands(principal), how: "key", ...(scopes && { scopes }) };
    },
    // In tests, the cookie is the name of a key, because these tests need only the rights of a session.
    async authenticateSession(name) {
      const principal = testPeople[`key-${name}`];
      return principal?.kind === "person" ? { principal: asStands(principal), how: "session" } : undefined;
    },
    login: {
      findLink: async () => undefined,
      logInByLink: async () => ({ kind: "failed" }),
      endSession: async () => {},
    },
    principals: {
      list: async (reader) =>
        Object.values(testPeople)
          .filter(({ tenant }) => tenant === reader.tenant)
          .map(({ id, kind }) => ({ id, kind, state: "active", groups: [], createdAt: 0 })),
      find: async () => undefined,
    },
    listGroups: async () => [],
    listApiKeys: async () => [],
    listFreezes: async () => [],
    listGrants: async () => [],
    listSteps: (call) => store.children(call),
    previewCall: (request) => previewOnly(request, ports),
    previewEdit: (given) => draftEdit(given, ports),
    listCalls: async (principal, filter) => {
      const { state, capability, outcome, resolved, steps = true, before, limit } = filter;
      const { session, thread, correlation, hasState, principal: requester } = filter;
      const calls = listNewest(
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
            (capability === undefined || call.capability === capability) &&
            (session === undefined || call.session.session === session) &&
            (thread === undefined || call.session.thread === thread) &&
            (correlation === undefined || correlationId(call) === correlation) &&
            (!hasState || call.payloads.compressedState !== undefined) &&
            (requester === undefined || call.principal.id === requester)
          );
        },
      ).map((call) => {
        const undoneBy = findTestUndo(store.calls(), call.call);
        const undo = store.calls().find((one) => one.call === undoneBy);
        return {
          ...call,
          ...listedHeadline(call),
          principal: call.principal.id,
          outcome: call.outcome!,
          ...(undoneBy !== undefined && { undoneBy }),
          ...(undo?.outcome && { undoOutcome: undo.outcome.kind }),
        };
      });
      return { calls, ...(calls.length === limit && { next: calls.at(-1)!.call }) };
    },
    waitForChange: (principal, call, epoch, ms, signal) =>
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
    listApprovals: listed,
    findApproval: async (principal, approval) =>
      visible(principal, await store.findByApproval(principal.tenant, approval)),
    async decide(decision) {
      const decided = await decide(decision, ports);
      moved();
      send(decided.wakes);
      return decided;
    },
    async findReceipt(principal, call) {
      const found = await find(principal, call);
      const envelope = found && store.envelope(found);
      return (
        envelope && discloseReceipt(principal, found, envelope, { approver, findCapability, findCall: find })
      );
    },
    listActivity: createTestActivity(store),
    listCapabilities: ({ tenant }) => catalog.all(tenant),
    listAllowedCapabilities: createAllowedCapabilities(ports),
    intents: createIntentService({
      ports,
      listAllowed: createAllowedCapabilities(ports),
      previewCall: (request) => previewOnly(request, ports),
      requestCall: async (request) => (await call(request)).call,
    }),
    findCapability,
    listAdapters: async () => [],
    listPendingDefinitions: async () => undefined,
    expectRuling: (principal, contract) => expectRuling(principal, contract, ports),
    getFacades: () => new Map(),
    markDelivered: (tenant, calls) => store.markDelivered(tenant, calls),
    readProgress: async ({ tenant, call }) => {
      const found = await store.load({ tenant, call });
      return found && { epoch: found.epoch, progress: null };
    },
    async *followEvents(_reader, signal, ms) {
      yield "ready";
      while (!signal.aborted) {
        yield "heartbeat";
        await sleep(ms, undefined, { signal }).catch(() => {});
      }
    },
    observations: {
      list: async () => ({ observations: [], next: 0 }),
      waitForMore: async (_reader, _after, ms, signal) =>
        void (await sleep(ms, undefined, { signal }).catch(() => {})),
      listPolls: async () => [],
    },
    readStatistics: async () => ({ since: 0, groups: [], errors: [] }),
    readLoad: async () => ({
      ...{ at: 0, stuck: 0, unknown: 0, locksHeld: 0, due: { count: 0 }, approvals: { count: 0, byAge: [] } },
      ...{ outcomes: { seconds: 60, counts: {} }, adapters: { seconds: 300, slowest: [] } },
    }),
    listPublicKeys: () => keys,
    approver,
    notifications: createTestNotifications(),
    passkeyStore,
    publicUrl: "http://localhost",
    passkeys: createPasskeyService({ store: passkeyStore, ports, url: () => service.publicUrl }),
    policy: createTestPolicyService(ports, store),
    checkHealth: async () => healthy,
  };
  return service;
}

function listNewest<T>(
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

function findTestUndo(calls: readonly Call[], undone: string): string | undefined {
  const undos = calls.filter(({ events }) => lastEvent(events, "accepted")?.data.undoes === undone);
  return undos.find(({ outcome }) => ["succeeded", "unknown", undefined].includes(outcome?.kind))?.call;
}

function createRealClock() {
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

function createSigner() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = toPublicKey(Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url"));
  const signer = {
    ...createSealer([deriveSealSecret(privateKey)]),
    keyId: key.kid,
    sign: async (bytes: Uint8Array) => new Uint8Array(sign(null, bytes, privateKey)),
  };
  return { signer, keys: [key] };
}
