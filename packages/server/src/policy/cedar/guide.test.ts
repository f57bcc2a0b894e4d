import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { checkInput, checkResult } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assemblePolicyDocument, compileRules, lintPolicies, loadPolicies, type Rule } from "./index.ts";
import { readAnnotations } from "./loading/annotations.ts";
import { readPolicies } from "./loading/read-policies.ts";
import { createContract } from "./testing/sample-contracts.ts";
import { environmentNames } from "./values/environment-value.ts";
import { previewSums } from "./values/preview-value.ts";

const guide = readFileSync(new URL("../../../../../docs/guides/policy.md", import.meta.url), "utf8");
const listExamples = (kind: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\``, "gms"))].map(([, text]) => text!);

const contracts = [
  createContract("github.merge_pull_request", {}),
  createContract("github.delete_repo", { effect: "destroy" }),
  createContract("db.execute", { input: z.object({ sql: z.string() }) }),
  createContract("mail.send", { input: z.object({ to: z.string() }) }),
  createContract("billing.refund", { input: z.object({ cents: z.int() }) }),
  createContract("files.write", { input: z.object({ path: z.string() }) }),
  createContract("ops.deploy", { risk: "critical" }),
  ...["check.secrets", "check.syntax", "check.recipients"].map((name) =>
    createContract(name, { effect: "read", input: checkInput, output: checkResult }),
  ),
];

describe("docs/guides/policy.md", () => {
  const [rules = ""] = listExamples("ts rules");
  const cedar = listExamples("cedar").map((text) => ({ file: "docs/guides/policy.md", text }));
  // Objects of another realm have other prototypes, but a configuration holds plain objects. The JSON round trip makes
  // these objects plain.
  const written: Rule[] = JSON.parse(JSON.stringify(runInNewContext(rules)));
  const { source, unattended } = compileRules(written, contracts);
  const document = assemblePolicyDocument({ sources: [source, ...cedar], unattended });

  it("shows rules and policies that load without lint findings", () => {
    expect(written.length).toBeGreaterThan(5);
    const set = loadPolicies(document, contracts);
    expect(set.guards.get("big-refunds-need-finance")).toMatchObject({ quorum: 2, group: "finance" });
    expect(lintPolicies(document, contracts)).toEqual([]);
  });

  it("explains every annotation it uses, every environment value and every preview sum", () => {
    const used = readPolicies(document, contracts).policies.flatMap((policy) =>
      Object.keys(readAnnotations(policy)),
    );
    for (const name of new Set(used)) expect(guide).toContain(`@${name}`);
    for (const name of [...environmentNames, ...previewSums]) expect(guide).toContain(`\`${name}\``);
  });
});
