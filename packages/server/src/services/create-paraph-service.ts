import {
  admit,
  afterDenials,
  type Call,
  type CallRequest,
  contractHeadline,
  decide,
  draftEdit,
  ParaphError,
  type Ports,
  type Principal,
  type PublicKey,
  previewOnly,
  seesEverything,
  type Wake,
} from "@paraph/core";
import type { InlineRunner, InlineSlot } from "../engine/inline-runner.ts";
import { createAllowedCapabilities } from "../policy/allowed-capabilities.ts";
import { expectRuling } from "../policy/expect-ruling.ts";
import { createPolicyService } from "../policy/policy-service.ts";
import {
  type CallWatch,
  createAdminQueries,
  createDelegationStore,
  createGrantStore,
  createPasskeyStore,
  createProgressStore,
  createTenantFeed,
  type Database,
  findEarlierPreview,
  findEnvelope,
  findUndo,
  listActivity,
  listApiKeys,
  listApprovals,
  listCalls,
  listFlood,
  listFreezes,
  listGroups,
  listReasons,
  loadCallStatistics,
  readLoad,
} from "../postgres/index.ts";
import { discloseReceipt } from "../visibility/disclose-receipt.ts";
import { createApproverService } from "./approver-service.ts";
import type { Authenticator } from "./authentication.ts";
import type { BudgetKeeper } from "./budgets.ts";
import { type CallActionDeps, createCallActions } from "./call-actions.ts";
import type { IntentService } from "./intents.ts";
import { KeyQueue } from "./key-queue.ts";
import { createNotificationService, type NotificationChannel } from "./notifications.ts";
import { createObservationService } from "./observation-service.ts";
import { maxBundleItems, maxUnbundledApprovals, type ParaphService } from "./paraph-service.ts";
import { createPasskeyService } from "./passkeys.ts";
import { createPrincipalService } from "./principals.ts";
import { createSlackAccountService } from "./slack-accounts.ts";

/** The dependencies of `createParaphService`. */
export interface ParaphServiceDeps {
  readonly ports: Ports;
  readonly database: Database;
  readonly messageStore: CallActionDeps["messageStore"];
  readonly authenticator: Authenticator;
  readonly send: (wakes: readonly Wake[]) => Promise<void>;
  readonly inlineRunner: InlineRunner;
  readonly budgets: BudgetKeeper;
  readonly watch: CallWatch;
  readonly publicKeys: readonly PublicKey[];
  /** Returns the address at which people reach Paraph. */
  readonly url: () => string;
  /** The configured channels. */
  readonly channels: readonly NotificationChannel[];
  readonly checkHealth: ParaphService["checkHealth"];
  readonly listAdapters: ParaphService["listAdapters"];
  readonly listPendingDefinitions: ParaphService["listPendingDefinitions"];
  readonly getFacades: ParaphService["getFacades"];
  readonly runInTrace: <T>(name: string, trace: string | undefined, body: () => Promise<T>) => Promise<T>;
  readonly currentTraceparent: () => string | undefined;
  readonly intents: IntentService;
  /** Called when admission throttles a requester whose requests people keep denying. */
  readonly onThrottled: (request: CallRequest) => void;
}

/**
 * Creates the service that all surfaces share. It looks up calls for a reader, admits calls, records decisions and
 * sends the wakes.
 */
