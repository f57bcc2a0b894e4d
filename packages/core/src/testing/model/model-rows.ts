import type { Approval, CastVote } from "../../approval.ts";
import { type AttemptEnd, type Call, type Child, maxStepBytes, type Payloads } from "../../call.ts";
import type { Event, NewEvent } from "../../event.ts";
import type { Json } from "../../json.ts";
import type { Gate, NewApproval, NewCall, NewIntent, NewPayload, NewReceipt } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import { utf8 } from "../../receipts/bytes.ts";
import { canonical } from "../../receipts/digest.ts";
import type { Resolution } from "../../receipts/resolution.ts";

/** The process that wrote a row, as far as the rows can tell whether it is still there. */
export interface ModelProcess {
  isAlive: boolean;
}

export interface CallRow
  extends Omit<NewCall, "events" | "payloads" | "ask" | "intent" | "receipt" | "gate" | "segment"> {
  epoch: number;
  state: Call["state"];
  nextAt: number | undefined;
  deadline?: number;
  outcome?: NonNullable<Call["outcome"]>;
  closedAt?: number;
  receipt?: NewReceipt;
  resolution?: Resolution;
  statement?: NewReceipt;
  /** The process that runs it, and how many died over it since it made progress. */
  runner?: ModelProcess | undefined;
  deaths?: number;
  stuck?: string;
  /** Since when, and for a place under which limit it waits. */
  place?: { readonly key: string; readonly since: number };
  readonly events: Event[];
  /** Of each event, the epoch that its transaction raised the call to. */
  readonly epochs: number[];
  readonly payloads: NewPayload[];
  readonly rounds: RoundRow[];
  readonly intents: IntentRow[];
}

export interface RoundRow extends NewApproval {
  status: Approval["status"];
  votes: CastVote[];
}

export interface IntentRow {
  readonly attempt: number;
  readonly at: number;
  readonly deadline: number;
  /** Not there where another than the writing process acts. */
  readonly writer: ModelProcess | undefined;
  readonly grant?: NonNullable<Gate["grant"]>;
  ended?: AttemptEnd;
}

/**
 * The rows of a call as the pipeline sees them: a copy, so that nobody changes rows by holding a call. `known`: its
 * principal as it is registered now; for whom it acts is the call's own.
 */
export function toCall(row: CallRow, known: Principal = row.principal): Call {
  const { rounds, intents, payloads, epochs: _epochs, closedAt: _at, ...columns } = row;
  const { receipt: _receipt, statement: _statement, runner: _runner, place: _place, ...rest } = columns;
  const { onBehalfOf } = row.principal;
  const newest = rounds.at(-1);
  return deepCopy({
    ...rest,
    principal: { ...known, ...(onBehalfOf !== undefined && { onBehalfOf }) },
    deadline: row.deadline,
    outcome: row.outcome,
    approval: newest,
    attempts: intents.map(({ attempt, writer, grant: _used, ...intent }) => ({
      number: attempt,
      writerGone: writer?.isAlive === false,
      ...intent,
    })),
    payloads: selectNewest(payloads),
  });
}

export function toIntentRow(
  { performer, ...intent }: NewIntent,
  writer: ModelProcess,
  gate: Gate | undefined,
): IntentRow {
  return { ...intent, writer: performer ? undefined : writer, ...(gate?.grant && { grant: gate.grant }) };
}

export function toRoundRow(ask: NewApproval): RoundRow {
  return { ...ask, status: "open", votes: [] };
}

/** A call as it is inserted. */
export function toCallRow(opening: NewCall, writer: ModelProcess, now: number): CallRow {
  const { parentEpoch: _fence, undelivered: _debt, ...facts } = deepCopy(opening);
  const { events, payloads, ask, intent, receipt, gate, segment, ...columns } = facts;
  const row: CallRow = {
    ...columns,
    epoch: 1,
    ...(segment === "runs" && { runner: writer }),
    ...(opening.state === "closed" && { closedAt: now }),
    events: [],
    epochs: [],
    payloads: [...(payloads ?? [])],
    rounds: ask ? [toRoundRow(ask)] : [],
    intents: intent ? [toIntentRow(intent, writer, gate)] : [],
    ...(receipt && { receipt }),
  };
  appendEvents(row, events);
  return row;
}

/** After the row's epoch was raised, as its transaction does. */
export function appendEvents(
  row: Pick<CallRow, "events" | "epochs" | "epoch">,
  events: readonly NewEvent[],
): void {
  for (const { kind, at, data } of events) {
    row.events.push({ seq: row.events.length + 1, kind, at, data } as Event);
    row.epochs.push(row.epoch);
  }
}

/** Older payloads of a name are kept, as the commitments in older events refer to them; the newest is loaded. */
function selectNewest(payloads: readonly NewPayload[]): Payloads {
  return Object.fromEntries(payloads.map(({ name, salt, value }) => [name, { salt, value }]));
}

/** A deep copy of plain data. */
export function deepCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(deepCopy) as T;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = deepCopy((value as Record<string, unknown>)[name]);
    // Assigned, this one would not become a member.
    if (name === "__proto__")
      Object.defineProperty(copy, name, {
        value: member,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else copy[name] = member;
  }
  return copy as T;
}

/** The steps of one composite: too much together is withheld of all of them. */
export function toChildren(rows: readonly CallRow[]): Child[] {
  const children = rows.map(toModelChild);
  const bytes = children.reduce(
    (sum, { output, undo }) => sum + measureBytes(output) + measureBytes(undo),
    0,
  );
  if (bytes <= maxStepBytes) return children;
  return children.map(({ output: _, undo: __, ...child }) => ({ ...child, withheld: true }));
}

function measureBytes(value: Json | undefined): number {
  return value === undefined ? 0 : utf8(canonical(value)).length;
}

/** A row as the composite that made it sees it. */
export function toModelChild(row: CallRow): Child {
  const last = (name: "output" | "undo") => row.payloads.findLast((payload) => payload.name === name)?.value;
  const { call, state, capability, requestDigest, lockKeys, supersedes, outcome, receipt } = row;
  const closedAt = row.events.findLast(({ kind }) => kind === "closed")?.at;
  const output = last("output");
  const undo = last("undo");
  return deepCopy({
    call,
    step: row.parent!.step,
    state,
    capability,
    requestDigest,
    lockKeys,
    ...(supersedes !== undefined && { supersedes }),
    ...(outcome && { outcome }),
    ...(closedAt !== undefined && { closedAt }),
    ...(receipt && { receipt: receipt.digest }),
    ...(output !== undefined && { output }),
    ...(undo !== undefined && { undo }),
  });
}
