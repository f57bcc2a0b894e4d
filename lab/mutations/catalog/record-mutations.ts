import { corePath, type Mutation, sqlFunctionPath, storeTest } from "../mutation.ts";

/** Mutations of the record of a call: its times, its tokens and cost, its rows in a batch, and the limits that it counts against. */
export const recordMutations: readonly Mutation[] = [
  ...listFigureMutations(),
  ...listBatchMutations(),
  ...listReadMutations(),
  ...listCheckMutations(),
  ...listVerdictMutations(),
  ...listEditedStepMutations(),
  ...listPeopleMutations(),
  ...listLargeStepMutations(),
];

function listFigureMutations(): Mutation[] {
  const figure = (title: string) => ({ file: corePath("pipeline/attempt/attempt-events.test.ts"), title });
  const row = (title: string) => ({ file: "packages/server/src/postgres/calls/statistics.test.ts", title });
  return [
    {
      name: "measure the last attempt alone",
      file: corePath("pipeline/close.ts"),
      find: "return ended.reduce(",
      replace: "return ended.slice(-1).reduce(",
      caughtBy: figure(
        "[P8] the duration of a write is the sum of its attempts, and each attempt records its own duration",
      ),
    },
    {
      name: "measure a lost attempt until it is found",
      file: corePath("pipeline/attempt/attempt-events.ts"),
      find: "Math.min(at, deadline) - started",
      replace: "at - started",
      caughtBy: figure(
        "[P7] [P8] an attempt whose process died counts until its deadline at most, however late that is detected",
      ),
    },
    {
      name: "leave tokens out of the statistics",
      file: sqlFunctionPath("outcome.sql"),
      find: "coalesce((e.data->'tokens'->>'input')::bigint, 0)",
      replace: "0",
      caughtBy: row("writes one row with the outcome, the retries, the cost, the durations and the tokens"),
    },
    {
      name: "sum up tokens of one kind alone",
      file: "packages/server/src/postgres/calls/statistics.ts",
      find: 'output: total(rows, "tokensOut")',
      replace: 'output: total(rows, "tokensIn")',
      caughtBy: row(
        "cover at most a month, list the busiest group first, and exclude refusals from the success rate",
      ),
    },
  ];
}

function listBatchMutations(): Mutation[] {
  const batchTest = (title: string) => ({
    file: "packages/server/src/postgres/calls/batches.test.ts",
    title,
  });
  return [
    {
      name: "write rows for an opening whose key is taken",
      file: sqlFunctionPath("open.sql"),
      find: "if cardinality(v_opened) < cardinality(v_calls) then",
      replace: "if false then",
      caughtBy: batchTest(
        "[P1] an opening whose key was taken before writes nothing, and its neighbours are opened",
      ),
    },
    {
      name: "end the attempts of a whole batch",
      file: sqlFunctionPath("commit.sql"),
      find: "i.tenant = p_tenant and i.call = x.call and",
      replace: "i.tenant = p_tenant and",
      caughtBy: batchTest("transitions of one batch end their own attempts, and continue their own events"),
    },
  ];
}

function listReadMutations(): Mutation[] {
  const read = (title: string) => ({ file: corePath("pipeline/admission/read-costs.test.ts"), title });
  return [
    {
      name: "read beyond the budget",
      file: corePath("pipeline/gate.ts"),
      find: 'contract.effect !== "read" || reservesBudget(gate) ||',
      replace: 'contract.effect !== "read" ||',
      caughtBy: read("[TRUST 24] the spending includes the actual cost of two paid reads"),
    },
    {
      name: "let reads use a grant without counting them",
      file: corePath("pipeline/gate.ts"),
      find: " || gate.grant !== undefined;",
      replace: ";",
      caughtBy: read("[TRUST 15] reads use up the count of a grant (performed inline: false)"),
    },
  ];
}

function listCheckMutations(): Mutation[] {
  return [
    {
      name: "read on to the end of the text for each address",
      file: "packages/server/src/builtin/checks/hosts/email-address.ts",
      find: "text.slice(at + 1, at + 1 + maxDomainLength)",
      replace: "text.slice(at + 1)",
      caughtBy: {
        file: "packages/server/src/builtin/checks/hosts/recipients.test.ts",
        title: "[TRUST 24] takes time in proportion to the length of a hostile text",
      },
    },
  ];
}

function listVerdictMutations(): Mutation[] {
  const ended = (title: string) => ({ file: corePath("pipeline/execution/no-verdict.test.ts"), title });
  return [
    {
      name: "take an error without a verdict for a refusal",
      file: corePath("capability/fault.ts"),
      find: "if (fault.unrecognised)",
      replace: "if (false)",
      caughtBy: ended("has an unknown outcome and is not retried: an Error"),
    },
    {
      name: "repeat an attempt because a later request of it was refused",
      file: corePath("capability/fault.ts"),
      find: 'kind === "not-performed" ? "ambiguous" : kind',
      replace: "kind",
      caughtBy: {
        file: corePath("capability/fault.test.ts"),
        title:
          "[P7] a refused connection after another request of the attempt repeats nothing by guess (idempotency: none)",
      },
    },
    {
      name: "repeat what ended without a verdict",
      file: corePath("pipeline/attempt/conclude.ts"),
      find: 'if (fault.unrecognised && contract.idempotency !== "probe") return false;',
      replace: "",
      caughtBy: ended("has an unknown outcome and is not retried: a TypeError"),
    },
  ];
}

function listEditedStepMutations(): Mutation[] {
  return [
    {
      name: "ask policy about an edited step for its requester alone",
      file: corePath("pipeline/composite/child.ts"),
      find: "return !editor || wasKnown || considered.kind",
      replace: "return editor || !editor || wasKnown || considered.kind",
      caughtBy: {
        file: corePath("plan/edited-steps.test.ts"),
        title: "[TRUST 28] a step whose input is known later is refused if policy blocks its editor",
      },
    },
  ];
}

function listPeopleMutations(): Mutation[] {
  return [
    {
      name: "grant what is not open to the tenant",
      file: "packages/server/src/builtin/admin/grants/grant.ts",
      find: "if (!contract)\n    throw",
      replace: 'if (!contract && name.startsWith("admin"))\n    throw',
      caughtBy: {
        file: "test/tenants.test.ts",
        title: "is not listed by the command line, and cannot be frozen or granted",
      },
    },
    {
      name: "count a person who never signed in",
      file: sqlFunctionPath("people.sql"),
      find: "and signed_in_at is not null and id <> all (p_except)",
      replace: "and id <> all (p_except)",
      caughtBy: storeTest(
        "[TRUST 33] [TRUST 34] the store counts a person from the first sign-in until they are disabled",
      ),
    },
  ];
}

function listLargeStepMutations(): Mutation[] {
  return [
    {
      name: "load the outputs of all steps, however large",
      file: sqlFunctionPath("children.sql"),
      find: "> 16777216 into v_withheld",
      replace: "> 167772160 into v_withheld",
      caughtBy: storeTest(
        "[P13] [TRUST 29] the store lists steps without outputs and undos if these exceed 16 MiB together",
      ),
    },
    {
      name: "go on with a plan whose outputs are withheld",
      file: corePath("pipeline/composite/compose.ts"),
      find: "if (children.some(({ withheld }) => withheld))",
      replace: "if (children.some(({ withheld }) => withheld) && children.length > 100)",
      caughtBy: {
        file: corePath("plan/large-steps.test.ts"),
        title:
          "[P13] [TRUST 29] a plan whose combined step outputs are too large to load fails and begins no further step",
      },
    },
  ];
}
