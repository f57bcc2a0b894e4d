import {
  answerGuard,
  buildSessionSnapshot,
  type Call,
  type Child,
  contractHeadline,
  eventsOfKind,
  isRetryable,
  type Principal,
  type SessionSnapshot,
  type SnapshotCall,
  type SnapshotObservation,
  type SnapshotQuestion,
  type VisiblePayloads,
} from "@paraph/core";
import type { CallSummary, ParaphService } from "./paraph-service.ts";

/** The snapshot to read, and what its reader may see. */
export interface SnapshotRequest {
  readonly reader: Principal;
  readonly session: string;
  /** The maximum number of tokens, by the estimate of core. */
  readonly tokens: number;
  /** Whether to read only the reader's own calls. */
  readonly isOwnOnly: boolean;
  readonly canReadObservations: boolean;
  /** Returns the payloads of a call as the reader may see them. */
  readonly showPayloads: (call: Call) => Promise<VisiblePayloads["payloads"]>;
}

type SnapshotDeps = Pick<
  ParaphService,
  "listCalls" | "findCall" | "findCapability" | "listSteps" | "observations"
> & { readonly actions: Pick<ParaphService["actions"], "listMessages"> };

/** The numbers of calls that a snapshot reads. They bound its cost, however many calls the session has. */
const maxCalls = 300;
const maxOpenCalls = 50;
const maxLoadedCalls = 40;
const maxMessages = 100;
const maxAdapters = 5;
const maxObservations = 50;
/** The maximum length of one text of another person in a snapshot. */
const maxSaidLength = 500;

/**
 * Reads the state of a session for this reader: open questions, calls, plans, outcomes, observations and the last state
 * that the agent gave. A session without calls that the reader may see is empty, whether or not it exists.
 */
export async function readSessionSnapshot(
  service: SnapshotDeps,
  request: SnapshotRequest,
): Promise<SessionSnapshot> {
  const { reader, session } = request;
  const filter = { session, ...(request.isOwnOnly && { principal: reader.id }) };
  const [newest, open, stated] = await Promise.all([
    service.listCalls(reader, { ...filter, steps: false, limit: maxCalls }),
    service.listCalls(reader, { ...filter, steps: false, state: "open", limit: maxOpenCalls }),
    service.listCalls(reader, { ...filter, hasState: true, limit: 1 }),
  ]);
  const summaries = [...new Map([...newest.calls, ...open.calls].map((one) => [one.call, one])).values()];
  const isPlan = ({ capability }: CallSummary) =>
    service.findCapability(reader.tenant, capability)?.contract.composite === true;
  const wanted = summaries.filter((one) => needsDetails(one) || isPlan(one)).slice(0, maxLoadedCalls);
  const found = await Promise.all(wanted.map(({ call }) => service.findCall(reader, call)));
  const loaded = new Map(found.flatMap((call) => (call ? [[call.call, call] as const] : [])));
  const steps = new Map(
    await Promise.all(
      [...loaded.values()].map(async (call) => [call.call, await service.listSteps(call)] as const),
    ),
  );
  const described = summaries.map((one) => ({
    ...one,
    headline: one.headline ?? describeContract(service, reader, one),
  }));
  const calls = await Promise.all(
    described.map((one) => toSnapshotCall(one, loaded.get(one.call), steps.get(one.call) ?? [], request)),
  );
  const questions = await Promise.all(
    described.map((one) => listQuestions(one, loaded.get(one.call), service)),
  );
  const state = stated.calls[0] && (await readState(stated.calls[0].call, service, request));
  return buildSessionSnapshot(
    {
      session,
      ...(state && { compressedState: state }),
      questions: questions.flat(),
      calls,
      observations: request.canReadObservations
        ? await listObserved(summaries, [...steps.values()].flat(), service, reader)
        : [],
      hasOlder: newest.next !== undefined,
    },
    request.tokens,
  );
}

/** Returns whether only the rows of the call tell what the snapshot needs to know about it. */
function needsDetails({ outcome }: CallSummary): boolean {
  return !outcome || ["denied", "superseded", "failed"].includes(outcome.kind);
}

function describeContract(service: SnapshotDeps, reader: Principal, { capability }: CallSummary): string {
  const contract = service.findCapability(reader.tenant, capability)?.contract;
  return contract ? contractHeadline(contract) : capability;
}

