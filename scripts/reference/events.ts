import { outcomeKinds } from "@paraph/core";
import { payloadNames } from "../../packages/core/src/call.ts";
import { sealedKinds } from "../../packages/core/src/event.ts";
import { formatCodeBlock, formatPage, formatTable, toCode, wrapParagraph } from "./markdown.ts";
import { readDoc, readKey, readMembers, readSource, type SourceFile, type SyntaxNode } from "./source.ts";

/** One kind of event, as its TSDoc describes it. */
export interface EventPage {
  readonly kind: string;
  readonly meaning: string;
  readonly fields: readonly EventField[];
  /** Whether the event can also hold commitments to payloads, by the names of the payloads. */
  readonly hasCommitments: boolean;
}

export interface EventField {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly meaning: string;
}

const eventFile = "packages/core/src/event.ts";
const evidenceFile = "packages/core/src/policy/evidence.ts";

/** Lists the kinds of events in the order of the source, with the fields of their data. */
export function listEvents(): EventPage[] {
  const source = readSource(eventFile);
  return readMembers(source, "EventFacts").map((member) => {
    const parts = splitIntersection(member.typeAnnotation.typeAnnotation);
    return {
      kind: readKey(member),
      meaning: readDoc(member),
      fields: parts.flatMap((part) => listFields(part, source)),
      hasCommitments: parts.some((part) => readTypeName(part) === "Commitments"),
    };
  });
}

export function renderEventsPage(): string {
  const events = listEvents();
  return formatPage(
    "Events",
    wrapParagraph(
      "Every event that a call can have, with its meaning and its data. Events are in receipts, in `GET /v1/calls/{call}/events` and in webhooks. They hold ids, numbers, codes and commitments. They never hold input or output, so Paraph never erases an event.",
    ),
    formatCodeBlock(
      "json",
      JSON.stringify(
        {
          specversion: "1.0",
          id: "call_01k2m4x7p9.4",
          source: "/v1/calls/call_01k2m4x7p9",
          type: "dev.paraph.call.locked.v1",
          time: "2026-03-01T09:30:00.000Z",
          subject: "call_01k2m4x7p9",
          datacontenttype: "application/json",
          data: { keys: 1 },
        },
        null,
        2,
      ),
    ),
    wrapParagraph(
      `The API and webhooks send an event in the form of CloudEvents 1.0. Its \`type\` is \`dev.paraph.call.<kind>.v1\`. The event \`closed\` is published under the outcome instead, for example \`dev.paraph.call.succeeded.v1\`. The outcomes are ${outcomeKinds.map(toCode).join(", ")}. An observation has the type \`dev.paraph.observation.v1\`.`,
    ),
    formatTable(
      ["Kind", "Meaning"],
      events.map(({ kind, meaning }) => [`[\`${kind}\`](#${kind})`, meaning]),
    ),
    wrapParagraph(
      `In the tables, \`?\` marks a field that can be missing. Times are milliseconds since 1970. A commitment is a salted digest of a payload, which can be erased. The payloads are ${payloadNames.map(toCode).join(", ")}.`,
    ),
    wrapParagraph(
      `The events that authorise an effect also hold \`seal\`, which only a process with the sealing key can write: ${sealedKinds.map(toCode).join(", ")}.`,
    ),
    ...events.flatMap(formatEvent),
  );
}

function formatEvent({ kind, meaning, fields, hasCommitments }: EventPage): string[] {
  const rows = fields.map(({ name, type, isOptional, meaning: about }) => [
    toCode(isOptional ? `${name}?` : name),
    toCode(type),
    about,
  ]);
  const committed = hasCommitments
    ? ["It can also hold commitments, each under the name of its payload."]
    : [];
  return [
    `## ${kind}`,
    wrapParagraph(meaning),
    formatTable(["Field", "Type", "Meaning"], rows),
    ...committed,
  ];
}

function splitIntersection(type: SyntaxNode): SyntaxNode[] {
  return type.type === "TSIntersectionType" ? type.types : [type];
}

/** Lists the fields of a part of the data: an object literal, a type of this file, or a selection of a vote's fields. */
function listFields(part: SyntaxNode, source: SourceFile): EventField[] {
  if (part.type === "TSTypeLiteral") return part.members.map((member: SyntaxNode) => toField(member, source));
  switch (readTypeName(part)) {
    case "Commitments":
      return [];
    case "ClosedDetails":
      return readMembers(source, "ClosedDetails").map((member) => toField(member, source));
    case "Pick": {
      const evidence = readSource(evidenceFile);
      const [picked, keys] = readTypeArguments(part);
      const names: string[] = keys!.types.map((each: SyntaxNode) => each.literal.value);
      return readMembers(evidence, readTypeName(picked!)!)
        .filter((member) => names.includes(readKey(member)))
        .map((member) => toField(member, evidence));
    }
    default:
      throw new Error(`The reference cannot read the type \`${source.text.slice(part.start, part.end)}\`.`);
  }
}

function toField(member: SyntaxNode, { text }: SourceFile): EventField {
  const { start, end } = member.typeAnnotation.typeAnnotation;
  return {
    name: readKey(member),
    type: formatTypeText(text.slice(start, end)),
    isOptional: member.optional === true,
    meaning: readDoc(member),
  };
}

/** The plain form of types that have a name only in the code. */
const plainTypes: Readonly<Record<string, string>> = {
  Parent: "{ call, step, depth }",
  'Ruling["kind"]': '"allow" | "check" | "ask" | "block"',
  HypotheticalRuling: "{ kind, policies, code? }",
  BlockCode: "string",
  AttemptEnd: "string",
  OutcomeKind: "string",
  Finding: '"happened" | "not-happened"',
  'Resolution["how"]': '"person" | "probe"',
  Tokens: "{ input?, output? }",
  'Exclude<RoundStatus, "open">': '"approved" | "denied" | "expired" | "void"',
  "readonly Guard[]": "object[]",
  "readonly PayloadName[]": "string[]",
  'readonly Pick<CheckResult, "check" | "passed" | "score" | "error">[]':
    "{ check, passed, score?, error? }[]",
  "readonly InheritedVote[]": "object[]",
  PasskeyProof: "object",
  "{ readonly [R in Risk]?: number }": "Record<Risk, number>",
};

function formatTypeText(text: string): string {
  const plain = plainTypes[text] ?? text.replaceAll("readonly ", "");
  if (!/^[a-z"{]|^Record</.test(plain)) throw new Error(`Add the type \`${text}\` to \`plainTypes\`.`);
  return plain;
}

function readTypeName(type: SyntaxNode): string | undefined {
  return type.typeName?.name;
}

function readTypeArguments(type: SyntaxNode): SyntaxNode[] {
  return (type.typeArguments ?? type.typeParameters).params;
}
