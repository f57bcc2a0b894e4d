import { corePath, type Mutation, sqlFunctionPath, storeTest } from "../mutation.ts";

const editsTest = (title: string) => ({ file: "packages/server/src/services/edits.test.ts", title });

const ownRequestTest = {
  file: corePath("pipeline/admission/edit-limits.test.ts"),
  title:
    "[TRUST 14] an administrator cannot edit a call of administration that only its requester may request",
};

/** Mutations of the rules for edits and for their approval. The list also covers undos, answers and keys. */
export const editsMutations: readonly Mutation[] = [
  ...listEditorMutations(),
  ...listRightMutations(),
  ...listUndoMutations(),
  ...listAnswerMutations(),
  ...listKeyMutations(),
  ...listBlockedMutations(),
];

function listEditorMutations(): Mutation[] {
  return [
    {
      name: "let an editor vote for his edit",
      file: corePath("pipeline/approval/vote-eligibility.ts"),
      find: 'if (editors.includes(voter.id) && !isOnlyPerson) return { groups, inPlaceOf, ineligibleReason: "own-edit" };',
      replace: "",
      caughtBy: editsTest(
        "an editor of an editor's edit does not count, and neither does the first: balanced",
      ),
      quick: true,
    },
    {
      name: "forget earlier editors",
      file: corePath("editors.ts"),
      find: "return [...editors.filter((one) => one !== editor), editor];",
      replace: "return editors.length < 0 ? editors : [editor];",
      caughtBy: editsTest(
        "an editor of an editor's edit does not count, and neither does the first: balanced",
      ),
    },
    {
      name: "confirm an edit beside others",
      file: corePath("pipeline/approval/decide.ts"),
      find: "return voteEligibility(voter, absent, toOpenQuestion(call, round), !hasOther);",
      replace:
        "return voteEligibility(voter, absent, toOpenQuestion(call, round), !hasOther || voter.owner === undefined);",
      caughtBy: {
        file: "packages/server/src/http/edits.test.ts",
        title:
          "[TRUST 28] an editor cannot approve their edit by single or bulk decision, reassignment, page or inbox",
      },
    },
    {
      name: "count a grant of the editor's",
      file: corePath("policy/evidence.ts"),
      find: " && !editors.includes(by)",
      replace: "",
      caughtBy: editsTest("a grant that the editor gave does not approve the editor's own edit"),
    },
  ];
}

function listRightMutations(): Mutation[] {
  return [
    {
      name: "edit a step into another capability",
      file: corePath("pipeline/admission/edit.ts"),
      find: "requireSameCapabilities(call, next, capability, ports);",
      replace: "",
      caughtBy: editsTest("cannot change a step's capability or add a step, including nested steps"),
    },
    {
      name: "edit on the requester's right alone",
      file: corePath("pipeline/admission/edit.ts"),
      find: "const held = await applyEditorPolicy(next, capability, considered, editor, ports);",
      replace: "const held: { next: Call; considered: Evaluated } = { next, considered };",
      caughtBy: editsTest("is not performed on the requester's right alone"),
    },
    {
      name: "edit a request that only its requester may make",
      file: corePath("pipeline/admission/edit.ts"),
      find: "  await requireOwnRequest(next, capability, editor, ports);\n",
      replace: "",
      caughtBy: ownRequestTest,
      quick: true,
    },
    {
      name: "excuse an editor by any fault of the requester",
      file: corePath("pipeline/admission/edit-limits.ts"),
      find: 'given.kind !== "fault" || given.fault.code !== wanted.fault.code',
      replace: 'given.kind !== "fault"',
      caughtBy: ownRequestTest,
    },
    {
      name: "edit without the scope to call",
      file: "packages/server/src/http/routes/edits.ts",
      find: "requireCapabilityScope(c, call.capability, input);",
      replace: "",
      caughtBy: {
        file: "packages/server/src/http/edits.test.ts",
        title: "[TRUST 14] [TRUST 21] an edit requires the scope to call the edited capability",
      },
    },
    {
      name: "repeat a call without its editors",
      file: "packages/server/src/services/call-actions.ts",
      find: "    repeats: call,\n",
      replace: "",
      caughtBy: {
        file: "packages/server/src/http/edits.test.ts",
        title: "[TRUST 28] a retry of an edited call keeps its editors and its requirements",
      },
    },
  ];
}

