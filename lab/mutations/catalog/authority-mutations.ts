import { corePath, httpTest, type Mutation, sqlFunctionPath, storeTest } from "../mutation.ts";

const seatsTest = (title: string) => ({ file: corePath("pipeline/approval/seats.test.ts"), title });

/** Mutations of rights: a right that counts twice, or that outlives its holder. */
export const authorityMutations: readonly Mutation[] = [
  ...listDelegateMutations(),
  ...listDepartureMutations(),
  ...listKeyMutations(),
  ...listDisplayMutations(),
  ...listForgeryMutations(),
];

function listDelegateMutations(): Mutation[] {
  return [
    {
      name: "take a request for one person for that of another",
      file: corePath("pipeline/ruling/draft.ts"),
      find: "digest({ capability, input, ...(onBehalfOf !== undefined && { onBehalfOf }) });",
      replace: "digest({ capability, input, ...(onBehalfOf === null && { onBehalfOf }) });",
      caughtBy: {
        file: corePath("pipeline/admission/duplicate.test.ts"),
        title:
          "[TRUST 8] [P1] requests of one agent for two people are separate calls and cannot share an idempotency key",
      },
    },
    {
      name: "let a person vote beside their stand-in",
      file: corePath("pipeline/approval/vote-eligibility.ts"),
      find: "if (others.some(({ inPlaceOf }) => inPlaceOf.includes(voter.id)))",
      replace: "if (others.length < 0)",
      caughtBy: seatsTest(
        "[TRUST 13] one person's groups count once if the person and a delegate vote, in either order",
      ),
    },
    {
      name: "let several stand-ins count for one person",
      file: corePath("pipeline/approval/vote-eligibility.ts"),
      find: "by === person || inPlaceOf.includes(person)",
      replace: "by === person",
      caughtBy: seatsTest(
        "[TRUST 13] one person's groups count once if several delegates of the person vote",
      ),
    },
    {
      name: "hand over groups that the giver is not in",
      file: corePath("pipeline/approval/reassign.ts"),
      find: "...(groups.length > 0 && { groups }),",
      replace: "groups: round.guards.flatMap(({ group }) => group ?? []),",
      caughtBy: seatsTest(
        "[TRUST 34] a reassignment passes on only the giver's groups, not the group of another guard",
      ),
    },
    {
      name: "count the reassignment of a frozen person",
      file: corePath("pipeline/approval/reassignments.ts"),
      find: "data.round === round && !barredVoters.includes(data.by)",
      replace: "data.round === round && (data.by.length > 0 || barredVoters.length > 0)",
      caughtBy: seatsTest("[TRUST 33] a reassignment does not count if its giver is frozen before the vote"),
    },
    {
      name: "count votes in the place of a frozen person",
      file: sqlFunctionPath("load.sql"),
      find: "or exists (select from jsonb_array_elements_text(x.in_place_of) z where paraph.barred(c.tenant, z) is not null)),",
      replace: "),",
      caughtBy: storeTest(
        "[TRUST 33] a call lists people who acted in place of a currently frozen person as barred",
      ),
    },
    {
      name: "verify one person's groups twice",
      file: corePath("receipts/verify-predicate.ts"),
      find: "new Set(heard).size === heard.length",
      replace: "new Set(heard).size > 0",
      caughtBy: {
        file: corePath("receipts/verify.test.ts"),
        title: "[TRUST 13] a person's own vote, and that of their stand-in",
      },
    },
  ];
}

function listDepartureMutations(): Mutation[] {
  return [
    {
      name: "let a frozen administrator's request be performed",
      file: sqlFunctionPath("freeze.sql"),
      find: "case when f.kind = 'principal' then f.subject = any (p_principals)",
      replace:
        "case when f.kind = 'principal' then p_adapter is distinct from 'admin' and f.subject = any (p_principals)",
      caughtBy: {
        file: "test/revoked-rights.test.ts",
        title: "is not performed while its requester is frozen, even if it is approved",
      },
    },
    {
      name: "go on with the stream of a reader who lost a group",
      file: "packages/server/src/http/middleware/authenticate.ts",
      find: ".every((group) => groups.includes(group));",
      replace: ".every((group) => group !== groups[0] || groups.includes(group));",
      caughtBy: {
        file: "packages/server/src/http/events.test.ts",
        title: "[TRUST 33] a reader who loses a group gets nothing more from the streams that they opened",
      },
    },
    {
      name: "leave the glass of a frozen person broken",
      file: corePath("policy/evidence.ts"),
      find: "people.length > 0 && people.length === given?.people.length",
      replace: "(people.length > 0 || given !== undefined)",
      caughtBy: {
        file: "test/revoked-rights.test.ts",
        title: "[TRUST 33] a break-glass grant lets no call pass once the person who created it is frozen",
      },
    },
    {
      name: "thaw the calls of a disabled principal",
      file: "packages/server/src/builtin/admin/freezes/thaw.ts",
      find: 'if (barred === "disabled")',
      replace: 'if (barred === "disabled" && input.freeze === "")',
      caughtBy: {
        file: "packages/server/src/builtin/admin/identity/principal-disable.test.ts",
        title: "[TRUST 33] is disabled with keys, sessions and open calls, and enabled by the undo",
      },
    },
    {
      name: "ignore for whom a stand-in is named",
      file: "packages/server/src/http/routes/delegations.ts",
      find: `            .strictObject({
              delegate: principalIdSchema,`,
      replace: `            .object({
              delegate: principalIdSchema,`,
      caughtBy: {
        file: "test/revoked-rights.test.ts",
        title:
          "[TRUST 34] an administrator cannot delegate another person's groups, to themselves or to a third person",
      },
    },
    {
      name: "perform what was asked for on behalf of a frozen person",
      file: sqlFunctionPath("gate.sql"),
      find: "coalesce(p->>'onBehalfOf', (select c.on_behalf_of from call c where c.tenant = p_tenant and c.id = p_call))",
      replace: "null",
      caughtBy: storeTest("[TRUST 33] an agent's call on behalf of a frozen person is held until the thaw"),
    },
  ];
}

