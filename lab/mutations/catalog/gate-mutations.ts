import {
  corePath,
  gateTest,
  governanceTest,
  type Mutation,
  rulingTest,
  sqlFunctionPath,
  storeTest,
} from "../mutation.ts";

/**
 * Mutations of the gates that a call passes before it is accepted and before each intent. The list also covers the
 * evidence that satisfies a guard.
 */
export const gateMutations: readonly Mutation[] = [
  ...listGateMutations(),
  ...listFreezeMutations(),
  ...listLimitMutations(),
  ...listGrantMutations(),
  ...listCheckMutations(),
  ...listRulingMutations(),
  ...listClosureMutations(),
  ...listSetMutations(),
];

function listGateMutations(): Mutation[] {
  const frozen = storeTest(
    "[TRUST 25] a frozen tenant is neither let in nor let act, and is again once thawed",
  );
  return [
    {
      name: "no gate at the intent",
      file: sqlFunctionPath("commit.sql"),
      find: "v_stop := paraph.stop(p_tenant, v_call, v_locked.principal, v_locked.capability, p, false, p_now, p_here);",
      replace: "v_stop := null;",
      caughtBy: frozen,
    },
    {
      name: "no gate at acceptance",
      file: sqlFunctionPath("open.sql"),
      find: "v_stop := paraph.stop(p_tenant, p->>'call', p->>'principal', p->>'capability', p, true, p_now, p_here);",
      replace: "v_stop := null;",
      caughtBy: frozen,
    },
    {
      name: "let a stale policy in",
      file: sqlFunctionPath("gate.sql"),
      find: "if v_gate->>'policy' <> p_here->>'policy' then return jsonb_build_object('reason', 'policy-changed'); end if;",
      replace: "",
      caughtBy: storeTest(
        "[P5] the store accepts no call and no intent under a policy set that is not in force",
      ),
    },
    {
      name: "name no policy at the gate",
      file: corePath("pipeline/gate.ts"),
      find: "...(asked && { policy: ruling.version }),",
      replace: "",
      caughtBy: gateTest(
        "[P5] that takes effect between admission and the intent is evaluated before the effect",
      ),
    },
  ];
}

function listFreezeMutations(): Mutation[] {
  return [
    {
      name: "freeze without waiting",
      file: sqlFunctionPath("gate.sql"),
      find: "perform pg_advisory_xact_lock(7413, hashtext(p_tenant));",
      replace: "",
      caughtBy: {
        file: "packages/server/src/postgres/policy/freezes.test.ts",
        title:
          "no intent is written after the freeze of a tenant returns, and its list of intents in flight is complete",
      },
    },
    {
      name: "leave who parks late",
      file: sqlFunctionPath("commit.sql"),
      find: "v_thawed := array_append(v_thawed, v_call);",
      replace: "null;",
      caughtBy: storeTest("a call that parks after the thaw wakes itself"),
    },
    {
      name: "refuse what is frozen",
      file: corePath("pipeline/execution/perform.ts"),
      find: 'if (stop.reason === "frozen") return parkCall(call, capability, stop.freeze.id, ports);',
      replace: 'if (stop.reason === "frozen") return end(call, "refused", "frozen", ports);',
      caughtBy: gateTest("[TRUST 25] parks an approved call, which runs after the thaw"),
    },
  ];
}

function listLimitMutations(): Mutation[] {
  return [
    {
      name: "count afterwards",
      file: sqlFunctionPath("gate.sql"),
      find: "+ l.amount > l.max",
      replace: "> l.max",
      caughtBy: storeTest("of 64 concurrent calls, a limit of 20 admits exactly 20"),
    },
    {
      name: "settle nothing",
      file: sqlFunctionPath("commit.sql"),
      find: "if p ? 'settle' then v_used :=",
      replace: "if false then v_used :=",
      caughtBy: storeTest("money is reserved once, at the first intent, and settled with the amount spent"),
    },
    {
      name: "give unknown's money back",
      file: sqlFunctionPath("commit.sql"),
      find: "nullif(p->'settle'->>'spent', 'unknown')::bigint",
      replace: "coalesce(nullif(p->'settle'->>'spent', 'unknown')::bigint, 0)",
      caughtBy: storeTest(
        "[P7] an unknown outcome keeps the money reserved and releases the concurrency slot",
      ),
    },
    {
      name: "keep the place",
      file: corePath("pipeline/close.ts"),
      find: "...(hasReservation(call) && {",
      replace: "...(false && {",
      caughtBy: gateTest(
        "on concurrency delays a call until a slot is free, and the call then succeeds [P12]",
      ),
    },
  ];
}

