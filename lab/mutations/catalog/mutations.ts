import {
  corePath,
  httpTest,
  type Mutation,
  promisesTest,
  rulingTest,
  sqlFunctionPath,
  storeTest,
} from "../mutation.ts";
import { approvalMutations } from "./approval-mutations.ts";
import { authorityMutations } from "./authority-mutations.ts";
import { boundsMutations } from "./bounds-mutations.ts";
import { configMutations } from "./config-mutations.ts";
import { editsMutations } from "./edits-mutations.ts";
import { folderMutations } from "./folder-mutations.ts";
import { foreignMutations } from "./foreign-mutations.ts";
import { gateMutations } from "./gate-mutations.ts";
import { livenessMutations } from "./liveness-mutations.ts";
import { modelMutations } from "./model-mutations.ts";
import { noticeMutations } from "./notice-mutations.ts";
import { outsideMutations } from "./outside-mutations.ts";
import { peopleMutations } from "./people-mutations.ts";
import { planMutations } from "./plan-mutations.ts";
import { pollMutations } from "./poll-mutations.ts";
import { recordMutations } from "./record-mutations.ts";
import { sealMutations } from "./seal-mutations.ts";
import { sqlMutations } from "./sql-mutations.ts";

export const mutations: readonly Mutation[] = [
  ...listIntentAndLockMutations(),
  ...listUnknownOutcomeMutations(),
  ...listApprovalMutations(),
  ...listPolicyMutations(),
  ...listAdmissionMutations(),
  ...listServiceMutations(),
  ...listRowMutations(),
  ...listReceiptMutations(),
  ...gateMutations,
  ...authorityMutations,
  ...folderMutations,
  ...approvalMutations,
  ...planMutations,
  ...peopleMutations,
  ...pollMutations,
  ...foreignMutations,
  ...outsideMutations,
  ...sqlMutations,
  ...editsMutations,
  ...configMutations,
  ...boundsMutations,
  ...livenessMutations,
  ...modelMutations,
  ...recordMutations,
  ...sealMutations,
  ...noticeMutations,
];

function listIntentAndLockMutations(): Mutation[] {
  const intent = "intent: { attempt, at, deadline, ...performer },";
  return [
    {
      name: "skip the intent",
      file: corePath("pipeline/execution/perform.ts"),
      find: 'const intended = await commitAtGate(call, { ...move, segment: "runs" }, ports);',
      replace:
        'const { intent: _, ...less } = move; const intended = await commitAtGate(call, { ...less, segment: "runs" }, ports);',
      caughtBy: promisesTest("[P7] happens only after its intent is stored"),
      quick: true,
    },
    {
      name: "free a lock early",
      file: corePath("pipeline/attempt/intent.ts"),
      find: intent,
      replace: `${intent} unlock: true,`,
      caughtBy: promisesTest(
        "[locks] happens while its call holds its locks, which are released when the call ends",
      ),
    },
    {
      name: "skip the locks",
      file: corePath("pipeline/admission/evaluate.ts"),
      find: "call.epoch === 0 && call.lockKeys.length === 0 && isPerformedByParaph(contract)",
      replace: "call.epoch === 0 && isPerformedByParaph(contract)",
      caughtBy: promisesTest("[locks] does not start at admission if its call needs locks"),
    },
    {
      name: "act past the deadline",
      file: corePath("pipeline/attempt/attempt.ts"),
      find: 'if (started >= deadline) return { kind: "fault", fault: deadlineFault };',
      replace: "",
      caughtBy: {
        file: corePath("pipeline/execution/deadline.test.ts"),
        title:
          "[P7] does not begin after the deadline of its intent, because another attempt may have replaced it",
      },
    },
    {
      name: "lose a waiter",
      file: sqlFunctionPath("lock.sql"),
      find: "set next_at = least(next_at, paraph.now())",
      replace: "set next_at = next_at",
      caughtBy: storeTest("a call that also waits for a key of another call gets no key from a release"),
    },
    {
      name: "give a key that another call holds",
      file: sqlFunctionPath("lock.sql"),
      find: "c.lock_keys <@ first.heads as is_next",
      replace: "true as is_next",
      caughtBy: storeTest("a call that also waits for a key of another call gets no key from a release"),
    },
    {
      name: "give keys without a new epoch",
      file: sqlFunctionPath("lock.sql"),
      find: "set state = 'ready', epoch = epoch + 1, next_at = p_next_at",
      replace: "set state = 'ready', next_at = p_next_at",
      caughtBy: storeTest("[fence] a call that got its keys from a release has a new epoch"),
    },
    {
      name: "wake nobody",
      file: sqlFunctionPath("lock.sql"),
      find: "return v_wake;",
      replace: "return '[]'::jsonb;",
      caughtBy: storeTest("one release can wake several calls, each once"),
    },
    {
      name: "overtake in the queue",
      file: sqlFunctionPath("lock.sql"),
      find: "(v_position is null or position < v_position)",
      replace: "position < v_position",
      caughtBy: storeTest("a new call does not overtake a call that waits for the same key"),
    },
  ];
}

