import {
  type Call,
  conflictedPrincipals,
  lastEvent,
  lastHeadline,
  type OutcomeKind,
  type Ports,
  type Principal,
  type Risk,
  recordReveal,
  toOpenQuestion,
  voterRole,
} from "@paraph/core";
import type { ModelStore } from "@paraph/core/testing";
import { type ApproverService, toApprovers } from "../../services/approver-service.ts";

/** Returns the headline of a call in a list, which shows none for steps. */
export function listedHeadline(call: Call): { readonly headline?: string } {
  const headline = call.parent ? undefined : lastHeadline(call);
  return headline === undefined ? {} : { headline };
}

/** Creates the approver service over the model store. */
export function createTestApproverService(
  store: ModelStore,
  ports: Ports,
  people: readonly Principal[],
): ApproverService {
  const othersExist = ({ tenant, principal }: Call) =>
    store.hasOtherPerson(tenant, conflictedPrincipals(principal));
  const toReaderQuestion = async ({ id }: Principal, call: Call) => ({
    question: toOpenQuestion(call, call.approval!),
    voted: call.approval!.votes.some(({ by }) => by === id),
    ownCall: conflictedPrincipals(call.principal).includes(id) && (await othersExist(call)),
  });
  return {
    async listQuestions(reader, approvals) {
      const listed = store
        .calls()
        .filter(({ tenant, approval }) => tenant === reader.tenant && approvals.includes(approval?.id ?? ""));
      return new Map(
        await Promise.all(
          listed.map(async (call) => [call.approval!.id, await toReaderQuestion(reader, call)] as const),
        ),
      );
    },
    findVoterRole: async (reader, call) => voterRole(reader, call.principal, await othersExist(call)),
    async listApprovers(call, round) {
      const persons = people.filter(({ tenant, kind }) => tenant === call.tenant && kind === "person");
      const asked = persons.map((principal) => ({ principal, delegations: [] }));
      return { approvers: await toApprovers(asked, call, round, ports), hasMore: false };
    },
    listDelegationsTo: ({ tenant, id }) => store.delegationsTo(tenant, id),
    isOnlyPerson: async ({ tenant, id }) => !(await store.hasOtherPerson(tenant, [id])),
    recordReveal: async (by, call, paths) => void (await recordReveal({ call, by, paths }, ports)),
    async listInbox(reader, { after, limit }) {
      const open = store
        .calls()
        .filter(({ tenant, approval }) => tenant === reader.tenant && approval?.status === "open");
      const rows = open.map(async (call) => {
        const { id, votes, expiresAt } = call.approval!;
        return {
          approval: id,
          ...listedHeadline(call),
          capability: call.capability,
          expiresAt,
          votes: votes.length,
          ...readStepCounts(call),
          ...(await toReaderQuestion(reader, call)),
        };
      });
      const place = ({ expiresAt, approval }: { expiresAt: number; approval: string }) =>
        `${String(expiresAt).padStart(16, "0")}.${approval}`;
      const found = (await Promise.all(rows))
        .filter((row) => after === undefined || place(row) > place(after))
        .sort((a, b) => (place(a) < place(b) ? -1 : 1))
        .slice(0, limit);
      const last = found.length === limit ? found.at(-1) : undefined;
      return { rows: found, ...(last && { next: last }) };
    },
    async readHistory({ tenant, principal, capability, call }) {
      const earlier = store
        .calls()
        .filter((one) => one.tenant === tenant && one.principal.id === principal.id)
        .filter((one) => one.capability === capability && one.call !== call && one.outcome !== undefined);
      const outcomes: Partial<Record<OutcomeKind, number>> = {};
      for (const { outcome } of earlier) outcomes[outcome!.kind] = (outcomes[outcome!.kind] ?? 0) + 1;
      return { outcomes };
    },
  };
}

function readStepCounts({ events }: Call) {
  const steps = lastEvent(events, "asked")?.data.steps;
  return steps === undefined ? {} : { steps: steps as Record<Risk, number> };
}
