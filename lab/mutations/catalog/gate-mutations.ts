import {
  corePath,
  governanceTest,
  type Mutation,
  rulingTest,
  sqlFunctionPath,
  storeTest,
} from "../mutation.ts";

/** Mutations of the gates before acceptances and intents, and of the evidence that satisfies a guard. */
export const gateMutations: readonly Mutation[] = [
  ...listGateMutations(),
  ...listFreezeMutations(),
  ...listLimitMutations(),
  ...listGrantMutations(),
  ...listCheckMutations(),
  ...listRulingMutations(),
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
      find: "v_stop := paraph.stop(p_tenant, v_call, v_principal, v_capability, p, false, p_now, p_here);",
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
      caughtBy: storeTest("[P5] under another policy set than the one in force nothing is accepted or begun"),
    },
    {
      name: "name no policy at the gate",
      file: corePath("pipeline/admission/rule.ts"),
      find: "...(asked && { policy: ruling.version }),",
      replace: "",
      caughtBy: governanceTest(
        "[P5] that came into force between the question and the intent is asked before anything happens",
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
          "no intent is written once the freeze of a tenant has answered, and its list of those in flight is complete",
      },
    },
    {
      name: "leave who parks late",
      file: sqlFunctionPath("commit.sql"),
      find: "if v_thawed then v_next := least(v_next, paraph.now()); end if;",
      replace: "v_thawed := false;",
      caughtBy: storeTest("a call that parks after the thaw wakes itself"),
    },
    {
      name: "refuse what is frozen",
      file: corePath("pipeline/execution/perform.ts"),
      find: 'if (stop.reason === "frozen") return parkCall(call, capability, stop.freeze.id, ports);',
      replace: 'if (stop.reason === "frozen") return end(call, "refused", "frozen", ports);',
      caughtBy: governanceTest("[TRUST 25] parks what was waiting, which goes on once it is thawed"),
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
      caughtBy: storeTest("of 64 at once exactly as many are let in as the limit has room for"),
    },
    {
      name: "settle nothing",
      file: sqlFunctionPath("commit.sql"),
      find: "if p ? 'settle' then v_used :=",
      replace: "if false then v_used :=",
      caughtBy: storeTest("money is reserved at the first intent, once, and settled by what was spent"),
    },
    {
      name: "give unknown's money back",
      file: sqlFunctionPath("commit.sql"),
      find: "nullif(p->'settle'->>'spent', 'unknown')::bigint",
      replace: "coalesce(nullif(p->'settle'->>'spent', 'unknown')::bigint, 0)",
      caughtBy: storeTest("[P7] an unknown outcome keeps the money reserved and frees the place"),
    },
    {
      name: "keep the place",
      file: corePath("pipeline/close.ts"),
      find: "...(hasReservation(call) && {",
      replace: "...(false && {",
      caughtBy: governanceTest("on concurrency is waited for: approved means it happens [P12]"),
    },
  ];
}

