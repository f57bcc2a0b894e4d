import { type PolicyJson, policySetTextToParts, policyToJson } from "@cedar-policy/cedar-wasm/nodejs";
import { findOversizedPolicy } from "./find-oversized-policy.ts";
import { type LoadFault, toLineNumber } from "./load-fault.ts";

/** A text of policies with its file name. */
export interface PolicySource {
  readonly file: string;
  readonly text: string;
}

/** One policy of a text, under the id that its author gave it. */
export interface ParsedPolicy {
  readonly id: string;
  readonly text: string;
  readonly json: PolicyJson;
  readonly file: string;
  /** The line where the policy starts in its file. */
  readonly line: number;
}

/** Returns the faults that can be found in a text without knowing any capability. */
export function findTextFaults(source: PolicySource): readonly LoadFault[] {
  const faults: LoadFault[] = [];
  parsePolicies(source, faults);
  return faults;
}

/**
 * Parses a text into policies. Unreadable parts become faults. Readable policies are still returned, so that their own
 * faults are found.
 */
export function parsePolicies({ file, text }: PolicySource, faults: LoadFault[]): ParsedPolicy[] {
  if (!text.isWellFormed()) {
    faults.push({ file, sentence: "the text is not valid Unicode; save the file as UTF-8" });
    return [];
  }
  const oversized = findOversizedPolicy(text);
  if (oversized) {
    faults.push({ file, ...oversized });
    return [];
  }
  const parts = policySetTextToParts(text);
  if (parts.type === "failure") {
    for (const error of parts.errors) {
      const where = error.sourceLocations?.[0];
      const hint = where?.label ?? error.help;
      const sentence = hint ? `${error.message} (${hint})` : error.message;
      faults.push({ file, ...(where && { line: toLineNumber(text, where.start) }), sentence });
    }
    return [];
  }
  for (const template of parts.policy_templates) {
    faults.push({
      file,
      line: findPolicyLine(template, text),
      sentence: "templates are not supported; write a full policy instead",
    });
  }
  // Cedar returns the parts in the order of its internal names, so Paraph sorts them by line.
  return parts.policies
    .map((part) => ({ part, line: findPolicyLine(part, text) }))
    .sort((a, b) => a.line - b.line)
    .flatMap(({ part, line }) => parsePolicy(part, file, line, faults));
}

function parsePolicy(text: string, file: string, line: number, faults: LoadFault[]): ParsedPolicy[] {
  const parsed = policyToJson(text);
  if (parsed.type === "failure") {
    faults.push(...parsed.errors.map((error) => ({ file, line, sentence: error.message })));
    return [];
  }
  // `@id` without a value is null, although the type does not include null.
  const id: string | null | undefined = parsed.json.annotations?.id;
  if (!id || !/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(id)) {
    const sentence =
      'the policy has no valid `@id("…")`; use at most 128 letters, digits and . _ : - and begin with a letter or digit';
    faults.push({ file, line, sentence });
    return [];
  }
  if (id.startsWith("caller:")) {
    faults.push({
      file,
      line,
      sentence: `\`@id("${id}")\` is reserved, because \`caller:\` marks the requirements of callers; choose another id`,
    });
    return [];
  }
  return [{ id, text, json: parsed.json, file, line }];
}

/**
 * Returns the line where a policy starts. Cedar returns each part verbatim but without its position, so the function
 * searches the text for the part. A copy of the part in a comment does not count.
 */
function findPolicyLine(part: string, text: string): number {
  const first = text.indexOf(part);
  for (let at = first; at >= 0; at = text.indexOf(part, at + 1)) {
    const lineStart = text.lastIndexOf("\n", at - 1) + 1;
    if (!text.slice(lineStart, at).includes("//")) return countLines(text, at);
  }
  return countLines(text, Math.max(first, 0));
}

function countLines(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

/** Reports policies that share an `@id`. Rulings and receipts quote the id, so it must be unique. */
export function findDuplicateIds(policies: readonly ParsedPolicy[]): LoadFault[] {
  const first = new Map<string, ParsedPolicy>();
  return policies.flatMap((policy) => {
    const duplicate = first.get(policy.id);
    if (!duplicate) {
      first.set(policy.id, policy);
      return [];
    }
    const sentence = `\`@id("${policy.id}")\` is already used in ${duplicate.file}:${duplicate.line}; choose another id`;
    return [{ file: policy.file, line: policy.line, sentence }];
  });
}
