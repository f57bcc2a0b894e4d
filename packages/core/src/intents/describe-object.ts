import type { Capability } from "../capability/capability.ts";
import type { FoundObject } from "../capability/found-object.ts";
import type { Json } from "../json.ts";
import { type Field, listFields } from "./fields.ts";
import type { FilledFields } from "./fill-fields.ts";
import type { IntentQuestion, IntentRequest, ObjectLookup } from "./understanding.ts";

/** The fields with which words can describe the object of a call, and the capability that finds the object. */
export interface Description {
  readonly finder: string;
  /** The fields of the finder that the call itself does not have. They describe the object. */
  readonly describing: readonly Field[];
  /** The fields of the call and of the finder, without the field that the description replaces. */
  readonly fields: readonly Field[];
}

/** Returns how words can describe the object of a call, if the requester may use the finder. */
export function findDescription(
  { describedObject }: Capability,
  own: readonly Field[],
  capabilities: IntentRequest["capabilities"],
): Description | undefined {
  const finder = capabilities.find(({ contract }) => contract.name === describedObject?.finder);
  if (!describedObject || !finder) return undefined;
  const describing = listFields(finder.contract)
    .filter(({ name }) => !own.some((one) => one.name === name))
    .map((field): Field => ({ ...field, isRequired: false }));
  const fields = [...own.filter(({ name }) => name !== describedObject.field), ...describing];
  return { finder: finder.contract.name, describing, fields };
}

/** Returns whether the words name the object themselves. A plain word describes an object, and is no id. */
export function namesObject({ describedObject }: Capability, { values }: FilledFields): boolean {
  const id = values.get(describedObject?.field ?? "");
  return id !== undefined && !(typeof id === "string" && /^\p{L}+$/u.test(id));
}

/** Returns the read that finds the object, or undefined if the words do not describe one. */
export function toLookup(
  { finder, describing }: Description,
  { values }: FilledFields,
  capability: Capability,
  step: number,
): ObjectLookup | undefined {
  if (!describing.some(({ name }) => values.has(name))) return undefined;
  const names = new Set(listFields(capability.contract).map(({ name }) => name));
  const input = Object.fromEntries([...values].filter(([name]) => names.has(name)));
  return { step, capability: finder, input };
}

/** Returns the questions that a found object cannot answer. While there are any, Paraph looks up nothing. */
export function listBlockingQuestions(
  { describing }: Pick<Description, "describing">,
  { questions }: Pick<FilledFields, "questions">,
): readonly IntentQuestion[] {
  return questions.filter(
    ({ code, field }) =>
      code !== "field-missing" && (field === undefined || describing.some(({ name }) => name === field)),
  );
}

/** The field of a question about objects, and of its answer. It is no field of the input. */
const objectField = "$object";

/**
 * Returns the one object that fits the description. Several objects, or none, are a question. An answer chooses the
 * object whose label contains it.
 */
export function chooseObject(
  found: readonly FoundObject[] | undefined,
  answers: IntentRequest["answers"],
  { step, capability, input }: ObjectLookup,
): FoundObject | IntentQuestion {
  const about = { step, capability };
  if (!found)
    return {
      ...about,
      code: "object-unknown",
      message: "Paraph could not look up what these words describe. Name it by its id, or try again later.",
    };
  const answer = answers?.find((one) => one.step === step && one.field === objectField)?.value;
  const fitting = answer === undefined ? found : found.filter(({ label }) => contains(label, answer));
  const [object, ...others] = fitting.length > 0 ? fitting : found;
  if (!object)
    return {
      ...about,
      code: "object-unknown",
      message: `Nothing fits this description: ${formatDescription(input)}. Describe it in other words.`,
    };
  if (others.length === 0) return object;
  return {
    ...about,
    code: "object-ambiguous",
    field: objectField,
    message: "Several objects fit this description. Which one do you mean?",
    options: [object, ...others].map(({ label }) => label),
  };
}

function contains(label: string, answer: string): boolean {
  const text = answer.trim().toLowerCase();
  return text !== "" && label.toLowerCase().includes(text);
}

function formatDescription(input: Json): string {
  return Object.values(input as Readonly<Record<string, Json>>)
    .flat()
    .map((value) => `\`${String(value)}\``)
    .join(", ");
}
