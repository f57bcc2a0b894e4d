import { corePath, type Mutation, type NamedTest } from "../mutation.ts";

const forgedTest = (title: string): NamedTest => ({
  file: corePath("pipeline/execution/forged.test.ts"),
  title,
});
const provenRecordFile = corePath("receipts/proven-record.ts");
const replayTest = (title: string): NamedTest => ({
  file: "packages/server/src/postgres/calls/replay-check.test.ts",
  title,
});

/** Mutations of the seals that keep forged rows from being performed, and of the search for gaps. */
export const sealMutations: readonly Mutation[] = [
  ...listSealMutations(),
  ...listRowMutations(),
  ...listGapMutations(),
];

function listSealMutations(): Mutation[] {
  return [
    {
      name: "perform a call whose record is not proven",
      file: corePath("pipeline/advance.ts"),
      find: `const ended = await closeIfUnproven(call, ports);
  if (ended) return ended;`,
      replace: "",
      caughtBy: {
        file: "test/forged-rows.test.ts",
        title: "a vote that no person gave performs nothing",
      },
    },
    {
      name: "count a vote beside a forged one",
      file: corePath("pipeline/approval/decide.ts"),
      find: "await requireProven(call, ports);",
      replace: "",
      caughtBy: forgedTest(
        "Paraph rejects the next vote and voids the round after this forgery: one vote more",
      ),
      quick: true,
    },
    {
      name: "take a vote for sealed without looking",
      file: corePath("receipts/seal.ts"),
      find: "return (sealedKinds as readonly string[]).includes(event.kind);",
      replace: 'return event.kind !== "voted" && (sealedKinds as readonly string[]).includes(event.kind);',
      caughtBy: forgedTest(
        "Paraph refuses an approved call with this forgery: another voter, in the event as well",
      ),
    },
    {
      name: "let a seal stand without what came before",
      file: corePath("receipts/seal.ts"),
      find: "data: facts as unknown as Json, before });",
      replace: 'data: facts as unknown as Json, before: before && "" });',
      caughtBy: forgedTest("Paraph refuses an approved call with this forgery: a vote once more"),
    },
    {
      name: "count a grant without a seal",
      file: corePath("receipts/sealed-grant.ts"),
      find: "if (!grant.given) return false;",
      replace: "if (!grant.given) return true;",
      caughtBy: {
        file: "test/forged-rows.test.ts",
        title: "a forged grant approves nothing, and an approver is asked",
      },
    },
  ];
}

function listRowMutations(): Mutation[] {
  return [
    {
      name: "take the voter from the row",
      file: provenRecordFile,
      find: "data.round === approval?.round && data.by === by",
      replace: "data.round === approval?.round && by !== ''",
      caughtBy: forgedTest("Paraph refuses an approved call with this forgery: another voter"),
    },
    {
      name: "take the time of a vote from the row",
      file: provenRecordFile,
      find: "cast?.at === at &&",
      replace: "cast !== undefined && at >= 0 &&",
      caughtBy: forgedTest("Paraph refuses an approved call with this forgery: another time of a vote"),
    },
    {
      name: "act because the row says so",
      file: provenRecordFile,
      find: 'if (!isPositionProven(call)) return { entry: "state" };',
      replace: "",
      caughtBy: forgedTest(
        "Paraph refuses an approved call with this forgery: a state that follows from nothing",
      ),
    },
    {
      name: "retry with whatever input is stored",
      file: provenRecordFile,
      find: '(["input", "answer", "checks"] as const)',
      replace: '(["answer", "checks"] as const)',
      caughtBy: forgedTest("[P7] the retry of an attempt that may have acted never sends a forged input"),
    },
  ];
}

function listGapMutations(): Mutation[] {
  return [
    {
      name: "link no call to those before it",
      file: corePath("pipeline/ruling/draft.ts"),
      find: "...(follows.length > 0 && { follows }),",
      replace: "",
      caughtBy: replayTest(
        "is reported as missing, because a later call links to it or names it, at any position",
      ),
    },
    {
      name: "overlook a gap in the events",
      file: "packages/server/src/postgres/calls/replay-gaps.ts",
      find: ".filter((seq) => !found.has(seq))",
      replace: ".filter((seq) => found.size === 0 && !found.has(seq))",
      caughtBy: replayTest(
        "update event_row set ruled = null where kind = 'asked' and call = (select min(id) from paraph.call where state = 'asking')",
      ),
    },
  ];
}