export function createParaphService({
  ports,
  database,
  messageStore,
  authenticator,
  send,
  inlineRunner,
  budgets,
  watch,
  publicKeys,
  url,
  channels,
  checkHealth,
  listAdapters,
  listPendingDefinitions,
  getFacades,
  runInTrace,
  currentTraceparent,
  intents,
  onThrottled,
}: ParaphServiceDeps): ParaphService {
  const visible = async (principal: Principal, call: Call | undefined) =>
    call && (seesEverything(principal) || call.principal.id === principal.id) ? call : undefined;
  const find: ParaphService["findCall"] = async (principal, call) =>
    visible(principal, await ports.store.load({ tenant: principal.tenant, call }));

  /** Returns the capabilities whose description, the headline of calls without their own, contains the text. */
  const findDescribed = (tenant: string, text: string) =>
    ports.catalog
      .all(tenant)
      .filter(({ contract }) => contractHeadline(contract).toLowerCase().includes(text.toLowerCase()))
      .map(({ contract }) => contract.name);

  const progress = createProgressStore(database.app);
  const feed = createTenantFeed(database.app);
  // Votes on one approval run one after another, and voters take turns. Each vote raises the call's epoch, so a
  // concurrent vote would have to be read, checked and written again.
  const decisions = new KeyQueue();
  const moved = async (call: Call, wakes: readonly Wake[] = []) => {
    watch.notify(call);
    feed.notify(call.tenant);
    await send(wakes);
  };
  const approver = createApproverService(ports, database, moved);
  const findCapability: ParaphService["findCapability"] = (tenant, name) => ports.catalog.find(tenant, name);
  const lookups = { approver, findCapability, findCall: find };
  const place: ParaphService["requestCall"] = (request) =>
    budgets.admit(request.principal, (addWork) => admitted(request, addWork));
  const preview: ParaphService["previewCall"] = (request) =>
    budgets.admit(request.principal, () => previewOnly(request, ports));
  const listAllowed = createAllowedCapabilities(ports);
  const admitted = (request: CallRequest, addWork: (work: Promise<void>) => void) =>
    runInTrace("paraph.admit", request.trace, async () => {
      const begun = currentTraceparent() ?? request.trace;
      const traced = { ...request, ...(begun !== undefined && { trace: begun }) };
      let reserved: InlineSlot | undefined;
      const result = await admit(traced, ports, (contract) => {
        reserved ??= inlineRunner.reserve(contract);
        return reserved !== undefined;
      }).catch((error: unknown) => {
        reserved?.release();
        // [TRUST 19] Reports an agent whose requests people keep denying, so that an operator can investigate.
        if (error instanceof ParaphError && error.limit === afterDenials) onThrottled(request);
        throw error;
      });
      const { call, known, wakes } = result;
      // Whether this process can continue the call immediately. A call that is admitted as performing already has its
      // intent, so no other process acts for it while this process lives.
      const goesOn = ["performing", "ready", "checking"].includes(call.state);
      if (!known && goesOn && reserved) addWork(reserved.run(call));
      else {
        reserved?.release();
        await send(wakes);
      }
      return result;
    });

  const reserveSlot = ({ tenant, capability }: Call) => {
    const contract = ports.catalog.find(tenant, capability)?.contract;
    return contract && inlineRunner.reserve(contract);
  };

  return {
    findCall: find,
    authenticate: authenticator.authenticate,
    authenticateSession: authenticator.authenticateSession,
    login: authenticator.login,
    requestCall: place,
    listSteps: (call) => ports.store.children(call),
    previewCall: preview,
    previewEdit: (given) => budgets.admit(given.editor, () => draftEdit(given, ports)),
    intents,
    listCalls: (principal, { q, ...filter }) =>
      listCalls(database.app, principal, {
        ...filter,
        ...(q !== undefined && { search: { text: q, capabilities: findDescribed(principal.tenant, q) } }),
      }),
    waitForChange: ({ tenant }, call, epoch, ms, signal) =>
      watch.waitForChange({ tenant, call }, epoch, ms, signal),
    readProgress: (call) => progress.read(call),
    followEvents: feed.follow,
    observations: createObservationService(database.app),
    readStatistics: (reader, filter) => loadCallStatistics(database.reports, reader, filter),
    readLoad: ({ tenant }) => readLoad(database.reports, tenant),
    listApprovals: (principal, filter) =>
      listApprovals(database.app, principal, {
        ...filter,
        singles: maxUnbundledApprovals,
        items: maxBundleItems,
      }),
    listFlood: (principal, of, limit) => listFlood(database.app, principal, of, limit),
    actions: createCallActions({
      ports,
      messageStore,
      delegations: createDelegationStore(database.app),
      findEarlierPreview: (call) => findEarlierPreview(database.app, call),
      listReasons: (call) => listReasons(database.app, call),
      findUndo: (call) => findUndo(database.app, call),
      findPrincipal: createAdminQueries(database.app).findPrincipal,
      announceChange: moved,
      requestCall: place,
    }),
    notifications: createNotificationService(database, channels),
    passkeys: createPasskeyService({ store: createPasskeyStore(database.app), ports, url }),
    ...(channels.some(({ name }) => name === "slack") && {
      slackAccounts: createSlackAccountService(database, ports),
    }),
    findApproval: async (principal, approval) =>
      visible(principal, await ports.store.findByApproval(principal.tenant, approval)),
    async decide(decision) {
      const { approval, voter } = decision;
      const decided = await decisions.run(`${voter.tenant}/${approval}`, voter.id, () =>
        decide(decision, ports),
      );
      const { call, wakes } = decided;
      const slot = call.state === "ready" ? reserveSlot(call) : undefined;
      // The vote is recorded, so the voter does not wait for the effect.
      void slot?.run(call);
      await moved(call, slot ? wakes.filter((wake) => wake.call !== call.call) : wakes);
      return decided;
    },
    async findReceipt(principal, call) {
      const found = await find(principal, call);
      const envelope = found && (await findEnvelope(database.app, principal.tenant, call));
      return found && envelope && discloseReceipt(principal, found, envelope, lookups);
    },
    listActivity: (reader, own, filter) => listActivity(database.app, reader, own, filter),
    principals: createPrincipalService(ports, database, channels, listAllowed),
    listGroups: ({ tenant }, page) => listGroups(database.app, tenant, page),
    listApiKeys: ({ tenant }, page) => listApiKeys(database.app, tenant, page),
    listFreezes: ({ tenant }) => listFreezes(database.app, tenant),
    listGrants: ({ tenant }) => createGrantStore(database.app).list(tenant),
    approver,
    listCapabilities: ({ tenant }) => ports.catalog.all(tenant),
    listAllowedCapabilities: listAllowed,
    findCapability,
    listAdapters,
    listPendingDefinitions,
    expectRuling: (principal, contract) => expectRuling(principal, contract, ports),
    getFacades,
    markDelivered: (tenant, calls) => ports.store.markDelivered(tenant, calls),
    listPublicKeys: () => publicKeys,
    policy: createPolicyService({
      ports,
      database,
      preview: (reader, request) => budgets.admit(reader, () => previewOnly(request, ports)),
    }),
    checkHealth,
  };
}