function listGrantMutations(): Mutation[] {
  return [
    {
      name: "spend a grant too soon",
      file: sqlFunctionPath("open.sql"),
      find: "if cardinality(v_calls) = 0 then return v_answers; end if;",
      replace: `if cardinality(v_calls) = 0 then return v_answers; end if;
  update standing_grant set count_left = count_left - 1 where tenant = p_tenant and id = v_documents[1]->'gate'->'grant'->>'id';`,
      caughtBy: storeTest(
        "[TRUST 15] an intent spends a grant by count and by amount; an acceptance does not",
      ),
    },
    {
      name: "spend no grant",
      file: sqlFunctionPath("gate.sql"),
      find: "set count_left = count_left - 1,",
      replace: "set",
      caughtBy: storeTest("[TRUST 15] of 64 concurrent intents, exactly as many act as the grant has left"),
    },
    {
      name: "stretch a grant",
      file: corePath("policy/rule.ts"),
      find: "isWithinBounds(grant.bounds, input)",
      replace: "isWithinBounds({}, input)",
      caughtBy: rulingTest("does not cover an input outside its bounds"),
    },
  ];
}

function listCheckMutations(): Mutation[] {
  return [
    {
      name: "let a failed check pass",
      file: corePath("policy/evidence.ts"),
      find: "results.every((result) => result?.passed && !result.error)",
      replace: "results.every((result) => result !== undefined && !result.error)",
      caughtBy: governanceTest("that fails refuses the call or asks approvers, as its guard specifies"),
    },
    {
      name: "let a broken check pass",
      file: corePath("pipeline/ruling/run-checks.ts"),
      find: "return { check, passed: false, error: true,",
      replace: "return { check, passed: true,",
      caughtBy: governanceTest("[P11] that cannot run refuses the call, whatever its guard specifies"),
    },
    {
      name: "trust an old check",
      file: corePath("pipeline/ruling/run-checks.ts"),
      find: "return checked?.subject === digestForApproval(call, capability, preview) ? checked.results : [];",
      replace: "return checked?.results ?? [];",
      caughtBy: governanceTest("runs before approvers are asked, and runs again when the basis changed"),
    },
  ];
}

function listRulingMutations(): Mutation[] {
  return [
    {
      name: "ignore the group",
      file: corePath("policy/evidence.ts"),
      find: "guard.group === undefined || groups.includes(guard.group);",
      replace: "groups !== undefined;",
      caughtBy: rulingTest("counts only members of the group that the guard names"),
    },
    {
      name: "approve for whom it acts",
      file: corePath("policy/evidence.ts"),
      find: "[id, owner, onBehalfOf]",
      replace: "[id, owner]",
      caughtBy: governanceTest(
        "[TRUST 12] the person whom an agent acts for cannot approve the agent's request",
      ),
    },
    {
      name: "hinder while observing",
      file: corePath("policy/rule.ts"),
      find: "? allowObserved(ruling) : ruling;",
      replace: "? ruling : ruling;",
      caughtBy: governanceTest("blocks no call, and records the ruling that enforcement would have applied"),
    },
    {
      name: "loosen by requirement",
      file: corePath("policy/rule.ts"),
      find: "const open = [...left, ...own];",
      replace: "const open = own.length > 0 ? own : left;",
      caughtBy: governanceTest("never reduce the quorum that policy demands"),
    },
    {
      name: "act unattended",
      file: corePath("policy/rule.ts"),
      find: "const unconfirmed = enforcement.confirm &&",
      replace: "const unconfirmed = !enforcement.confirm &&",
      caughtBy: governanceTest(
        "refuses an agent's change that is neither approved nor permitted for unattended use",
      ),
    },
  ];
}

