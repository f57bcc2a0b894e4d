import { rulingKinds } from "@paraph/core";
import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import { z } from "zod";

const names = z.array(z.string().min(1));

const approver = z.union([
  z
    .string()
    .min(1)
    .transform((id) => ({ id, groups: [] as string[] })),
  z.strictObject({ id: z.string().min(1), groups: names.default([]) }),
]);

const moment = z.union([z.int(), z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))]);

/** The schema of a case's environment. By default, the time is noon on a Monday (UTC), and all usage counts are 0. */
const environment = z.strictObject({
  at: moment.default(Date.parse("2026-01-05T12:00:00Z")),
  callsLastHour: z.int().min(0).default(0),
  callsLastDay: z.int().min(0).default(0),
  spentToday: z.int().min(0).default(0),
  deniedLastHour: z.int().min(0).default(0),
});

const change = z.strictObject({
  kind: z.enum(["create", "update", "delete", "move", "send", "run", "other"]),
  target: z.string(),
  summary: z.string().optional(),
  diff: z.string().optional(),
  details: z.record(z.string(), z.json()).optional(),
});

/** One case: a request to policy and the ruling that its author expects. */
const policyCase = z.strictObject({
  name: z.string().min(1),
  as: z.strictObject({
    kind: z.enum(["agent", "person", "service"]),
    id: z.string().min(1).default("somebody"),
    groups: names.default([]),
    owner: z.string().min(1).optional(),
    onBehalfOf: z.string().min(1).optional(),
  }),
  capability: z.string().min(1),
  input: z.json().default({}),
  preview: z.strictObject({ changes: z.array(change), basis: z.json().default({}) }).optional(),
  env: environment.prefault({}),
  evidence: z
    .strictObject({
      approvedBy: z.array(approver).default([]),
      checks: z.record(z.string(), z.enum(["passed", "failed", "error"])).default({}),
    })
    .prefault({}),
  expect: z.enum(rulingKinds),
  policies: names.optional(),
  sentence: z.string().optional(),
});

export interface PolicyCase extends z.output<typeof policyCase> {
  readonly file: string;
  readonly line: number;
}

/** A fault in a file of cases. */
export interface CaseFault {
  readonly file: string;
  readonly line: number;
  readonly sentence: string;
}

/** Parses a file with a list of cases. Each problem in a case becomes a fault with a line number. */
export function parseCases(file: string, text: string): { cases: PolicyCase[]; faults: CaseFault[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineOf = (offset: number) => lines.linePos(offset).line;
  /** Returns the line of the node at this path, or of its nearest existing parent. */
  const lineAt = (path: readonly PropertyKey[]): number => {
    for (let length = path.length; length >= 0; length--) {
      const node = document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return lineOf(node.range[0]);
    }
    return 1;
  };

  const unreadable = document.errors.map(({ message, pos }) => ({
    file,
    line: lineOf(pos[0]),
    sentence: message.split("\n")[0]!.replace(/ at line \d.*$/, ""),
  }));
  if (unreadable.length > 0) return { cases: [], faults: unreadable };
  const list = toPlainValue(document);
  if (!Array.isArray(list)) {
    const sentence = "a file of cases must contain a list; begin each case with `- name: …`";
    return { cases: [], faults: [{ file, line: lineAt([]), sentence }] };
  }
  const cases: PolicyCase[] = [];
  const faults: CaseFault[] = [];
  for (const [index, item] of list.entries()) {
    const parsed = policyCase.safeParse(item);
    if (parsed.success) cases.push({ ...parsed.data, file, line: lineAt([index]) });
    for (const { path, message } of parsed.error?.issues ?? [])
      faults.push({
        file,
        line: lineAt([index, ...path]),
        sentence: `${path.join(".") || "case"}: ${message}`,
      });
  }
  return { cases, faults };
}

/** Returns the document as plain values, or undefined if its aliases would expand beyond the limit. */
function toPlainValue(document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}
