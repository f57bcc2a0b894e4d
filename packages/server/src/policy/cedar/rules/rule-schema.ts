import {
  effects,
  isDuration,
  pathText,
  proofKinds,
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
    over: integerSchema.describe("The value is a number above this one."),
    under: integerSchema.describe("The value is a number below this one."),
    is: z.union([z.string(), integerSchema, z.boolean()]).describe("The value is equal to this one."),
    oneOf: z
      .array(z.union([z.string(), integerSchema]))
      .min(1)
      .describe("The value is equal to one of these."),
    startsWith: textSchema.describe("The value is a text that begins with this one."),
  })
  .partial()
  .refine(
    (one) => Object.keys(one).length > 0,
    "needs at least one of over, under, is, oneOf and startsWith",
  );

/** The schema of a rule in the short form. Its descriptions become docs/reference/configuration.md. */
export const ruleSchema = z
  .strictObject({
    capability: z
      .string()
      .regex(/^[A-Za-z0-9_.*-]+$/, "expected a name such as `files.write`, or a pattern with `*`")
      .describe(
        "Only this capability, such as `files.write`, or a pattern, such as `github.delete_*` or `*`.",
      ),
    adapter: textSchema.describe("Only capabilities of this adapter."),
    effect: z.enum(effects).describe("Only capabilities with this effect."),
    risk: z.enum(risks).describe("Only capabilities with this risk."),
    when: z
      .record(z.string(), boundSchema)
      .describe(
        "Conditions by path, such as `input.cents`, `preview.rows` or `env.hour`. All of them must hold.",
      ),
    for: z
      .strictObject({
        group: textSchema.describe("Only members of this group."),
        principal: textSchema.describe("Only this principal."),
        kind: z.enum(["agent", "person", "service"]).describe("Only principals of this kind."),
      })
      .partial()
      .refine((one) => Object.keys(one).length > 0, "needs at least one of group, principal and kind")
      .describe("The callers that the rule applies to (default: all)."),
    ask: z
      .union([textSchema, z.literal(true)])
      .describe("Asks for approval. If this is the name of a group, members of that group must approve."),
    people: integerSchema
      .min(1)
      .max(20)
      .describe("The number of approvers, for rules that ask (default: 1)."),
    proof: z
      .enum(proofKinds)
      .describe(
        "The proof that each approval needs, for rules that ask (default: none). `passkey` means that approvers confirm with a passkey.",
      ),
    urgency: z
      .enum(urgencies)
      .describe("The urgency of the approval, for rules that ask (default: `normal`)."),
    deadline: z.string().refine(isDuration, "expected a duration, such as `2h`").meta({
      description:
        "The time that approvers have to answer, for rules that ask (default: `ask.expires` for the urgency).",
      typeName: "duration",
    }),
    reply: z
      .literal("approve")
      .describe(
        "Lets approvers approve with a reply to the mail, for rules that ask. It never applies to calls of high or critical risk (default: only on the page and by the API).",
      ),
    check: z
      .union([z.enum(checkLevelNames), z.array(textSchema).min(1)])
      .describe("Requires these checks: a level, or the names of checks."),
    onFail: z
      .enum(["refuse", "ask"])
      .describe("The consequence if a check does not pass (default: `refuse`)."),
    block: z.literal(true).describe("Blocks the calls."),
    allow: z
      .literal("unattended")
      .describe(
        "Lets agents and services write without confirmation. Calls that do not meet `when` and `for` still need approval.",
      ),
    sentence: textSchema.describe(
      "One sentence that tells people the reason for the rule. For `allow`, the reason why a call outside its bounds needs an approval.",
    ),
    shadow: z
      .literal(true)
      .describe("Only records the ruling that the rule would make, without applying it (default: off)."),
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
  for (const name of ["people", "proof", "urgency", "deadline", "reply"] as const) {
    need(!has(name) || asks, name, "is only for rules that ask");
  }
  need(!has("onFail") || has("check"), "onFail", "is only for rules that check");
  need(!has("shadow") || !has("allow"), "shadow", "cannot be combined with `allow`");
  return faults;
}