function listUnknownOutcomeMutations(): Mutation[] {
  return [
    {
      name: "retry what is in doubt",
      file: corePath("pipeline/attempt/conclude.ts"),
      find: 'return retry === "yes" || contract.idempotency !== "none";',
      replace: "return true;",
      caughtBy: promisesTest("[P7] [P8] is not retried if the contract has neither key nor probe"),
    },
    {
      name: "repeat what is in doubt",
      file: corePath("pipeline/execution/possible-effect.ts"),
      find: "return closeUnknown(call, open, ifNone, ports);",
      replace: "return repeat();",
      caughtBy: promisesTest(
        "[P7] is not retried after its process died if the contract has neither key nor probe",
      ),
    },
    {
      name: "free unknown's locks",
      file: corePath("pipeline/close.ts"),
      find: 'unlock: (end.outcome.kind !== "unknown"',
      replace: "unlock: (true",
      caughtBy: promisesTest("[P7] keeps its locks when the outcome of its call is unknown"),
    },
  ];
}

function listApprovalMutations(): Mutation[] {
  return [
    {
      name: "skip look-again",
      file: corePath("pipeline/execution/revalidate.ts"),
      find: "const moved = !sameJson(previewed.value?.basis, lastPreview(call)?.basis);",
      replace: "const moved = false;",
      caughtBy: promisesTest(
        "[P5] does not count after the basis changed, and Paraph asks again in a new round",
      ),
      quick: true,
    },
    {
      name: "run what was altered",
      file: corePath("pipeline/approval/approved-round.ts"),
      find: 'lastHeadline(call)))\n    return "altered";',
      replace: 'lastHeadline(call)))\n    void "altered";',
      caughtBy: promisesTest(
        "[P5] [TRUST 1] covers exactly the approved bytes, and a stored preview that changed later is refused",
      ),
    },
    {
      name: "leave the headline out of the digest",
      file: corePath("approval.ts"),
      find: "headline: subject.headline,",
      replace: 'headline: "",',
      caughtBy: promisesTest(
        "[P5] [TRUST 1] covers exactly the approved bytes, and a stored headline that changed later is refused",
      ),
    },
    {
      name: "forge an approval",
      file: corePath("pipeline/approval/decide.ts"),
      find: "if (round.digest !== decision.digest) {",
      replace: "if (decision.digest === '') {",
      // This test runs in child processes, which also use the mutated copy.
      caughtBy: {
        file: "test/approval.test.ts",
        title: "[P5] rejects a vote for another digest with 409 and stays undecided",
      },
    },
    {
      name: "approve one's own",
      file: corePath("approval.ts"),
      find: 'return othersExist ? "own-call" : "confirmation";',
      replace: 'return "confirmation";',
      caughtBy: httpTest(
        "approvals",
        "rejects a decision on a closed, changed or unknown approval, by an ineligible voter, or with an invalid body",
      ),
    },
    {
      name: "count a machine's vote",
      file: corePath("approval.ts"),
      find: 'if (voter.kind !== "person") return "not-a-person";',
      replace: "",
      caughtBy: promisesTest("[P5] counts only from a person, never from an agent or a service"),
    },
    {
      name: "count votes, not people",
      file: corePath("policy/evidence.ts"),
      find: "return new Set([...voters, ...granters].map(({ by }) => by)).size >= guard.quorum;",
      replace: "return [...voters, ...granters].length >= guard.quorum;",
      caughtBy: rulingTest("[P5] [TRUST 13] counts people, not votes, and only those who approve"),
      quick: true,
    },
    {
      name: "accept a late decision",
      file: sqlFunctionPath("commit.sql"),
      find: "if not (p ? 'vote' or p ? 'closeRound') then return true; end if;",
      replace: "return true;",
      caughtBy: storeTest("[P15] a vote after the round's end is untimely and writes nothing"),
    },
  ];
}

