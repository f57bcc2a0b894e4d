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
  ...listMaskMutations(),
];

function listEditMutations(): Mutation[] {
  const successor = approvalsTest(
    "[P6] creates a successor with the old deadline and no votes; the superseded call has no effect [P4]",
  );
  return [
    {
      name: "carry votes over",
      file: sqlFunctionPath("supersede.sql"),
      find: "  if jsonb_array_length(p_claims) > 0 then",
      replace: `  insert into vote (tenant, approval, voter, decision, standing, at)
  select p_tenant, p_successor->'ask'->>'id', 'ana', 'approve', 'approver', v_now where p_successor ? 'ask';
  if jsonb_array_length(p_claims) > 0 then`,
      caughtBy: storeTest(
        "[P6] superseding ends the old call and opens its successor, which names the old call",
      ),
    },
    {
      name: "open without an end",
      file: sqlFunctionPath("supersede.sql"),
      find: "if v_ended->>'kind' <> 'done' then return v_ended; end if;",
      replace: "",
      caughtBy: storeTest("[fence] a call with a newer epoch is not superseded, and no successor opens"),
    },
    {
      name: "end without a successor",
      file: sqlFunctionPath("supersede.sql"),
      find: "raise sqlstate 'PA001'; end if;",
      replace: "return v_ended - 'used'; end if;",
      caughtBy: storeTest(
        "[P6] a gate rejection leaves the old call unchanged, with its locks and its round",
      ),
    },
    {
      name: "edit past policy",
      file: corePath("pipeline/admission/edit.ts"),
      find: "if (!editor) return { next, considered };",
      replace: "if (next) return { next, considered };",
      caughtBy: approvalsTest(
        "[TRUST 14] must satisfy contract and policy like any call; a rejected edit leaves the old approval open",
      ),
      quick: true,
    },
    {
      name: "renew the deadline",
      file: corePath("pipeline/admission/edit.ts"),
      find: "...(call.deadline !== undefined && { deadline: call.deadline }),",
      replace: "",
      caughtBy: successor,
    },
    {
      name: "leave the old question open",
      file: corePath("pipeline/admission/edit.ts"),
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
      caughtBy: approvalsTest("return a call with instructions, which are required and become its reason"),
    },
    {
      name: "record a repeated approval",
      file: corePath("pipeline/approval/decide.ts"),
      find: 'if (isRepeated(call, voted)) return "repeated";',
      replace: "",
      caughtBy: approvalsTest("change a vote until the round is decided"),
    },
    {
      name: "drop unknown fields of a change",
      file: corePath("capability/change-schema.ts"),
      find: "z.strictObject(fields)",
      replace: "z.object(fields)",
      caughtBy: {
        file: corePath("pipeline/admission/invalid-preview.test.ts"),
        title:
          "[TRUST 6] a call whose preview has an unknown field is refused, because an approver would not see it",
      },
    },
    {
      name: "take back what acts",
      file: corePath("pipeline/approval/withdraw.ts"),
      find: 'if (call.state === "performing" || mayHaveActed(call))',
      replace: "if (call.tenant !== tenant)",
      caughtBy: {
        file: corePath("pipeline/approval/withdraw.test.ts"),
        title: "[P4] [P7] a call cannot be withdrawn while it acts, because its effect may happen",
      },
    },
    {
      name: "decide by looking",
      file: "packages/server/src/web/routes/approval-pages.ts",
      find: 'app.post("/approvals/:approval/decision", smallBodyLimit,',
      replace: 'app.on(["GET", "POST"], "/approvals/:approval/decision", smallBodyLimit,',
      caughtBy: webTest(
        "pages",
        "[TRUST 2] GET and HEAD requests decide nothing, whatever their query parameters",
      ),
    },
    {
      name: "expire into a yes",
      file: corePath("pipeline/approval/escalation.ts"),
      find: 'outcome: { kind: "expired", code: "no-answer" },',
      replace: 'outcome: { kind: "succeeded", code: "no-answer" },',
      caughtBy: approvalsTest(
        "trigger a reminder, then an escalation, and end the call as expired, never as allowed",
      ),
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
        "[fence] a finding at another epoch, or about a known outcome, an open call or a missing call, is lost",
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
      caughtBy: storeTest("[P7] a finding gives the call's locks to the next call that waits for them"),
    },
    {
      name: "try again what may have happened",
      file: "packages/server/src/services/call-actions.ts",
      find: ' || call.resolution?.finding !== "not-happened"',
      replace: "",
      caughtBy: webTest(
        "work-pages",
        "[P7] a person resolves an unknown outcome in the inbox, and then requests a retry",
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
          "[P2] while a call waits for approvers, a message and its event are written in one transaction",
      },
    },
    {
      name: "tell under a new name each time",
      file: "packages/server/src/webhooks/deliver-events.ts",
      find: "seq}`, timestamp:",
      replace: "seq}`.concat(String(Math.random())), timestamp:",
      caughtBy: webhooksTest(
        "is retried under the same id until the receiver accepts it, and the next event waits for it",
      ),
    },
    {
      name: "record before it is told",
      file: "packages/server/src/webhooks/deliver-events.ts",
      find: "const code = wanted ?",
      replace: "await outbox.told(endpoint.id, ref, event.seq, false);\n    const code = wanted ?",
      caughtBy: webhooksTest(
        "is recorded as delivered only after the receiver accepts it, so that a crash leaves it undelivered",
      ),
    },
  ];
}

function listMaskMutations(): Mutation[] {
  const file = corePath("masking/payload-masker.ts");
  const caughtBy = (title: string) => ({ file: corePath("masking/payload-masker.test.ts"), title });
  return [
    {
      name: "mask the names of a preview's members",
      file,
      find: "Object.hasOwn(formatNames, name) ? name : this.#scrubbedText(name)",
      replace: "this.#scrubbedText(name)",
      caughtBy: caughtBy("[TRUST 6] the member diff stays, even if a sensitive value is the same"),
      quick: true,
    },
    {
      name: "show a masked cost as none",
      file: "packages/server/src/web/page-data/plan-page.ts",
      find: "if (cost === maskText) return undefined;",
      replace: "",
      caughtBy: {
        file: "packages/server/src/web/sections/plan-section.test.ts",
        title: "[TRUST 6] says that the cost of a step is hidden if it equals a sensitive value",
      },
    },
    {
      name: "mask the kind of a change",
      file,
      find: '"changes", ["kind"]',
      replace: '"changes", []',
      caughtBy: caughtBy(
        "[TRUST 6] the value delete stays, which is the kind of a change or the reaction to a failure",
      ),
    },
  ];
}
