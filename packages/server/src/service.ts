import {
  admit,
  afterDenials,
  type Call,
  type CallRequest,
  decide,
  type Envelope,
  inReceipt,
  ParaphError,
  type Ports,
  type Principal,
  type PublicKey,
  previewOnly,
  type ReceiptBundle,
  seesEverything,
  type Wake,
} from "@paraph/core";
import { approverServiceOver } from "./approver-service.ts";
import type { BudgetKeeper } from "./budgets.ts";
import type { Callers } from "./callers.ts";
import { type HandlingParts, handlingOver } from "./handling.ts";
import type { Here, Place } from "./here.ts";
import { mostItems, mostSingles, type Service } from "./http/service.ts";
import { KeyQueue } from "./key-queue.ts";
import { observationsOver } from "./observations.ts";
import { policyServiceOver } from "./policy-service.ts";
import {
  callStatistics,
  type Database,
  delegationsIn,
  findEarlierPreview,
  findEnvelope,
  freezesIn,
  grantsIn,
  listActivity,
  listApiKeys,
  listApprovals,
  listCalls,
  listFlood,
  listGroups,
  listPrincipals,
  progressIn,
  type Watch,
} from "./postgres/index.ts";
import { prospectsOver } from "./prospects.ts";

export interface ServiceParts {
  readonly ports: Ports;
  readonly database: Database;
  readonly thread: HandlingParts["thread"];
  readonly callers: Callers;
  readonly send: (wakes: readonly Wake[]) => Promise<void>;
  readonly here: Here;
  readonly budgets: BudgetKeeper;
  readonly watch: Watch;
  readonly publicKeys: readonly PublicKey[];
  readonly health: Service["health"];
  readonly adapters: Service["adapters"];
  readonly traced: <T>(name: string, trace: string | undefined, body: () => Promise<T>) => Promise<T>;
  readonly trace: () => string | undefined;
  /** Who asked was turned away because people keep denying what they ask. */
  readonly slowed: (request: CallRequest) => void;
}

/** The pipeline as the surfaces use it: look up as somebody, admit, decide, and send what that leaves to send. */
export function serviceOver({
  ports,
  database,
  thread,
  callers,
  send,
  here,
  budgets,
  watch,
  publicKeys,
  health,
  adapters,
  traced,
  trace,
  slowed,
}: ServiceParts): Service {
  const visible = async (principal: Principal, call: Call | undefined) =>
    call && (seesEverything(principal) || call.principal.id === principal.id) ? call : undefined;
  const find: Service["find"] = async (principal, call) =>
    visible(principal, await ports.store.load({ tenant: principal.tenant, call }));

  const progress = progressIn(database.app);
  // Every vote raises the epoch of the call. Concurrent votes would lose the fence and repeat all their work.
  const decisions = new KeyQueue();
  const moved = async (call: Call, wakes: readonly Wake[] = []) => {
    watch.poke(call);
    await send(wakes);
  };
  const place: Service["call"] = (request) => budgets.admit(request.principal, () => admitted(request));
  const admitted: Service["call"] = (request) =>
    traced("paraph.admit", request.trace, async () => {
      const begun = trace() ?? request.trace;
      const traced = { ...request, ...(begun !== undefined && { trace: begun }) };
      let reserved: Place | undefined;
      const result = await admit(traced, ports, (contract) => {
        reserved ??= here.reserve(contract);
        return reserved !== undefined;
      }).catch((error: unknown) => {
        reserved?.giveBack();
        // [TRUST 19] Somebody should look at an agent that people keep saying no to.
        if (error instanceof ParaphError && error.limit === afterDenials) slowed(request);
        throw error;
      });
      const { call, known, wakes } = result;
      // Admitted as performing, it has its intent, and nobody else will act for it while this process lives.
      const goesOn = ["performing", "ready", "checking"].includes(call.state);
      if (!known && goesOn && reserved) reserved.run(call);
      else {
        reserved?.giveBack();
        await send(wakes);
      }
      return result;
    });

  return {
    find,
    authenticate: callers.authenticate,
    session: callers.session,
    login: callers.login,
    call: place,
    steps: (call) => ports.store.children(call),
    preview: (request) => budgets.admit(request.principal, () => previewOnly(request, ports)),
    list: (principal, filter) => listCalls(database.app, principal, filter),
    changed: ({ tenant }, call, epoch, ms, signal) => watch.changed({ tenant, call }, epoch, ms, signal),
    progress: (call) => progress.read(call),
    observations: observationsOver(database.app),
    statistics: (reader, filter) => callStatistics(database.reports, reader, filter),
    approvals: (principal, filter) =>
      listApprovals(database.app, principal, { ...filter, singles: mostSingles, items: mostItems }),
    flood: (principal, of, limit) => listFlood(database.app, principal, of, limit),
    handling: handlingOver({
      ports,
      thread,
      delegations: delegationsIn(database.app),
      earlierPreview: (call) => findEarlierPreview(database.app, call),
      moved,
      call: place,
    }),
    findApproval: async (principal, approval) =>
      visible(principal, await ports.store.findByApproval(principal.tenant, approval)),
    async decide(decision) {
      const { approval, voter } = decision;
      const decided = await decisions.run(`${voter.tenant}/${approval}`, () => decide(decision, ports));
      await moved(decided.call, decided.wakes);
      return decided;
    },
    async receipt(principal, call) {
      const found = await find(principal, call);
      const envelope = found && (await findEnvelope(database.app, principal.tenant, call));
      if (!found || envelope === undefined) return undefined;
      return bundle(
        JSON.parse(envelope) as Envelope,
        mayBeShown(found, principal, ports) ? inReceipt(found.payloads) : {},
      );
    },
    activity: (reader, own, filter) => listActivity(database.app, reader, own, filter),
    principals: ({ tenant }, page) => listPrincipals(database.app, tenant, page),
    groups: ({ tenant }, page) => listGroups(database.app, tenant, page),
    apiKeys: ({ tenant }, page) => listApiKeys(database.app, tenant, page),
    freezes: ({ tenant }) => freezesIn(database.app).list(tenant),
    grants: ({ tenant }) => grantsIn(database.app).list(tenant),
    approver: approverServiceOver(ports, database, moved),
    capabilities: ({ tenant }) => ports.catalog.all(tenant),
    offered: prospectsOver(ports),
    capability: (tenant, name) => ports.catalog.find(tenant, name),
    adapters,
    keys: () => publicKeys,
    policy: policyServiceOver({ ports, database }),
    health,
  };
}

function bundle(envelope: Envelope, disclosures: Call["payloads"]): ReceiptBundle {
  return { mediaType: "application/vnd.paraph.receipt.v1+json", envelope, disclosures };
}

/** A payload is disclosed whole or not at all: where a contract has sensitive fields, only to who sent them. */
function mayBeShown(call: Call, reader: Principal, { catalog }: Ports): boolean {
  if (call.principal.id === reader.id) return true;
  const capability = catalog.find(call.tenant, call.capability);
  return capability?.contractDigest === call.contractDigest && capability.contract.sensitive.length === 0;
}
