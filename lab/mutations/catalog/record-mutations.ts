import { corePath, type Mutation, sqlFunctionPath, storeTest } from "../mutation.ts";

/** Mutations of the record of a call: its times, its tokens and cost, and the limits that it counts against. */
export const recordMutations: readonly Mutation[] = [
  ...listFigureMutations(),
  ...listReadMutations(),
  ...listCheckMutations(),
  ...listVerdictMutations(),
  ...listEditedStepMutations(),
  ...listPeopleMutations(),
  ...listLargeStepMutations(),
];

function listFigureMutations(): Mutation[] {
  const figure = (title: string) => ({ file: corePath("pipeline/execution/attempt-metrics.test.ts"), title });
  const row = (title: string) => ({ file: "packages/server/src/postgres/calls/statistics.test.ts", title });
  return [
    {
      name: "measure the last attempt alone",
      file: corePath("pipeline/execution/attempt-metrics.ts"),
      find: "return ended.reduce(",
      replace: "return ended.slice(-1).reduce(",
      caughtBy: figure(
        "[P8] the duration of a write is that of all its attempts together, and each attempt says its own",
      ),
    },
    {
      name: "measure a lost attempt until it is found",
      file: corePath("pipeline/execution/attempt-metrics.ts"),
      find: "Math.min(at, deadline) - started",
      replace: "at - started",
      caughtBy: figure(
        "[P7] [P8] an attempt whose process died lasted until its deadline at most, however late that was found out",
      ),
    },
    {
      name: "leave tokens out of the statistics",
      file: sqlFunctionPath("outcome.sql"),
      find: "coalesce((e.data->'tokens'->>'input')::bigint, 0)",
      replace: "0",
      caughtBy: row(
        "leaves one row: how it ended, how often it was tried, what it cost and how long it took",
      ),
    },
    {
      name: "sum up tokens of one kind alone",
      file: "packages/server/src/postgres/calls/statistics.ts",
      find: 'output: total(rows, "tokensOut")',
      replace: 'output: total(rows, "tokensIn")',
      caughtBy: row(
        "are of a month at most, the busiest first; what was refused says nothing about how well it is done",
      ),
    },
  ];
}

function listReadMutations(): Mutation[] {
  const read = (title: string) => ({ file: corePath("pipeline/admission/read-costs.test.ts"), title });
  return [
    {
      name: "read beyond the budget",
      file: corePath("pipeline/admission/rule.ts"),
      find: 'contract.effect !== "read" || reservesBudget(gate) ||',
      replace: 'contract.effect !== "read" ||',
      caughtBy: read("[TRUST 24] two reads that cost something are counted as spending, by what they cost"),
    },
    {
      name: "let reads use a grant without counting them",
      file: corePath("pipeline/admission/rule.ts"),
      find: " || gate.grant !== undefined;",
      replace: ";",
      caughtBy: read("[TRUST 15] a grant for a read is used up by reads (false)"),
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
      find: 'if (!fault.unrecognised || effect === "read") return fault;',
      replace: "if (fault) return fault;",
      caughtBy: ended("is in doubt, and is not repeated: an Error"),
    },
    {
      name: "repeat what ended without a verdict",
      file: corePath("pipeline/execution/conclude.ts"),
      find: 'if (fault.unrecognised && contract.idempotency !== "probe") return false;',
      replace: "",
      caughtBy: ended("is in doubt, and is not repeated: a TypeError"),
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
      find: 'if (!contract) throw createRefusal("capability-unknown"',
      replace: 'if (!contract && name.startsWith("admin")) throw createRefusal("capability-unknown"',
      caughtBy: {
        file: "test/tenants.test.ts",
        title: "is not there on the command line, nor to be frozen or granted",
      },
    },
    {
      name: "count a person who never signed in",
      file: sqlFunctionPath("people.sql"),
      find: "and signed_in_at is not null and id <> all (p_except)",
      replace: "and id <> all (p_except)",
      caughtBy: storeTest(
        "[TRUST 33] [TRUST 34] counts a person from their first sign-in on, until they are disabled",
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
        "[P13] [TRUST 29] steps whose outputs and ways back exceed 16 MiB together are listed without any",
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
          "[P13] [TRUST 29] a plan whose steps put out more together than can be loaded fails, and begins no further step",
      },
    },
  ];
}