function listPolicyMutations(): Mutation[] {
  const errors = rulingTest("[P11] blocks on any error inside policy, even beside an allow");
  return [
    {
      name: "trust an old policy",
      file: corePath("pipeline/execution/revalidate.ts"),
      find: "const { ruling, request } = ruledCall;\n  const code",
      replace: `const { request } = ruledCall;
  const ruling = standing ? ({ ...ruledCall.ruling, kind: "allow" } as Allow) : ruledCall.ruling;
  const code`,
      caughtBy: promisesTest(
        "[P5] [P11] is void if policy forbids the call before the intent, and the call is refused",
      ),
    },
    {
      name: "let a policy error pass",
      file: corePath("policy/rule.ts"),
      find: 'if (real.errors.length > 0) return createBlock("policy-error", policies, version);',
      replace: "",
      caughtBy: errors,
    },
    {
      name: "let a policy crash pass",
      file: corePath("policy/rule.ts"),
      find: 'ruling = createBlock("policy-error", [], version);',
      replace: 'ruling = { kind: "allow", policies: [], version, sentence: "", discharged: [] };',
      caughtBy: errors,
    },
    {
      name: "run another contract",
      file: corePath("pipeline/advance.ts"),
      find: `return capability?.contractDigest === call.contractDigest && !capability.unavailable
    ? capability
    : undefined;`,
      replace: "return capability;",
      caughtBy: promisesTest("is performed only under exactly the contract it was admitted under"),
    },
  ];
}

function listAdmissionMutations(): Mutation[] {
  return [
    {
      name: "answer before commit",
      file: corePath("pipeline/admission/admit.ts"),
      find: "const result = await write(",
      replace: "const result: any = write(",
      caughtBy: promisesTest("[P2] the requester gets a call only after the store has written it"),
    },
    {
      name: "reuse a key",
      file: corePath("pipeline/admission/admit.ts"),
      find: "if (call.requestDigest === requestDigest ||",
      replace: "if (requestDigest ||",
      caughtBy: httpTest(
        "calls",
        "[P1] the same key is the same call; another request under it is a conflict",
      ),
    },
  ];
}

function listServiceMutations(): Mutation[] {
  const service = "packages/server/src/services/create-paraph-service.ts";
  const test = "packages/server/src/services/create-paraph-service.test.ts";
  return [
    {
      name: "show others' calls",
      file: service,
      find: "call && (seesEverything(principal) || call.principal.id === principal.id) ? call : undefined;",
      replace: "call;",
      caughtBy: {
        file: test,
        title: "[TRUST 9] only the requester and people of its tenant can find a call and its approval",
      },
    },
    {
      name: "tell no engine",
      file: service,
      find: "await send(wakes);\n      }\n      return result;",
      replace: "}\n      return result;",
      caughtBy: {
        file: test,
        title: "[P12] the service sends every call that it does not run inline to the engine",
      },
    },
    {
      name: "perform a known call",
      file: service,
      find: "if (!known && goesOn",
      replace: "if (goesOn",
      caughtBy: {
        file: test,
        title: "[P1] [P7] a repeated request with the same key does not run the call inline again",
      },
    },
  ];
}

function listRowMutations(): Mutation[] {
  return [
    {
      name: "forget the epoch",
      file: sqlFunctionPath("commit.sql"),
      find: " and epoch = (d->>'epoch')::bigint",
      replace: "",
      caughtBy: storeTest("[fence] a commit at an older or a future epoch is lost and writes nothing"),
    },
    {
      name: "close twice",
      file: sqlFunctionPath("commit.sql"),
      find: " and state <> 'closed' for update",
      replace: " for update",
      caughtBy: storeTest("[fence] a commit to a missing or a closed call is lost"),
    },
    {
      name: "drop an event",
      file: sqlFunctionPath("record.sql"),
      find: "v_last := jsonb_array_length(p) - 1;",
      replace: "v_last := least(jsonb_array_length(p) - 1, 1);",
      caughtBy: storeTest("events keep their order and their data, over many commits"),
    },
  ];
}

function listReceiptMutations(): Mutation[] {
  return [
    {
      name: "sign twice",
      file: sqlFunctionPath("record.sql"),
      find: "where r is not null;",
      replace: "where r is not null on conflict do nothing;",
      caughtBy: storeTest("[P2] a second receipt for one call throws and writes nothing"),
    },
    {
      name: "omit from the receipt",
      file: corePath("pipeline/close.ts"),
      find: "events: [...call.events, ...numberEvents(call, events)],",
      replace: "events: [...call.events.slice(0, -1), ...numberEvents(call, events)],",
      caughtBy: promisesTest("[P2] contains every event of its call and no other event"),
    },
    {
      name: "trust any signature",
      file: corePath("receipts/verify.ts"),
      find: 'assertValid(holds, "the signature does not match, because the receipt was changed after it was signed");',
      replace: "",
      caughtBy: { file: corePath("receipts/verify.test.ts"), title: "if any byte of the signature changes" },
    },
  ];
}
