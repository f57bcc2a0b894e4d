import {
  approvalsTest,
  corePath,
  type Mutation,
  sqlFunctionPath,
  storeTest,
  webhooksTest,
  webTest,
} from "../mutation.ts";

/** Mutations of people's actions on calls, and of the notifications about them. */
export const approvalMutations: readonly Mutation[] = [
  ...listEditMutations(),
  ...listAnswerMutations(),
  ...listFindingMutations(),
  ...listNotificationMutations(),
];

function listEditMutations(): Mutation[] {
  const successor = approvalsTest(
    "[P6] is a successor with the old deadline and nobody's vote; the old has no effect [P4]",
  );
  return [
    {
      name: "carry votes over",
      file: sqlFunctionPath("supersede.sql"),
      find: "  if jsonb_array_length(p_claims) > 0 then",
      replace: `  insert into vote (tenant, approval, voter, decision, standing, at)
  select p_tenant, p_successor->'ask'->>'id', 'ana', 'approve', 'approver', v_now where p_successor ? 'ask';
  if jsonb_array_length(p_claims) > 0 then`,
      caughtBy: storeTest("[P6] the old call ends and the new one is there, with what it succeeds"),
    },
    {
      name: "open without an end",
      file: sqlFunctionPath("supersede.sql"),
      find: "if v_ended->>'kind' <> 'done' then return v_ended; end if;",
      replace: "",
      caughtBy: storeTest("[fence] a call that has moved on is not superseded, and nothing is opened"),
    },
    {
      name: "end without a successor",
      file: sqlFunctionPath("supersede.sql"),
      find: "raise sqlstate 'PA001'; end if;",
      replace: "return v_ended - 'used'; end if;",
      caughtBy: storeTest("[P6] a shut gate leaves the old call as it was, with its locks and its round"),
    },
    {
      name: "edit past policy",
      file: corePath("pipeline/approval/edit.ts"),
      find: "if (!editor) return { next, considered };",
      replace: "if (next) return { next, considered };",
      caughtBy: approvalsTest(
        "[TRUST 14] meets contract and policy like any call: what would be blocked leaves the old question standing",
      ),
      quick: true,
    },
    {
      name: "renew the deadline",
      file: corePath("pipeline/approval/edit.ts"),
      find: "...(call.deadline !== undefined && { deadline: call.deadline }),",
      replace: "",
      caughtBy: successor,
    },
    {
      name: "leave the old question open",
      file: corePath("pipeline/approval/edit.ts"),
      find: '...(round !== undefined && { closeRound: { approval: round, status: "void" } }),',
      replace: "",
      caughtBy: successor,
    },
  ];
}

function listAnswerMutations(): Mutation[] {
  return [
    {
      name: "return and perform",
      file: corePath("pipeline/approval/decide.ts"),
      find: 'if (decision.decision !== "approve") {',
      replace: 'if (decision.decision === "deny") {',
      caughtBy: approvalsTest("return it with instructions, which the agent finds as the reason"),
    },
    {
      name: "take back what acts",
      file: corePath("pipeline/approval/withdraw.ts"),
      find: 'if (call.state === "performing" || mayHaveActed(call))',
      replace: "if (call.tenant !== tenant)",
      caughtBy: {
        file: corePath("pipeline/approval/withdraw.test.ts"),
        title: "[P4] [P7] a call that acts is not taken back: cancelled would claim that nothing happened",
      },
    },
    {
      name: "decide by looking",
      file: "packages/server/src/web/routes/approval-pages.ts",
      find: 'app.post("/approvals/:approval/decision", smallBodyLimit,',
      replace: 'app.on(["GET", "POST"], "/approvals/:approval/decision", smallBodyLimit,',
      caughtBy: webTest(
        "pages",
        "[TRUST 2] looking decides nothing, however often and with whatever in the address",
      ),
    },
    {
      name: "expire into a yes",
      file: corePath("pipeline/approval/escalation.ts"),
      find: 'outcome: { kind: "expired", code: "no-answer" },',
      replace: 'outcome: { kind: "succeeded", code: "no-answer" },',
      caughtBy: approvalsTest("reminds, asks others as well, and ends in expired, never in allowed"),
    },
  ];
}

function listFindingMutations(): Mutation[] {
  return [
    {
      name: "find out what is known",
      file: sqlFunctionPath("resolve.sql"),
      find: " and c.outcome = 'unknown'",
      replace: "",
      caughtBy: storeTest(
        "[fence] a finding at another epoch, of another outcome or of an open call is lost",
      ),
    },
    {
      name: "find out twice",
      file: sqlFunctionPath("resolve.sql"),
      find: `    and not exists (select from resolution r where r.tenant = c.tenant and r.call = c.id)
  returning c.epoch into v_epoch;
  if not found then return jsonb_build_object('kind', 'lost'); end if;
`,
      replace: `  returning c.epoch into v_epoch;
  if not found then return jsonb_build_object('kind', 'lost'); end if;
  if exists (select from resolution r where r.tenant = p_tenant and r.call = v_call) then
    return jsonb_build_object('kind', 'done', 'epoch', v_epoch, 'wake', '[]'::jsonb);
  end if;
`,
      caughtBy: storeTest("[P7] a second finding is lost and writes nothing, whatever epoch it names"),
    },
    {
      name: "keep what was found out locked",
      file: sqlFunctionPath("resolve.sql"),
      find: "paraph.release(p_tenant, v_call, v_keys)",
      replace: "'[]'::jsonb",
      caughtBy: storeTest("[P7] its locks are free then, and who waited for them is woken"),
    },
    {
      name: "try again what may have happened",
      file: "packages/server/src/services/call-actions.ts",
      find: ' || call.resolution?.finding !== "not-happened"',
      replace: "",
      caughtBy: webTest(
        "work-pages",
        "[P7] the inbox of unknown outcomes: a person says what became of it, and has it tried again",
      ),
    },
  ];
}

function listNotificationMutations(): Mutation[] {
  return [
    {
      name: "say it off the record",
      file: sqlFunctionPath("message.sql"),
      find: "if v_added and v_state = 'asking' then",
      replace: "if false then",
      caughtBy: {
        file: "packages/server/src/postgres/calls/messages.test.ts",
        title:
          "[P2] while people are asked, a message and the event that names it are there together, or neither is",
      },
    },
    {
      name: "tell under a new name each time",
      file: "packages/server/src/webhooks/deliver-events.ts",
      find: "seq}`, timestamp:",
      replace: "seq}`.concat(String(Math.random())), timestamp:",
      caughtBy: webhooksTest(
        "is sent again until it is taken, under the same id; the next event waits for it",
      ),
    },
    {
      name: "record before it is told",
      file: "packages/server/src/webhooks/deliver-events.ts",
      find: "const code = wanted ?",
      replace: "await outbox.told(endpoint.id, ref, event.seq, false);\n    const code = wanted ?",
      caughtBy: webhooksTest(
        "is recorded as told only once it was taken: who dies in between leaves it to be told",
      ),
    },
  ];
}