function listUndoMutations(): Mutation[] {
  return [
    {
      name: "undo once per principal",
      file: sqlFunctionPath("open.sql"),
      find: "if v_undone_by is not null then",
      replace: "if false then",
      caughtBy: storeTest(
        "[TRUST 34] a call is undone once; only a failed, refused, denied, expired or cancelled undo allows another",
      ),
    },
    {
      name: "undo a step beside its plan",
      file: sqlFunctionPath("claim_undo.sql"),
      find: "select c.id, c.outcome from whole w join call c on c.tenant = p_tenant and c.parent = w.id and c.step <> '$compensation'",
      replace: "select c.id, c.outcome from whole w join call c on false",
      caughtBy: storeTest(
        "[TRUST 34] the undo of a composite and the undo of one of its steps exclude each other",
      ),
    },
    {
      name: "compensate without a claim",
      file: corePath("pipeline/composite/child.ts"),
      find: "...(step === compensationStep && { undoes: parent.call }),",
      replace: "",
      caughtBy: {
        file: "packages/server/src/http/undo.test.ts",
        title: "[TRUST 34] an effect is undone once, through the plan, through its step or by compensation",
      },
    },
  ];
}

function listAnswerMutations(): Mutation[] {
  const caughtBy = (title: string) => ({ file: corePath("pipeline/approval/answers.test.ts"), title });
  return [
    {
      name: "add up different answers",
      file: corePath("pipeline/approval/decide.ts"),
      find: "const votes = agreeingVotes({ ...call, events, payloads }, { ...round, votes: all });",
      replace: "const votes = payloads ? all : agreeingVotes({ ...call, events }, { ...round, votes: all });",
      caughtBy: caughtBy("[TRUST 13] only votes with the same answer count towards a quorum"),
    },
    {
      name: "count another answer before the intent",
      file: corePath("pipeline/approval/approved-round.ts"),
      find: "return isInTime ? { ...approval, votes } : undefined;",
      replace: "return isInTime ? approval : undefined;",
      caughtBy: caughtBy(
        "[P5] if policy requires more people before the intent, votes for another answer do not count",
      ),
    },
  ];
}

function listKeyMutations(): Mutation[] {
  const caughtBy = (title: string) => ({ file: corePath("plan/step-keys.test.ts"), title });
  return [
    {
      name: "let callers have the keys of steps",
      file: corePath("pipeline/admission/admit.ts"),
      find: `  rejectReservedKey(request);
`,
      replace: `  if (request.key === reservedKey.source) rejectReservedKey(request);
`,
      caughtBy: caughtBy(
        "[TRUST 34] [P13] a caller cannot use the keys of steps, undos and retries, even of unknown calls",
      ),
    },
    {
      name: "take any call for a step",
      file: corePath("pipeline/admission/admit.ts"),
      find: "return parent?.call === wanted?.call && parent?.step === wanted?.step;",
      replace: 'return parent?.call === wanted?.call || wanted?.step !== "";',
      caughtBy: caughtBy(
        "[TRUST 34] [P13] a plan does not accept a call that has a step's key but was not opened as that step",
      ),
    },
  ];
}

function listBlockedMutations(): Mutation[] {
  const leaving = (title: string) => ({
    file: "packages/server/src/builtin/admin/identity/principal-disable.test.ts",
    title,
  });
  return [
    {
      name: "let a frozen person through",
      file: "packages/server/src/http/middleware/authenticate.ts",
      find: `    rejectBarred(caller);
`,
      replace: "",
      caughtBy: {
        file: "packages/server/src/http/frozen.test.ts",
        title:
          "[TRUST 33] the server refuses every operation of a frozen person, by key, by session and by page",
      },
    },
    {
      name: "show pages to a frozen person",
      file: "packages/server/src/web/routes/page-router.ts",
      find: `    rejectBarred(caller);
`,
      replace: `    if (caller === undefined) rejectBarred(caller);
`,
      caughtBy: {
        file: "packages/server/src/http/frozen.test.ts",
        title:
          "[TRUST 33] the server refuses every operation of a frozen person, by key, by session and by page",
      },
    },
    {
      name: "count the vote of a frozen person",
      file: corePath("pipeline/round.ts"),
      find: "(findVote(by)?.answerDigest === wanted && !call.barredVoters?.includes(by))",
      replace: "findVote(by)?.answerDigest === wanted",
      caughtBy: {
        file: corePath("pipeline/approval/barred.test.ts"),
        title:
          "[TRUST 33] the vote of an approver who is frozen before the intent does not count, and a new round starts",
      },
      quick: true,
    },
    {
      name: "freeze nobody's verbs",
      file: sqlFunctionPath("barred.sql"),
      find: "and f.subject = p_id and f.thawed_at is null) then 'frozen' end",
      replace: "and f.subject = p_id and f.thawed_at is null) then null end",
      caughtBy: leaving("[TRUST 33] is barred while frozen, by key and by session, and cannot log in"),
    },
    {
      name: "leave sessions to who is disabled",
      file: sqlFunctionPath("barred.sql"),
      find: "delete from session where tenant = p_tenant and principal = p_principal;",
      replace: "perform from session where tenant = p_tenant and principal = p_principal;",
      caughtBy: leaving("[TRUST 33] admin.sessions_end ends every session and login link of a person"),
    },
  ];
}
