import {
  effects,
  isDuration,
  pathText,
  risks,
  type SchemaFault,
  schemaFaults,
  urgencies,
} from "@paraph/core";
import { z } from "zod";
import { checkLevelNames } from "../check-levels.ts";
import type { LoadFault } from "../loading/load-fault.ts";
import type { Rule } from "./rule.ts";

const textSchema = z.string().trim().min(1);
const integerSchema = z.int();
const boundSchema = z
  .strictObject({
    over: integerSchema,
    under: integerSchema,
    is: z.union([z.string(), integerSchema, z.boolean()]),
    oneOf: z.array(z.union([z.string(), integerSchema])).min(1),
    startsWith: textSchema,
  })
  .partial()
  .refine(
    (one) => Object.keys(one).length > 0,
    "needs at least one of over, under, is, oneOf and startsWith",
  );

const ruleSchema = z
  .strictObject({
    capability: z
      .string()
      .regex(/^[A-Za-z0-9_.*-]+$/, "expected a name such as `files.write`, or a pattern with `*`"),
    adapter: textSchema,
    effect: z.enum(effects),
    risk: z.enum(risks),
    when: z.record(z.string(), boundSchema),
    for: z
      .strictObject({
        group: textSchema,
        principal: textSchema,
        kind: z.enum(["agent", "person", "service"]),
      })
      .partial()
      .refine((one) => Object.keys(one).length > 0, "needs at least one of group, principal and kind"),
    ask: z.union([textSchema, z.literal(true)]),
    people: integerSchema.min(1).max(20),
    urgency: z.enum(urgencies),
    deadline: z.string().refine(isDuration, "expected a duration, such as `2h`"),
    check: z.union([z.enum(checkLevelNames), z.array(textSchema).min(1)]),
    onFail: z.enum(["refuse", "ask"]),
    block: z.literal(true),
    allow: z.literal("unattended"),
    sentence: textSchema,
    shadow: z.literal(true),
  })
  .partial();

/**
 * Returns the faults that can be found in rules without knowing any capability. The check is needed because a
 * configuration may not have been type-checked.
 */
export function findRuleFaults(rules: readonly Rule[]): SchemaFault[] {
  return rules.flatMap((rule, index) => {
    const form = schemaFaults(ruleSchema, rule);
    const faults =
      form.length > 0
        ? form
        : findRuleConflicts(rule).map(([field, sentence]) => ({
            path: field ? [field] : [],
            message: `: ${sentence}`,
          }));
    return faults.map(({ path, message }) => ({ path: ["rules", index, ...path], message }));
  });
}

/** Returns the faults of `findRuleFaults` in the form of load faults. */
export function findRuleLoadFaults(rules: readonly Rule[]): LoadFault[] {
  return findRuleFaults(rules).map(({ path, message }) => ({
    file: pathText(path),
    sentence: message.replace(/^(?:: | )/, ""),
  }));
}

/** Returns each field of a rule that is missing or conflicts with another field, with a sentence about the problem. */
function findRuleConflicts(rule: Rule): (readonly [field: string, sentence: string])[] {
  const faults: [string, string][] = [];
  const has = (name: keyof Rule) => rule[name] !== undefined;
  const need = (holds: boolean, field: string, sentence: string) => holds || faults.push([field, sentence]);
  const selectors = ["capability", "adapter", "effect", "risk"] as const;
  need(selectors.some(has), "capability", 'selects no capability; name one, or use `"*"` for all');

  const asksOnFail = has("check") && rule.onFail === "ask";
  const said = (["ask", "check", "block", "allow"] as const).filter(
    (name) => has(name) && !(name === "ask" && asksOnFail),
  );
  need(
    said.length === 1,
    "",
    'needs exactly one of ask, check, block and allow (ask and check together only with `onFail: "ask"`)',
  );
  const asks = has("ask") || asksOnFail;
  for (const name of ["people", "urgency", "deadline"] as const) {
    need(!has(name) || asks, name, "is only for rules that ask");
  }
  need(!has("onFail") || has("check"), "onFail", "is only for rules that check");
  need(!has("shadow") || !has("allow"), "shadow", "cannot be combined with `allow`");
  return faults;
}