type Described = CallSummary & { readonly headline: string };

async function toSnapshotCall(
  { call, headline, capability, createdAt, state, outcome }: Described,
  loaded: Call | undefined,
  children: readonly Child[],
  { showPayloads }: SnapshotRequest,
): Promise<SnapshotCall> {
  const reason = loaded?.outcome && (await showPayloads(loaded)).reason;
  const successor = loaded && eventsOfKind(loaded.events, "closed").at(-1)?.data.successor;
  const steps = countSteps(children);
  return {
    call,
    headline: headline.toWellFormed(),
    capability,
    at: toIso(createdAt),
    ...(outcome ? { outcome: outcome.kind, code: outcome.code } : { state }),
    ...(loaded && outcome?.kind === "failed" && { retryable: isRetryable(loaded) }),
    ...(typeof reason === "string" && reason !== "" && { said: cut(reason) }),
    ...(successor !== undefined && { successor }),
    ...(steps && { steps }),
  };
}

function countSteps(steps: readonly Child[]) {
  if (steps.length === 0) return undefined;
  const kinds = Map.groupBy(steps, ({ outcome }) => outcome?.kind ?? "open");
  return Object.fromEntries([...kinds].map(([kind, of]) => [kind, of.length]));
}

/** Returns what is open about a call, the newest first. */
async function listQuestions(
  { call, headline, outcome, finding, createdAt }: Described,
  loaded: Call | undefined,
  service: SnapshotDeps,
): Promise<SnapshotQuestion[]> {
  const text = headline.toWellFormed();
  if (outcome?.kind === "unknown" && finding === undefined)
    return [{ kind: "unknown", call, at: toIso(createdAt), text }];
  if (outcome || !loaded) return [];
  const round = loaded.approval?.status === "open" ? loaded.approval : undefined;
  const asked = round && {
    kind: round.guards.some(({ id }) => id === answerGuard.id) ? ("answer" as const) : ("approval" as const),
    call,
    at: toIso(eventsOfKind(loaded.events, "asked").at(-1)?.at ?? createdAt),
    approval: round.id,
    until: toIso(round.expiresAt),
    text,
  };
  return [...(await listUnanswered(loaded, service)), ...(asked ? [asked] : [])];
}

/** Returns the comments and questions of people that came after the last answer of the requester. */
async function listUnanswered(call: Call, { actions }: SnapshotDeps): Promise<SnapshotQuestion[]> {
  const messages = await actions.listMessages(call, { limit: maxMessages });
  const answered = messages.findLastIndex(({ kind }) => kind === "answer");
  return messages
    .slice(answered + 1)
    .flatMap(({ by, at, text }) =>
      text === undefined
        ? []
        : [{ kind: "comment" as const, call: call.call, at: toIso(at), by, text: cut(text) }],
    )
    .toReversed();
}

async function readState(call: string, service: SnapshotDeps, { reader, showPayloads }: SnapshotRequest) {
  const found = await service.findCall(reader, call);
  const text = found && (await showPayloads(found)).compressedState;
  return typeof text === "string" ? { call, text: text.toWellFormed() } : undefined;
}

/** Lists what the session's adapters observed since the oldest listed call, newest first. */
async function listObserved(
  calls: readonly CallSummary[],
  steps: readonly Child[],
  { observations }: SnapshotDeps,
  reader: Principal,
): Promise<SnapshotObservation[]> {
  const since = calls.at(-1)?.createdAt;
  if (since === undefined) return [];
  const used = [...calls, ...steps].map(({ capability }) => capability.split(".")[0]!);
  const adapters = [...new Set(used)].slice(0, maxAdapters);
  const pages = await Promise.all(
    adapters.map((adapter) => observations.list(reader, { adapter, since, limit: maxObservations })),
  );
  return pages
    .flatMap((page) => page.observations)
    .toSorted((a, b) => b.seq - a.seq)
    .map(({ seq, adapter, kind, subject, observedAt }) => ({
      ...{ seq, adapter, kind, subject: cut(subject), at: toIso(observedAt) },
    }));
}

function cut(text: string): string {
  const short = text.length > maxSaidLength ? `${text.slice(0, maxSaidLength - 1)}…` : text;
  return short.toWellFormed();
}

function toIso(at: number): string {
  return new Date(at).toISOString();
}
