import { useState } from "react";
import { formatJson } from "../lib/foreign.tsx";
import { isObject, parseJson } from "../lib/json.ts";
import { type FormTexts, readForm, writeForm } from "./form-values.ts";
import { type Field, type JsonSchema, readFields } from "./schema-fields.ts";

/** The state of a form for an input: fields, or the whole input as JSON. */
export interface InputForm {
  /** The fields. Undefined if the input is written as JSON. */
  readonly fields: readonly Field[] | undefined;
  readonly texts: FormTexts;
  readonly json: string;
  /** The stated input. Undefined while a field has a fault. */
  readonly input: Readonly<Record<string, unknown>> | undefined;
  readonly faults: ReadonlyMap<string, string>;
  readonly jsonFault: string | undefined;
  /** Why the form can't show the fields, if it can't. */
  readonly canUseFields: boolean;
  readonly setText: (path: string, text: string) => void;
  readonly setJson: (text: string) => void;
  readonly setAsJson: (isJson: boolean) => void;
}

const noFaults: ReadonlyMap<string, string> = new Map();

/** Keeps an input that a person writes, from the fields of its schema or as JSON. */
export function useInputForm(schema: JsonSchema, given?: unknown): InputForm {
  const known = readFields(schema);
  const initial = known && (given === undefined ? {} : writeForm(known, given));
  const [texts, setTexts] = useState<FormTexts>(initial ?? {});
  const [json, setJson] = useState(() => formatJson(given ?? {}));
  const [isJson, setIsJson] = useState(initial === undefined);
  const form = known && readForm(known, texts);
  const parsed = parseJson(json);
  const jsonInput = isObject(parsed?.value) ? parsed.value : undefined;
  const fromJson = known && jsonInput && writeForm(known, jsonInput);
  return {
    fields: isJson ? undefined : known,
    texts,
    json,
    input: isJson ? jsonInput : form?.kind === "input" ? form.input : undefined,
    faults: form?.kind === "faults" && !isJson ? form.faults : noFaults,
    jsonFault: !parsed ? "This is not JSON." : jsonInput ? undefined : "This is not an object.",
    canUseFields: known !== undefined && (!isJson || fromJson !== undefined),
    setText: (path, text) => setTexts((old) => ({ ...old, [path]: text })),
    setJson,
    setAsJson: (next) => {
      if (next && form?.kind === "input") setJson(formatJson(form.input));
      if (!next && fromJson) setTexts(fromJson);
      setIsJson(next);
    },
  };
}