function listKeyMutations(): Mutation[] {
  const mcp = (title: string) => ({ file: "packages/server/src/mcp/revoked-key.test.ts", title });
  return [
    {
      name: "tell a caller who was barred while they waited",
      file: "packages/server/src/http/middleware/wait-as-preferred.ts",
      find: "if (now !== call) await requireStillAllowed(c, service);",
      replace: "",
      caughtBy: httpTest(
        "revoked-wait",
        "[TRUST 33] a person who is frozen while they wait for a call gets no result",
      ),
    },
    {
      name: "tell an MCP client whose key was revoked while it waited",
      file: "packages/server/src/mcp/follow-call.ts",
      find: "if (now !== call && !(await requestContext.isStillAllowed()))",
      replace: "if (now === undefined)",
      caughtBy: mcp("[TRUST 21] a key that is revoked while its client waits gets no result"),
    },
    {
      name: "reassign an approval to anyone",
      file: "packages/server/src/services/call-actions.ts",
      find: "await reassign({ ...given, isPerson }, ports);",
      replace: "await reassign(given, ports);",
      caughtBy: httpTest(
        "call-actions",
        "[TRUST 12] an approval is reassigned neither by nor to the requester's owner, nor to anyone who cannot vote",
      ),
    },
    {
      name: "let an MCP client with a revoked key go on listening",
      file: "packages/server/src/mcp/gateway.ts",
      find: "if (!(await isStillAllowed().catch(() => false))) revoked.abort();",
      replace: "await isStillAllowed().catch(() => false);",
      caughtBy: mcp("[TRUST 21] a key that is revoked while its client listens ends the stream"),
    },
    {
      name: "count everybody's calls for a key without `read`",
      file: "packages/server/src/http/routes/statistics.ts",
      find: 'hasScope(caller, "read") ? filter.principal : caller.principal.id',
      replace: "filter.principal",
      caughtBy: {
        file: "test/api-authorization.test.ts",
        title: "[TRUST 21] a person's key without `read` gets no statistics of other principals",
      },
    },
    {
      name: "undo plans beyond the scopes of a key",
      file: "packages/server/src/mcp/builtin-tools/undo-call.ts",
      find: "!hasInputScope(requestContext.caller, offered.capability, offered.input)",
      replace: "!hasInputScope(requestContext.caller, offered.capability, undefined)",
      caughtBy: mcp("[TRUST 21] a key cannot undo a plan whose steps are outside its scopes"),
    },
  ];
}

function listDisplayMutations(): Mutation[] {
  const caughtBy = {
    file: "packages/cli/src/lib/render/approval.test.ts",
    title:
      "[TRUST 28] [TRUST 6] the CLI shows the editor, whom the agent acts for, the deciding group and every detail",
  };
  return [
    {
      name: "keep the editor from the command line",
      file: "packages/cli/src/lib/render/approval.ts",
      find: "round.editedBy === undefined",
      replace: "round.round > 0",
      caughtBy,
    },
    {
      name: "keep details from the command line where there is a diff",
      file: "packages/cli/src/lib/render/changes.ts",
      find: "change.details === undefined ? []",
      replace: "change.details === undefined || change.diff !== undefined ? []",
      caughtBy,
    },
  ];
}

function listForgeryMutations(): Mutation[] {
  const rows = (title: string) => ({ file: "test/forged-rows.test.ts", title });
  return [
    {
      name: "edit what no sealed event confirms",
      file: corePath("pipeline/admission/edit.ts"),
      find: `  await requireProven(call, ports);
`,
      replace: "",
      caughtBy: rows("a reassignment that no person made is not edited"),
    },
    {
      name: "hand over what no sealed event confirms",
      file: corePath("pipeline/approval/reassign.ts"),
      find: `  await requireProven(found, ports);
`,
      replace: "",
      caughtBy: rows("an edit that no person made is not handed over"),
    },
  ];
}
