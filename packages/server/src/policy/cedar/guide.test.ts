import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { checkInput, checkResult } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { annotationsOf } from "./annotations.ts";
import { environmentNames } from "./environment-value.ts";
import { compileRules, lint, loadPolicies, policyDocument, type Rule } from "./index.ts";
import { previewSums } from "./preview-value.ts";
import { readPolicies } from "./read.ts";
import { contract } from "./test-capabilities.ts";

const guide = readFileSync(new URL("../../../../../docs/policy.md", import.meta.url), "utf8");
const examples = (kind: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\``, "gms"))].map(([, text]) => text!);

const contracts = [
  contract("github.merge_pull_request", {}),
  contract("github.delete_repo", { effect: "destroy" }),
  contract("db.execute", { input: z.object({ sql: z.string() }) }),
  contract("mail.send", { input: z.object({ to: z.string() }) }),
  contract("billing.refund", { input: z.object({ cents: z.int() }) }),
  contract("files.write", { input: z.object({ path: z.string() }) }),
  contract("ops.deploy", { risk: "critical" }),
  ...["check.secrets", "check.syntax", "check.recipients"].map((name) =>
    contract(name, { effect: "read", input: checkInput, output: checkResult }),
  ),
];

describe("docs/policy.md", () => {
  const [rules = ""] = examples("ts rules");
  const cedar = examples("cedar").map((text) => ({ file: "docs/policy.md", text }));
  // A realm of its own gives objects of its own; a configuration's are plain.
  const written: Rule[] = JSON.parse(JSON.stringify(runInNewContext(rules)));
  const { source, unattended } = compileRules(written, contracts);
  const document = policyDocument({ sources: [source, ...cedar], unattended });

  it("shows rules and policies that load, and that lint has nothing to say about", () => {
    expect(written.length).toBeGreaterThan(5);
    const set = loadPolicies(document, contracts);
    expect(set.guards.get("big-refunds-need-finance")).toMatchObject({ quorum: 2, group: "finance" });
    expect(lint(document, contracts)).toEqual([]);
  });

  it("explains every annotation it uses, and every place that policies can look at", () => {
    const used = readPolicies(document, contracts).policies.flatMap((policy) =>
      Object.keys(annotationsOf(policy)),
    );
    for (const name of new Set(used)) expect(guide).toContain(`@${name}`);
    for (const name of [...environmentNames, ...previewSums]) expect(guide).toContain(`\`${name}\``);
  });
});
