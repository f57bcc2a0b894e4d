import type { RecordedEvent } from "../../event.ts";
import type { Json } from "../../json.ts";
import { callCommitment } from "../../receipts/call-commitment.ts";
import { canonical } from "../../receipts/digest.ts";
import type { RebuiltCall } from "../../replay/rebuilt-call.ts";
import { replayCall } from "../../replay/replay.ts";
import type { CallRow } from "../model/model-rows.ts";
import type { ModelStore } from "../model/model-store.ts";

/** [replay] Checks that each column of a call's rows agrees with the value that the call's events give. */
export function findReplayViolations(store: ModelStore): string[] {
  return store.rows().flatMap((row) => {
    const events = row.events.map((event, index) => ({
      ...(event as unknown as RecordedEvent),
      epoch: row.epochs[index]!,
    }));
    const told = replayCall(events);
    if (!told) return [`[replay] ${row.call} does not begin with its acceptance`];
    const found = toRebuiltCall(row, store);
    return Object.entries(told)
      .filter(
        ([column, value]) =>
          !isSame(value, found[column as keyof RebuiltCall]) && isToldByEvents(told, column),
      )
      .map(([column, value]) => {
        const values = `${JSON.stringify(value)} by its events, ${JSON.stringify(found[column as keyof RebuiltCall])} in its rows`;
        return `[replay] ${row.call}: ${column} is ${values}`;
      });
  });
}

/** Returns whether events determine the column. See `RebuiltCall` for the columns that they do not determine. */
function isToldByEvents({ epoch }: RebuiltCall, column: string): boolean {
  return column === "epoch" ? epoch !== undefined : column !== "begun";
}

function toRebuiltCall(row: CallRow, store: ModelStore): RebuiltCall {
  const locks = store.getLocks(row.tenant);
  const places = locks.listQueued().filter(({ call }) => call === row.call);
  const salt = row.payloads.find(({ name }) => name === "input")?.salt ?? "";
  return {
    principal: row.principal.id,
    onBehalfOf: row.principal.onBehalfOf,
    capability: row.capability,
    version: row.version,
    createdAt: row.createdAt,
    supersedes: row.supersedes,
    editedBy: row.editedBy,
    parent: row.parent,
    facts: callCommitment(salt, row),
    begun: false,
    state: row.state,
    epoch: row.epoch,
    deadline: row.deadline,
    outcome: row.outcome,
    rounds: row.rounds.map(({ id, ...round }) => ({ approval: id, ...round })),
    attempts: row.intents.map(({ attempt, at, deadline, grant, ended }) => ({
      attempt,
      at,
      deadline,
      ended,
      grant: grant?.id,
    })),
    held: locks.listHeld().filter(({ call }) => call === row.call).length,
    queued: places[0] && { keys: places.length, position: places[0].position },
    // The model stores no messages.
    messages: [],
    resolution: row.resolution && { ...row.resolution, statement: row.statement?.digest ?? "" },
  };
}

function isSame(told: unknown, found: unknown): boolean {
  return canonical(toPlainJson(told)) === canonical(toPlainJson(found));
}

/** Removes members that are undefined. */
function toPlainJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}