function listGrantMutations(): Mutation[] {
  return [
    {
      name: "spend a grant too soon",
      file: sqlFunctionPath("open.sql"),
      find: "if not v_opened then return jsonb_build_object('kind', 'exists'); end if;",
      replace: `if not v_opened then return jsonb_build_object('kind', 'exists'); end if;
  update standing_grant set count_left = count_left - 1 where tenant = p_tenant and id = p->'gate'->'grant'->>'id';`,
      caughtBy: storeTest("[TRUST 15] an intent uses one up, by count and by amount; an acceptance does not"),
    },
    {
      name: "spend no grant",
      file: sqlFunctionPath("gate.sql"),
      find: "set count_left = count_left - 1,",
      replace: "set",
      caughtBy: storeTest("[TRUST 15] of 64 intents at once exactly as many act as the grant has left"),
    },
    {
      name: "stretch a grant",
      file: corePath("policy/rule.ts"),
      find: "isWithinBounds(grant.bounds, input)",
      replace: "isWithinBounds({}, input)",
      caughtBy: rulingTest("does not stretch to an input outside its bounds"),
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
      caughtBy: governanceTest("that does not pass refuses, or has people asked, as its guard says"),
    },
    {
      name: "let a broken check pass",
      file: corePath("pipeline/admission/run-checks.ts"),
      find: "return { check, passed: false, error: true,",
      replace: "return { check, passed: true,",
      caughtBy: governanceTest("[P11] that cannot be run refuses, whatever its guard says"),
    },
    {
      name: "trust an old check",
      file: corePath("pipeline/admission/run-checks.ts"),
      find: "return checked?.subject === digestForApproval(call, capability, preview) ? checked.results : [];",
      replace: "return checked?.results ?? [];",
      caughtBy: governanceTest(
        "comes before people, who see its results; where the world has moved it runs again",
      ),
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
      caughtBy: rulingTest("counts only the group's people, where the guard names one"),
    },
    {
      name: "approve for whom it acts",
      file: corePath("policy/evidence.ts"),
      find: "[id, owner, onBehalfOf]",
      replace: "[id, owner]",
      caughtBy: governanceTest("[TRUST 12] whom an agent acts for cannot approve what it asks"),
    },
    {
      name: "hinder while observing",
      file: corePath("policy/rule.ts"),
      find: "? allowObserved(ruling) : ruling;",
      replace: "? ruling : ruling;",
      caughtBy: governanceTest("hinders nothing, and says what it would have done"),
    },
    {
      name: "loosen by requirement",
      file: corePath("policy/rule.ts"),
      find: "const open = [...left, ...own];",
      replace: "const open = own.length > 0 ? own : left;",
      caughtBy: governanceTest("never loosen: what policy asks for is asked all the same"),
    },
    {
      name: "act unattended",
      file: corePath("policy/rule.ts"),
      find: "const unconfirmed = enforcement.confirm &&",
      replace: "const unconfirmed = !enforcement.confirm &&",
      caughtBy: governanceTest(
        "a change that nobody approved and no policy permits for unattended use is refused",
      ),
    },
  ];
}

function listSetMutations(): Mutation[] {
  const file = "packages/server/src/policy/active-policy.ts";
  const inForce = (title: string) => ({ file: "packages/server/src/policy/active-policy.test.ts", title });
  return [
    {
      name: "leave a capability that appeared out of rules on input",
      file: "packages/server/src/policy/cedar/rules/rule-selection.ts",
      find: "const future = hasExactName(rule) ? {} : { future: compileFutureSelection(matching, rule) };",
      replace: "const future = {};",
      caughtBy: {
        file: "packages/server/src/policy/cedar/rules/compile-rules.test.ts",
        title: "[P11] hold in full for a capability that appears after they were compiled",
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
          "[P11] policies for capabilities that appeared are published again and again until the rows take them",
      },
    },
    {
      name: "drop the set configured before as soon as sets are loaded again",
      file,
      find: "else passing.add(version);",
      replace: "else sets.delete(version);",
      caughtBy: inForce(
        "[P11] the set that was configured before stays while a reload is under way: the rows may still name it",
      ),
    },
    {
      name: "load sets again only once the reload before is over",
      file,
      find: "      isBehind = true;\n      next ??= running\n        .catch(() => {})\n        .then(() => {",
      replace:
        "      next ??= running\n        .catch(() => {})\n        .then(() => {\n          isBehind = true;",
      caughtBy: inForce(
        "[P11] a capability that comes back while rows are still asked about the reload before is known at once",
      ),
    },
    {
      name: "take a first answer that a reload has overtaken",
      file,
      find: "&& reading !== readings) return refresh(tenant);",
      replace: "&& reading > readings) return refresh(tenant);",
      caughtBy: inForce(
        "[P11] a first answer that comes after a reload, and names a set of before, is asked for once more",
      ),
    },
    {
      name: "refuse without fetching the set in force",
      file: corePath("pipeline/admission/rule.ts"),
      find: 'if (first.version !== "none") return first;',
      replace: "if (first) return first;",
      caughtBy: governanceTest(
        "[P11] is fetched where none could be loaded, before anything is refused for that",
      ),
    },
  ];
}