function listClosureMutations(): Mutation[] {
  const folder = "packages/server/src/policy/cedar/evaluation";
  const closures = (title: string) => ({ file: `${folder}/closures/closures.test.ts`, title });
  return [
    {
      name: "skip guards in compiled policies",
      file: `${folder}/closures/compile-policies.ts`,
      find: 'if (kind === "when") return condition;',
      replace: 'if (kind === "when" || json.annotations?.ruling) return condition;',
      caughtBy: closures("[P11] rule on random questions as Cedar does"),
    },
    {
      name: "rule as compiled policies do although Cedar disagrees",
      file: `${folder}/evaluate-slice.ts`,
      find: 'return createFailedEvaluation(["evaluators-disagree"]);',
      replace: "return answer;",
      caughtBy: closures(
        "[P11] a disagreement blocks the call, raises one alarm, and leaves all later questions to Cedar",
      ),
    },
    {
      name: "ask people although no permit applies",
      file: corePath("policy/rule.ts"),
      find: 'return { decision: permits.length > 0 ? "allow" : "deny", policies: permits, errors: [] };',
      replace: 'return { decision: "allow", policies: permits, errors: [] };',
      caughtBy: rulingTest(
        "asks after one evaluation that names a permit, and blocks after one that names none",
      ),
    },
  ];
}

function listSetMutations(): Mutation[] {
  const file = "packages/server/src/policy/active-policy.ts";
  const inForce = (title: string) => ({ file: "packages/server/src/policy/active-policy.test.ts", title });
  return [
    {
      name: "allow a list of which one entry is allowed",
      file: "packages/server/src/policy/cedar/rules/rule-condition.ts",
      find: 'if (type.kind === "set" && loosens)',
      replace: 'if (type.kind === "set" && loosens && operator === "none")',
      caughtBy: {
        file: "packages/server/src/policy/cedar/rules/compile-rules.test.ts",
        title: "is not allowed for a list with an entry outside of the bounds: one of",
      },
    },
    {
      name: "leave a capability that appeared out of rules on input",
      file: "packages/server/src/policy/cedar/rules/rule-selection.ts",
      find: "const future = hasExactName(rule) ? {} : { future: compileFutureSelection(matching, rule) };",
      replace: "const future = {};",
      caughtBy: {
        file: "packages/server/src/policy/cedar/rules/compile-rules.test.ts",
        title:
          "[P11] apply without their input conditions to a capability that appears after they were compiled",
      },
    },
    {
      name: "publish policies for new capabilities once",
      file: "packages/server/src/policy/policy-runtime.ts",
      find: "pauseMs = 250; !stopping.signal.aborted;",
      replace: "pauseMs = 250; pauseMs === 250;",
      caughtBy: {
        file: "packages/server/src/policy/policy-runtime.test.ts",
        title:
          "[P11] Paraph raises an alarm if closures and Cedar disagree, and retries publishing policies until the database accepts them",
      },
    },
    {
      name: "drop the set configured before as soon as sets are loaded again",
      file,
      find: "else passing.add(version);",
      replace: "else sets.delete(version);",
      caughtBy: inForce(
        "[P11] the previously configured set stays loaded during a reload, because the database may still name it",
      ),
    },
    {
      name: "load sets again only once the reload before is over",
      file,
      find: "      isBehind = true;\n      next ??= running\n        .catch(() => {})\n        .then(() => {",
      replace:
        "      next ??= running\n        .catch(() => {})\n        .then(() => {\n          isBehind = true;",
      caughtBy: inForce(
        "[P11] a capability that returns while the previous reload waits for the database is known at once",
      ),
    },
    {
      name: "take a first answer that a reload has overtaken",
      file,
      find: "&& reading !== readings) return refresh(tenant);",
      replace: "&& reading > readings) return refresh(tenant);",
      caughtBy: inForce(
        "[P11] if a tenant's first answer arrives after a reload and names an older set, Paraph queries again",
      ),
    },
    {
      name: "refuse without fetching the set in force",
      file: corePath("pipeline/ruling/rule.ts"),
      find: 'if (first.version !== "none") return first;',
      replace: "if (first) return first;",
      caughtBy: gateTest(
        "[P11] is fetched before Paraph refuses a call because no policy set could be loaded",
      ),
    },
  ];
}
