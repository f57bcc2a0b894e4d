import { describe, expect, it } from "vitest";
import { assemblePolicyDocument, lintPolicies, type PolicyFinding, type PolicyOptions } from "../index.ts";
import { sampleContracts } from "../testing/sample-contracts.ts";

const people = {
  all: 4,
  byGroup: new Map([
    ["owners", 3],
    ["dba", 1],
    ["paraph:admins", 3],
    ["paraph:break-glass", 2],
  ]),
};

function lintText(text: string, options: PolicyOptions = {}): readonly PolicyFinding[] {
  const sources = [{ file: "mine.cedar", text }];
  return lintPolicies(assemblePolicyDocument({ sources, ...options }), sampleContracts, { people });
}

const formatGuard = (annotations: string, scope = 'action == Action::"files.write"', when = "") =>
  `@id("g") @ruling("ask") @urgency("high") ${annotations} forbid (principal, ${scope}, resource) ${when}
unless { context.evidence.discharged.contains("g") };`;
const good = '@quorum("1") @sentence("Why.")';

describe("lint finds", () => {
  it.each<[string, string, PolicyFinding["code"], RegExp]>([
    ["a guard without a sentence", formatGuard('@quorum("1")'), "sentence-missing", /`g` has no `@sentence`/],
    [
      "a guard that applies to nothing",
      formatGuard(good, 'action in Action::"unattended"'),
      "applies-to-nothing",
      /`g` has no effect/,
    ],
    [
      "a policy that cannot hold",
      formatGuard(good, undefined, "when { principal is Agent && principal is Person }"),
      "applies-to-nothing",
      /no call/,
    ],
    [
      "a guard behind a plain forbid",
      `${formatGuard(good)} @id("no") forbid (principal, action in Action::"adapter:files", resource);`,
      "guard-unreachable",
      /`no` forbids everything/,
    ],
    [
      "a group of nobody",
      formatGuard(`${good} @group("ghosts")`),
      "unapprovable",
      /`ghosts`, which has no members,/,
    ],
    [
      "a group that is too small",
      formatGuard('@quorum("2") @sentence("W.") @group("dba")'),
      "unapprovable",
      /needs 2 approvers of .* has one member/,
    ],
    [
      "a permit that the preset gives",
      '@id("p") permit (principal, action, resource);',
      "permit-without-effect",
      /`changes-are-permitted` and `reads-are-permitted`|`reads-are-permitted` and `changes-are-permitted`/,
    ],
    [
      "a permit behind a plain forbid",
      '@id("p") @unattended permit (principal is Agent, action == Action::"files.write", resource); @id("no") forbid (principal, action, resource);',
      "permit-without-effect",
      /`no` forbids everything/,
    ],
    ["what does not load", "permit (principal, action, resource);", "invalid", /has no valid/],
  ])("%s", (_, text, code, sentence) => {
    const findings = lintText(text);
    expect(findings).toEqual([
      expect.objectContaining({
        code,
        file: "mine.cedar",
        line: 1,
        sentence: expect.stringMatching(sentence),
      }),
    ]);
    expect(findings[0]!.weight).toBe(["invalid", "unapprovable"].includes(code) ? "error" : "warning");
  });

  it("a preset's groups without members", () => {
    const findings = lintPolicies(assemblePolicyDocument({ preset: "strict" }), sampleContracts, {
      people: { all: 9, byGroup: new Map() },
    });
    expect(findings.map(({ code, policy }) => [code, policy])).toEqual([
      ["unapprovable", "administration-needs-a-second-administrator"],
      ["unapprovable", "critical-administration-needs-two-administrators"],
      ["unapprovable", "break-glass-needs-a-second-person"],
    ]);
  });

  it.each([
    [
      3,
      3,
      "`g` needs 3 approvers, and the tenant has 3 people. The owner of an agent cannot approve its calls, so the tenant needs 4 people. Add a person with `paraph invite`",
    ],
    [
      2,
      1,
      "`g` needs 2 approvers, and the tenant has one person. The owner of an agent cannot approve its calls, so the tenant needs 3 people. Add a person with `paraph invite`",
    ],
    [3, 4, undefined],
    [1, 1, undefined],
  ])("a quorum of %i in a tenant of %i people", (quorum, all, sentence) => {
    const text = formatGuard(`@quorum("${quorum}") @sentence("Why.")`);
    const document = assemblePolicyDocument({ sources: [{ file: "mine.cedar", text }] });
    const findings = lintPolicies(document, sampleContracts, { people: { ...people, all } });
    expect(findings.filter(({ policy }) => policy === "g").map((each) => each.sentence)).toEqual(
      sentence === undefined ? [] : [sentence],
    );
  });

  it("unattended capabilities that `strict` still asks about", () => {
    const findings = lintText("", { preset: "strict", unattended: ["files.write"] });
    expect(findings.map(({ code }) => code)).toEqual(["unattended-without-effect"]);
  });
});

describe("lint accepts", () => {
  it.each([
    ["a whole guard", formatGuard(`${good} @group("owners")`)],
    [
      "a guard that a forbid meets only sometimes",
      `${formatGuard(good)} @id("no") forbid (principal is Agent, action, resource);`,
    ],
    [
      "a guard that is forbidden on trial only",
      `${formatGuard(good)} @id("no") @shadow forbid (principal, action, resource);`,
    ],
    [
      "a permit that is unattended",
      '@id("p") @unattended permit (principal, action == Action::"files.write", resource);',
    ],
    [
      "a check that refuses, with no people at all",
      formatGuard("").replace(/@ruling.*forbid/, '@ruling("check") @level("basic") @sentence("Why.") forbid'),
    ],
    ["nothing", ""],
  ])("%s", (_, text) => {
    expect(lintText(text)).toEqual([]);
  });

  it("every preset if the groups are not known", () => {
    for (const preset of ["permissive", "balanced", "strict"] as const) {
      expect(lintPolicies(assemblePolicyDocument({ preset }), sampleContracts)).toEqual([]);
    }
  });
});
